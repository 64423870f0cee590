import {
  type Cell,
  fromTracker,
  maxShownLength,
  rawText,
  shown,
  type TrackerText,
} from '../../api/text/tracker-text.ts';
import type { Json, JsonRecord } from '../define-tool.ts';

/** A nested value stays whole up to this length: half of a JSON text is useless. */
const maxNestedLength = 8000;

/** The names of columns that may hold what visitors typed. */
const strangersColumn =
  /keyword|search|term|ad.?value|placement|target|extra|token|sub.?id.?\d|referr?er|agent|custom|param|utm|transaction|external/i;

/** The note with a text that visitors may have typed. */
export const strangersText = { code: 'strangers-text' } as const;

export function isUntrustedColumn(column: string): boolean {
  return strangersColumn.test(column);
}

/** A cell as an agent may read it: visible characters on one line, shortened if it is very long. */
export function cleanCell(cell: Cell): { text: string | null; isShortened: boolean } {
  if (cell === null) return { text: null, isShortened: false };
  const raw = rawText(cell);
  const maxLength = raw.length > maxShownLength && /^(?:[[{]"|\[\{)/.test(raw) ? maxNestedLength : maxShownLength;
  const text = shown(cell, maxLength);
  // If only cleaning made a text shorter, nothing visible is missing.
  return { text: text === '' ? null : text, isShortened: text.length > maxLength - 1 && text.endsWith('…') };
}

/** The values of a record as data: names and URLs are cleaned like any text of the tracker. */
export function cleanValues(values: Readonly<Record<string, unknown>>): JsonRecord {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, cleanValue(value)]));
}

function cleanValue(value: unknown): Json {
  if (typeof value === 'string') return shown(fromTracker(value));
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

const maxNameLength = 100;

/** A name, shortened for a list. */
export function shortName(name: TrackerText): string {
  return shown(name, maxNameLength);
}
