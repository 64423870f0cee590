const written = new WeakMap<object, string>();

/**
 * JSON of a record that nobody changes. What is in it is written once, however many ask: to measure an answer, to look for a key
 * in it, and to send it, when the SDK has made a copy of the outermost record.
 */
export function jsonOf(record: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(record).filter(([, value]) => value !== undefined);
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${jsonOfField(value)}`).join(',')}}`;
}

function jsonOfField(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const known = written.get(value);
  if (known !== undefined) return known;
  const json = JSON.stringify(value);
  written.set(value, json);
  return json;
}
