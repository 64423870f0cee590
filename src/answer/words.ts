import { fromOutside, mention, quoted, shown } from '../api/text/tracker-text.ts';

type Say<Data> = (data: Data) => string;

/** How one kind of note is said: to all alike, or apart to models and to persons, who know no tools, arguments and fields. */
export type Words<Data> = Say<Data> | Apart<Data>;

interface Apart<Data> {
  readonly toModel: Say<Data>;
  /** Null if it is for models alone. */
  readonly toPerson: Say<Data> | null;
}

export const apart = <Data>(toModel: Say<Data>, toPerson: Say<Data> | null): Apart<Data> => ({ toModel, toPerson });

/** For models alone. */
export const model = <Data = unknown>(say: Say<Data>): Apart<Data> => apart(say, null);

export const quote = (text: string, maxLength?: number): string => quoted(fromOutside(text), maxLength);
export const nameOf = (text: string, maxLength?: number): string => mention(fromOutside(text), maxLength);

const maxListed = 10;

/** A name in plain quotation marks, as an argument of a call has it. */
export const inQuotes = (text: string): string => JSON.stringify(shown(fromOutside(text)));

/** Names in quotation marks; only the first of many. */
export function listSome(texts: readonly string[]): string {
  const listed = texts.slice(0, maxListed).map(inQuotes);
  return [...listed, ...(texts.length > maxListed ? [`and ${texts.length - maxListed} more`] : [])].join(', ');
}

/** `Tue 17 Nov`; without Intl, which takes 10 ms to load at the start. */
export function dayInWords(day: string): string {
  const [weekday, date, month] = new Date(day).toUTCString().split(/,? /);
  return `${weekday} ${Number(date)} ${month}`;
}
