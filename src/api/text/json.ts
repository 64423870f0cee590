/** What a text says as JSON; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Data with the names of each object in order: equal data is one JSON text, whoever wrote it and in whatever order. */
export function ordered(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(ordered);
  if (typeof data !== 'object' || data === null) return data;
  const entries = Object.entries(data).map(([name, value]) => [name, ordered(value)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Whether two values say the same as JSON, in whatever order their names stand; what is undefined is not said. */
export function isSameData(one: unknown, other: unknown): boolean {
  return JSON.stringify(ordered(one)) === JSON.stringify(ordered(other));
}

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
