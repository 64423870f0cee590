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

/** Max characters of a number, and max IDs to name. */
const [maxShown, maxNamed] = [40, 4];

export function describeReadings({ text, number, ids }: Readings): string {
  const named = ids.length > maxNamed ? `${ids.length} IDs` : `the IDs ${joinWords(ids, 'and')}`;
  return `${quoted(fromOutside(text), maxShown)} may be ${number}, or ${named}`;
}
