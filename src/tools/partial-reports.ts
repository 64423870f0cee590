import { UnreadFailure } from '../analysis/columns/unread.ts';
import { isOfSeveral } from '../analysis/own-rows.ts';
import type { Note } from '../answer/notes.ts';
import type { Table } from '../api/table.ts';
import { rawText } from '../api/text/tracker-text.ts';
import { figuresOf } from './account/figures.ts';

/** Smaller differences are rounding. */
const minMissing = 0.01;

/**
 * Notes on reports of pages whose totals are not those of the campaign. The rows of the landing report usually have all visits, so it is
 * only noted if the campaign's own report shows that some are missing.
 *
 * @param tables of one answer of get_stats
 */
export function partialReportNotes(tables: readonly Table[]): Note[] {
  const costsOf = (name: string) => costsIn(tables.find((table) => rawText(table.name) === name));
  const [offer, landing] = [costsOf('offer'), costsOf('landing')];
  if (!offer && !landing) return [];
  const campaign = costsOf('campaign');
  return Object.entries({ offer, landing }).flatMap(([name, rows]): Note[] => {
    const report = name === 'offer' ? 'offer' : 'landing';
    if (!rows) return [];
    if (!campaign) return report === 'offer' ? [{ code: 'partial-report', report }] : [];
    const isWhole = rows.cost >= campaign.cost * (1 - minMissing);
    return isWhole ? [] : [{ code: 'partial-report', report, sums: { rows, campaign } }];
  });
}

/** Undefined without a readable cost and profit. */
function costsIn(table: Table | undefined): { readonly cost: number; readonly profit: number } | undefined {
  if (!table || table.rowCount === 0 || (rawText(table.name) === 'campaign' && isOfSeveral(table))) return undefined;
  try {
    const { cost, profit } = figuresOf(table).figures;
    return cost === undefined || profit === undefined ? undefined : { cost, profit };
  } catch (failure) {
    if (failure instanceof UnreadFailure) return undefined;
    throw failure;
  }
}
