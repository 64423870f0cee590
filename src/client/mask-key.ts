import { memoize } from '../api/memoize.ts';

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

/** Takes the API key out of a text in which the tracker repeated it. */
export function maskKey(text: string, apiKey: string): string {
  if (apiKey.length < shortestSecret) return text;
  let masked = text;
  for (const form of formsOf(apiKey)) if (masked.includes(form)) masked = masked.replaceAll(form, '***');
  return masked;
}
