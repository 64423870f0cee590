/**
 * Writes `{...null, ...some, more}` for each `{...some, more}` of a script, which is the same object.
 *
 * Where a spread comes first, V8 of Node 20 gives every single object a shape of its own. That makes it slow to make, and
 * whatever reads it has to look for its properties anew.
 */
export function withSharedShapes(script: string): string;
