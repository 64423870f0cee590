import { shownNames } from '../../api/text/tracker-text.ts';
import { keptWithTable } from './kept.ts';

/** The names of a table's columns as they are shown and asked for. */
export const shownColumns = keptWithTable((table): readonly string[] => shownNames(table.columns));
