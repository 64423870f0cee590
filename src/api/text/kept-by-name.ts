/** Longer names are read each time. */
const maxName = 64;

/** More names than the columns of a few trackers. */
const maxNames = 1000;

/** Keeps what a function tells of the names of columns and reports: they come again with each answer. */
export function keptByName<Value>(read: (name: string) => Value): (name: string) => Value {
  const known = new Map<string, Value>();
  return (name) => {
    const kept = known.get(name);
    if (kept !== undefined || known.has(name)) return kept as Value;
    const value = read(name);
    if (name.length > maxName) return value;
    if (known.size >= maxNames) known.clear();
    known.set(name, value);
    return value;
  };
}
