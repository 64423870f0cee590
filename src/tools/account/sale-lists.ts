import type { WhyCut } from '../../answer/visit-notes.ts';
import type { Table } from '../../api/table.ts';
import { attempt } from '../asking.ts';
import { readCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { earlier, shiftDays, today } from '../period.ts';
import type { IsMeant } from './listed-sales.ts';
import { missingIn, newLimits, readVisitsInSlices, type Span, wholeSalesOptions } from './read-visits.ts';

/** The days of sales from which delays are learned. */
export const learnedDays = 31;

/** A span that ended longer ago is assumed to have all its sales. */
const maxAge = 14;

/** The part of a call's time for a list. */
const maxPart = 1 / 3;

export interface SalesQuestion {
  /** [0] is all. */
  readonly campaigns: readonly number[];
  /** The days whose late sales are asked for. */
  readonly span: Span;
  /** The first day whose sales are asked for, too. */
  readonly since?: string;
}

/** Conversions, as far as they could be read. */
export interface SaleList {
  readonly tables: readonly Table[];
  /** Why they are not whole; undefined if they are. */
  readonly gap: WhyCut | undefined;
  readonly unreadDays: readonly string[];
}

/** The conversions of the last month, or of days long ago and the month after them, and those since a day. */
export interface SaleLists extends SaleList {
  readonly isMeant: IsMeant;
  /** The one campaign that all of these sales are of, by its ID; undefined if they say it. */
  readonly campaign: string | undefined;
}

/** Whether all sales of some days are assumed to be in. */
export const isLongAgo = ({ end }: Span, { timeZone, now }: CallContext): boolean =>
  end < shiftDays(today(timeZone, now()), -maxAge);

/**
 * Reads conversions. All campaigns are in one list, so that each answer has the same figures; that of a campaign is asked for if the
 * other is cut off or does not name campaigns.
 * @param ofAll the list of all campaigns, if it is known
 */
export async function readSaleLists(
  { campaigns, span, since }: SalesQuestion,
  context: CallContext,
  ofAll?: SaleList,
): Promise<SaleLists> {
  const now = today(context.timeZone, context.now());
  const isOld = isLongAgo(span, context);
  const [start, end] = [shiftDays(now, -learnedDays), shiftDays(now, 1)];
  const asked = {
    start: earlier(since ?? start, isOld ? span.start : start),
    end: isOld ? earlier(shiftDays(span.end, learnedDays), end) : end,
  };
  const [id = 0, ...others] = campaigns;
  if (others.length === 0 && id !== 0) {
    const campaign = String(id);
    const all = ofAll ?? (await readSaleList(0, asked, context, { maxSlices: 1 }));
    const isNamed = all.tables.every((table) => table.rowCount === 0 || hasCampaignIds(table));
    if (all.gap === undefined && isNamed) return { ...all, isMeant: (one) => one === campaign, campaign: undefined };
    return { ...(await readSaleList(id, asked, context)), isMeant: isAny, campaign };
  }
  const lists = ofAll ? [ofAll] : await Promise.all(campaigns.map((one) => readSaleList(one, asked, context)));
  return {
    tables: lists.flatMap(({ tables }) => tables),
    gap: lists.find(({ gap }) => gap)?.gap,
    unreadDays: lists.flatMap(({ unreadDays }) => unreadDays),
    ...{ isMeant: isAny, campaign: undefined },
  };
}

/**
 * The conversions of a campaign (0 is all), with all columns: the default ones may lack the date of the visit. They may take a part of
 * the call's time.
 * @param isNeeded whether they may take all of it
 * @throws TrackerFailure if they are needed, and cannot be read
 */
export async function readSaleList(
  campaign: number,
  span: Span,
  context: CallContext,
  { maxSlices, isNeeded = false }: { readonly maxSlices?: number; readonly isNeeded?: boolean } = {},
): Promise<SaleList> {
  const tables: Table[] = [];
  const part = Math.min(context.client.timeoutMs * maxPart, context.client.leftMs);
  const limits = newLimits(context, isNeeded ? undefined : performance.now() + part);
  const options = { ...wholeSalesOptions, ...(maxSlices ? { maxSlices } : {}), limits, reuse: true, quick: !isNeeded };
  const quiet = { ...context, onProgress: undefined };
  const take = (table: Table) => tables.push(table);
  const { answer, failure } = await attempt(
    () => readVisitsInSlices(String(campaign), span, undefined, quiet, take, options),
    context,
  );
  if (failure && isNeeded) throw failure;
  // The lists of other campaigns still count.
  if (!answer) return { tables: [], unreadDays: [], gap: { because: 'failure', failure: failure?.happened ?? '' } };
  // A day that is cut off still has a sample of its sales.
  const gap: WhyCut | undefined = missingIn(answer).length > 0 ? { because: 'cut' } : undefined;
  return { tables, unreadDays: answer.unreadDays, gap };
}

export const isAny: IsMeant = () => true;

const hasCampaignIds = (table: Table) => readCampaigns(table)?.values.some(({ id }) => id !== null) === true;
