import { joinWords } from '../rules.ts';
import { fromOutside, quoted } from './tracker-text.ts';

/** What a text of digits and commas may mean: `56,050`. */
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
  return { text, number, ids: text.split(',').map((id) => id.trim()) };
}

const maxNamed = 4;

export function describeReadings({ text, number, ids }: Readings): string {
  const named = ids.length > maxNamed ? `${ids.length} IDs` : `the IDs ${joinWords(ids, 'and')}`;
  return `${quoted(fromOutside(text), 40)} may be ${quoted(fromOutside(number), 40)}, or ${named}`;
}
