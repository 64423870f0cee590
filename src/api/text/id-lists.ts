import { joinWords } from '../rules.ts';
import { fromOutside, quoted, shorten } from './tracker-text.ts';

/** What a text of digits and commas may mean, for a sentence: `56,050`. */
export interface Readings {
  readonly text: string;
  /** With its commas taken as marks of thousands: 56050. */
  readonly number: string;
  /** With its commas taken as separators: 56 and 050. */
  readonly ids: readonly string[];
}

const bareIds = /^\s*\d+(?:\s*,\s*\d+)*\s*$/;
const markOfThousands = /(?<=\d),(?=\d{3}(?!\d))/g;

/** Both meanings of a text in a list of IDs; undefined if it has one. A space after each comma makes it a list. */
export function readingsOf(text: string): Readings | undefined {
  const number = text.trim().replaceAll(markOfThousands, '');
  if (number === text.trim() || !bareIds.test(text)) return undefined;
  const ids = text.split(',').map((id) => shorten(id.trim(), maxShown));
  return { text, number: shorten(number, maxShown), ids };
}

const separators = /[,;\n]/;
const listedIds = /^(?:\d+|[A-Za-z0-9]+_\d+_\d+)$/;

/** No list of IDs is longer. */
const maxLength = 20_000;

/** The IDs of a text that can only be a list of them, such as `1,56`; undefined for any other text, which may be a name. */
export function idsIn(text: string): readonly string[] | undefined {
  if (text.length > maxLength) return undefined;
  const hasSpaces = text.includes('_') && !separators.test(text);
  const ids = text
    .trim()
    .split(hasSpaces ? /\s+/ : separators)
    .map((id) => id.trim());
  return ids.length > 1 && ids.every((id) => listedIds.test(id)) ? ids : undefined;
}

/** Max characters of a number, and max IDs to name. */
const [maxShown, maxNamed] = [40, 4];

export function describeReadings({ text, number, ids }: Readings): string {
  const named = ids.length > maxNamed ? `${ids.length} IDs` : `the IDs ${joinWords(ids, 'and')}`;
  return `${quoted(fromOutside(text), maxShown)} may be ${number}, or ${named}`;
}
