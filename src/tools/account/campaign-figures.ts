import { nameOf, readNumberColumns } from '../../analysis/columns/columns.ts';
import { type Measure, measureOf } from '../../analysis/columns/measures.ts';
import { findTotal } from '../../analysis/columns/tracker-total.ts';
import type { Table } from '../../api/table.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import type { CallContext } from '../define-tool.ts';
import { type Figures, type SummedMeasure, summedMeasures } from '../past-figures.ts';
import { type Days, today } from '../period.ts';

/**
 * The figures of one campaign, from its campaign report.
 *
 * @throws TrackerFailure where the tracker cannot be asked or refuses
 */
export async function readCampaignFigures(campaignId: string, days: Days, context: CallContext): Promise<Figures> {
  const { client, pastFigures, signal, timeZone, now } = context;
  const { start_date, end_date: end, timezone } = days;
  const question = [campaignId, start_date, end, timezone].join(' ');
  const at = now().getTime();
  // The tracker's day may be one behind ours.
  const isPast = end !== undefined && end < today(timeZone, new Date(at - 86_400_000));
  const known = isPast ? pastFigures?.find(question, at) : undefined;
  if (known) return known;
  const asked = {
    campaign_id: Number(campaignId),
    reports: ['campaign' as const],
    start_date,
    end_date: end,
    timezone,
  };
  const { tables } = (await client.read('get_stats', asked, { signal })).reply;
  const figures = figuresOf(tables.find(({ name }) => rawText(name) === 'campaign') ?? tables[0]);
  if (isPast) pastFigures?.keep(question, figures, at);
  return figures;
}

/** The figures that a campaign report shows: its only row, its total, or the sum of its rows. No rows are no visits. */
function figuresOf(table: Table | undefined): Figures {
  const figures: Figures = {};
  if (!table || table.rowCount === 0) {
    for (const measure of summedMeasures) figures[measure] = 0;
    return figures;
  }
  const numbers = readNumberColumns(table);
  const total = findTotal(table)?.index;
  for (const [index, { values }] of numbers) {
    const measure = measureOf(nameOf(table, index));
    if (!isSummed(measure) || figures[measure] !== undefined) continue;
    const known = total === undefined ? values.filter((value) => !Number.isNaN(value)) : values.slice(total, total + 1);
    if (known.length > 0) figures[measure] = known.reduce((sum, value) => sum + value, 0);
  }
  const { cost, revenue } = figures;
  if (figures.profit === undefined && cost !== undefined && revenue !== undefined) figures.profit = revenue - cost;
  return figures;
}

function isSummed(measure: Measure | undefined): measure is SummedMeasure {
  return summedMeasures.some((summed) => summed === measure);
}

/** The sum of several figures; a measure that one of them lacks is in the sum of the others. */
export function addFigures(all: Iterable<Figures>): Figures {
  const sum: Figures = {};
  for (const figures of all) {
    for (const measure of summedMeasures) {
      const value = figures[measure];
      if (value !== undefined) sum[measure] = (sum[measure] ?? 0) + value;
    }
  }
  return sum;
}
