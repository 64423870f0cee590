import { missingFigures } from '../analysis/visit-groups.ts';
import type { Note } from '../answer/notes.ts';
import type { Table } from '../api/table.ts';

/** A note for each figure that some of these visitor lists lack. */
export function missingFigureNotes(tables: readonly Table[], use: 'explain' | 'review'): Note[] {
  return missingFigures(tables).map((figure) => ({ code: 'figure-missing', figure, use }));
}
