import { fromOutside, mention, quoted } from '../api/text/tracker-text.ts';

/** How one kind of note is said, and to whom. A model reads all notes. */
export interface Words<Data> {
  readonly for: 'model' | 'both';
  readonly say: (data: Data) => string;
  /** What a person reads, who knows no tools, arguments and fields. */
  readonly sayToPerson?: (data: Data) => string;
}

/** For a model and a person. @param sayToPerson what a person reads, if not the same */
export const both = <Data = unknown>(say: (data: Data) => string, sayToPerson = say): Words<Data> => ({
  ...{ for: 'both', say, sayToPerson },
});

/** For models alone. */
export const model = <Data = unknown>(say: (data: Data) => string): Words<Data> => ({ for: 'model', say });

export const quote = (text: string, maxLength?: number): string => quoted(fromOutside(text), maxLength);
export const nameOf = (text: string, maxLength?: number): string => mention(fromOutside(text), maxLength);

const maxListed = 10;

/** Clean texts in quotation marks; only the first of many. */
export function listSome(texts: readonly string[]): string {
  const listed = texts.slice(0, maxListed).map((text) => JSON.stringify(text));
  return [...listed, ...(texts.length > maxListed ? [`and ${texts.length - maxListed} more`] : [])].join(', ');
}

/** `Tue 17 Nov`; without Intl, which takes 10 ms to load at the start. */
export function dayInWords(day: string): string {
  const [weekday, date, month] = new Date(day).toUTCString().split(/,? /);
  return `${weekday} ${Number(date)} ${month}`;
}
