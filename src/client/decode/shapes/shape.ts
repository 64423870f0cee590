/** One way in which trackers write what was asked for. */
export interface Shape<Subject, Found> {
  readonly name: string;
  /** Bodies that are read by this shape and by no earlier one. */
  readonly examples: readonly string[];
  /** @returns undefined where it is another shape; null where it is this one, and nothing can be read in it */
  readonly read: (subject: Subject) => Found | null | undefined;
}

/** Reads by the first shape that fits, and notes its name ahead of those it was read by inside. */
export function readByFirst<Subject, Found extends object>(
  shapes: readonly Shape<Subject, Found>[],
  subject: Subject,
): (Found & { shape: string }) | undefined {
  for (const { name, read } of shapes) {
    const found = read(subject);
    if (found === null) return undefined;
    if (found === undefined) continue;
    const inside = 'shape' in found && found.shape !== undefined ? ` > ${found.shape}` : '';
    return { ...found, shape: name + inside };
  }
  return undefined;
}
