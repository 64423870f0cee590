import { Table } from '../../api/table.ts';
import type { Figures } from '../past-figures.ts';
import type { TokenLabels } from '../tokens/token-labels.ts';
import { figureColumns } from './figure-columns.ts';

/** One campaign, cut. */
export interface Breakdown {
  readonly table: Table;
  readonly notices: readonly string[];
  /** What the token slots are called, where a dimension may be one of them. */
  readonly labels: TokenLabels;
}

/** What the visits of a group have in common, and their figures. */
export interface Row {
  readonly values: readonly (string | null)[];
  readonly figures: Figures;
}

export function tableOf(headings: readonly string[], rows: readonly Row[]): Table {
  const cells = rows.map(({ values, figures }) => [...values, ...figureColumns.map(({ cell }) => cell(figures))]);
  return Table.fromRows('breakdown', [...headings, ...figureColumns.map(({ name }) => name)], cells);
}
