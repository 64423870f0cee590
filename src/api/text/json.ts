/** What a text says as JSON; undefined if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Data with the names of each object in order: equal data is one JSON text. */
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
