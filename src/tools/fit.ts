import { Failure } from '../api/failure.ts';
import { shorten } from '../api/text/tracker-text.ts';
import type { Answer, Part, ToolResult } from './define-tool.ts';

/** The most characters of a result, in its data and in its text each; hosts cut at about 25,000 tokens. */
export const maxResultLength = 40_000;

/** A write's answer leaves so much for its change ID, the record's ID and the words about what is left out. */
const roomForRemarks = 4000;

/** An error that is longer says no more than its beginning. */
const maxFailureLength = 8000;

/** Renders as much as fits; parts are given up from their end, in their order. Throws a Failure if the least does not fit. */
export function fit<Rendered>(
  parts: readonly Part[],
  render: (counts: readonly number[]) => Rendered,
  sizeOf: (rendered: Rendered) => number,
): Rendered {
  const counts = parts.map(({ count }) => count);
  let rendered = render(counts);
  let size = sizeOf(rendered);
  for (const [index, { count, min }] of parts.entries()) {
    let left = count;
    while (size > maxResultLength && left > min) {
      // Aim at what fits, and get smaller even if one of many is most of the size.
      left = Math.max(min, Math.min(left - 1, Math.floor((left * maxResultLength) / size)));
      counts[index] = left;
      rendered = render(counts);
      size = sizeOf(rendered);
    }
  }
  if (size <= maxResultLength) return rendered;
  throw new Failure(
    `The answer takes more than ${maxResultLength} characters even with as little as it can show.`,
    'Ask for less, with fewer or shorter arguments.',
  );
}

/** Gives as much of an answer as fits into one result, measured as it will be sent. */
export function truncateToLimit({ parts, render }: Answer): ToolResult {
  return fit(parts, render, sizeOf);
}

function sizeOf({ structured, text }: ToolResult): number {
  return Math.max(JSON.stringify(structured).length, text.length);
}

/** The least that an answer can be cut to, if that leaves room for what a tracker says beside it. */
export function shortestForm({ parts, render }: Answer): ToolResult {
  const shortest = render(parts.map(({ min }) => min));
  if (sizeOf(shortest) <= maxResultLength - roomForRemarks) return shortest;
  throw new Failure(
    'Nothing was sent: the answer would be too long to be shown.',
    'Call with fewer or shorter arguments.',
  );
}

/** Of a list as many as an answer shows, and a word about the others. */
export function shortenList(items: readonly string[], count: number, what: string): string[] {
  const rest = items.length - count;
  return rest > 0 ? [...items.slice(0, count), `${rest} more ${what} are not shown.`] : [...items];
}

/** An error's text with its end left out if it is very long. */
export function fitFailure(message: string): string {
  return shorten(message, maxFailureLength);
}
