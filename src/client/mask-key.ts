import { memoize } from '../api/memoize.ts';

const mask = '***';

/** A key shorter than this could be an ordinary word of a report, and masking it would change the report. */
const shortestSecret = 6;

const xmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The ways in which a tracker writes the key that it was sent: as it is, or escaped for a URL, for JSON, for XML. */
const formsOf = memoize((apiKey): ReadonlySet<string> => {
  const inUrl = encodeURIComponent(apiKey);
  const inForm = new URLSearchParams([[apiKey, '']]).toString().slice(0, -1);
  const inJson = JSON.stringify(apiKey).slice(1, -1);
  return new Set([
    apiKey,
    ...[inUrl, inForm].flatMap((form) => [form, form.replace(/%../g, (code) => code.toLowerCase())]),
    inJson,
    inJson.replaceAll('/', '\\/'),
    apiKey.replace(/[&<>"']/g, (character) => xmlEscapes[character] ?? character),
  ]);
});

/** Parts of a key are looked for in texts of this size at most: an answer that repeats its request is no large report. */
const largestSearched = 1_000_000;

/** Takes the API key out of a text in which the tracker repeated it, whole or in parts. */
export function maskKey(text: string, apiKey: string): string {
  if (apiKey.length < shortestSecret) return text;
  let masked = text;
  for (const form of formsOf(apiKey)) if (masked.includes(form)) masked = masked.replaceAll(form, mask);
  return masked.length <= largestSearched ? maskParts(masked, apiKey) : masked;
}

/** Takes out parts that together are the whole key, such as one split over two fields. Fewer of them are a coincidence. */
function maskParts(text: string, apiKey: string): string {
  const size = Math.max(shortestSecret, Math.min(8, Math.floor(apiKey.length / 2)));
  const starts = Array.from({ length: apiKey.length - size + 1 }, (_, start) => start);
  const found = starts.filter((start) => text.includes(apiKey.slice(start, start + size)));
  const isCovered = [...apiKey].every((_, place) => found.some((start) => start <= place && place < start + size));
  if (!isCovered) return text;
  // The longest first, so that no end of a part is left.
  const parts = found.flatMap((start) =>
    Array.from({ length: apiKey.length - start - size + 1 }, (_, more) => apiKey.slice(start, start + size + more)),
  );
  return parts
    .sort((one, other) => other.length - one.length)
    .reduce((masked, part) => masked.replaceAll(part, mask), text);
}
