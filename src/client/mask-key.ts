/** A key shorter than this could be an ordinary word of a report, and masking it would change the report. */
const shortestSecret = 6;

/** Takes the API key out of a text in which the tracker repeated it, as it is or URL-encoded. */
export function maskKey(text: string, apiKey: string): string {
  if (apiKey.length < shortestSecret) return text;
  const forms = new Set([
    apiKey,
    encodeURIComponent(apiKey),
    new URLSearchParams([[apiKey, '']]).toString().slice(0, -1),
  ]);
  let masked = text;
  for (const form of forms) if (masked.includes(form)) masked = masked.replaceAll(form, '***');
  return masked;
}
