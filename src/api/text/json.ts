/** Parses JSON; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Deeper data would exhaust the stack of code that calls itself for each level. */
export const maxDepth = 64;

/** Whether data has more levels than `maxDepth`. */
export function isTooDeep(data: unknown, levels = maxDepth): boolean {
  if (typeof data !== 'object' || data === null) return false;
  return levels === 0 || Object.values(data).some((inner) => isTooDeep(inner, levels - 1));
}

/** Parses JSON; undefined unless the text is an object or a list, of a depth that may be walked. */
export function parseObject(text: string): unknown {
  const data = parseJson(text);
  return typeof data !== 'object' || data === null || isTooDeep(data) ? undefined : data;
}

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a name that a tracker may have chosen: `record[name]` would find methods such as `constructor`. */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Data with the names of each object sorted, so that equal data has equal JSON. */
export function ordered(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(ordered);
  if (typeof data !== 'object' || data === null) return data;
  const entries = Object.entries(data).map(([name, value]) => [name, ordered(value)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Whether two values are equal as JSON, whatever the order of their names. */
export function isSameData(one: unknown, other: unknown): boolean {
  return JSON.stringify(ordered(one)) === JSON.stringify(ordered(other));
}
