import { Failure } from '../../api/failure.ts';
import { askMany, type Outcome } from '../asking/ask-many.ts';
import { askQuickly } from '../asking/ask-quickly.ts';
import type { CallContext } from '../define-tool.ts';
import type { Figures } from '../past-figures.ts';
import { lengthInDays, shiftDays } from '../period.ts';
import type { DaysBefore } from '../present/for-views.ts';
import { readCampaignFigures } from './campaign-figures.ts';
import { figureColumns } from './figure-columns.ts';
import type { Span } from './read-visits.ts';

/** The figures of one day. */
export interface Day {
  readonly day: string;
  readonly outcome: Outcome<Figures>;
}

/** Reads the campaign report of each day, which every tracker has. */
export async function readDays(
  campaignId: string,
  { start, end }: Span,
  context: CallContext,
): Promise<readonly Day[]> {
  const days = Array.from({ length: lengthInDays(start, end) }, (_, index) => shiftDays(start, index));
  const read = (day: string) => readCampaignFigures(campaignId, { start_date: day, end_date: day }, context);
  const outcomes = await askMany(days, read, context, 'days read');
  return days.map((day, index) => ({ day, outcome: outcomes[index] ?? { kind: 'not-asked' } }));
}

/** A view draws no more days than these behind others: each is a question to the tracker. */
const maxDaysBefore = 31;

/**
 * As many days before, which a view draws behind those of the call. They take a third of the call's time at most, and where they
 * cannot be read the answer is without them.
 */
export async function readDaysBefore(
  campaignId: string,
  { start, end }: Span,
  context: CallContext,
): Promise<DaysBefore | undefined> {
  const apart = lengthInDays(start, end);
  if (apart > maxDaysBefore) return undefined;
  const before = { start: shiftDays(start, -apart), end: shiftDays(end, -apart) };
  const unseen = { ...context, onProgress: undefined };
  try {
    const days = await askQuickly(unseen, (quick) => readDays(campaignId, before, quick));
    const known = days.flatMap(({ day, outcome }) =>
      outcome.kind === 'answer' ? [[day, outcome.value] as const] : [],
    );
    const figures = known.map(([day, value]) => [day, figureColumns.map(({ cell }) => numberOf(cell(value)))]);
    return { apart, columns: figureColumns.map(({ name }) => name), days: Object.fromEntries(figures) };
  } catch (error) {
    if (error instanceof Failure && !context.signal?.aborted) return undefined;
    throw error;
  }
}

function numberOf(cell: string | null): number | null {
  return cell === null ? null : Number(cell);
}
