import type { Notice } from '../answer/notes.ts';
import { Failure } from '../api/failure.ts';
import { shorten } from '../api/text/tracker-text.ts';
import type { Answer, Part, ToolResult } from './define-tool.ts';

/** Max characters of a result's data, and of its text; hosts cut at about 25,000 tokens. */
export const maxResultLength = 40_000;

/** Room in a write's answer for its change ID, the record's ID and notices. */
const roomForRemarks = 4000;

/** Max characters of an error; the rest is cut. */
const maxFailureLength = 8000;

/** Renders as much as fits, shortening the parts one after the other. Throws a Failure if the shortest form does not fit. */
export function renderToLimit<Rendered>(
  parts: readonly Part[],
  render: (counts: readonly number[]) => Rendered,
  sizeOf: (rendered: Rendered) => number,
): Rendered {
  const whole = render(parts.map(({ count }) => count));
  const size = sizeOf(whole);
  return size <= maxResultLength ? whole : renderShortened(parts, render, sizeOf, size);
}

function renderShortened<Rendered>(
  parts: readonly Part[],
  render: (counts: readonly number[]) => Rendered,
  sizeOf: (rendered: Rendered) => number,
  sizeOfWhole: number,
): Rendered {
  const counts = parts.map(({ count }) => count);
  let size = sizeOfWhole;
  for (const [index, { count, min }] of parts.entries()) {
    let left = count;
    while (size > maxResultLength && left > min) {
      // Estimate what fits, and shrink even if one item makes up most of the size.
      left = Math.max(min, Math.min(left - 1, Math.floor((left * maxResultLength) / size)));
      counts[index] = left;
      const rendered = render(counts);
      size = sizeOf(rendered);
      if (size <= maxResultLength) return rendered;
    }
  }
  throw new Failure(
    `The answer takes more than ${maxResultLength} characters even in its shortest form.`,
    'Ask for less, with fewer or shorter arguments.',
  );
}

export function truncateToLimit({ parts, render }: Answer<ToolResult>): ToolResult {
  return renderToLimit(parts, render, sizeOf);
}

function sizeOf({ structured, text }: ToolResult): number {
  return Math.max(JSON.stringify(structured).length, text.length);
}

/** The shortest form of an answer. Throws a Failure if it leaves no room for the tracker's remarks. */
export function shortestForm({ parts, render }: Answer<ToolResult>): ToolResult {
  const shortest = render(parts.map(({ min }) => min));
  if (sizeOf(shortest) <= maxResultLength - roomForRemarks) return shortest;
  throw new Failure(
    'Nothing was sent: the answer would be too long to be shown.',
    'Call with fewer or shorter arguments.',
  );
}

/** The first notices of a list, and one that counts the others, as in `Not shown: 3 more pages.` */
export function shortenList(notices: readonly Notice[], count: number, what: string): Notice[] {
  const rest = notices.length - count;
  return rest > 0 ? [...notices.slice(0, count), { code: 'not-shown', what, count: rest }] : [...notices];
}

/** An error's text, cut if it is very long. */
export function shortenFailure(message: string): string {
  return shorten(message, maxFailureLength);
}
