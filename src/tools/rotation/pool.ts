import { pairCoded } from '../../analysis/coded.ts';
import type { PlacedPage } from '../../analysis/page-rows.ts';
import { sum } from '../../analysis/statistics/history.ts';
import { readerOf } from '../../analysis/visit-dimensions.ts';
import type { WhyNoPool } from '../../answer/write-notes.ts';
import type { Table } from '../../api/table.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import { fieldNamed, namesOf } from '../../api/vocabulary.ts';
import { askMany, askQuickly, attempt } from '../asking.ts';
import type { ListedCampaign } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { shiftDays, today } from '../period.ts';

/** Whether landing pages and offers of a campaign compete for the same visitors, or why that is not known. */
export type Pool = 'one' | 'apart' | WhyNoPool;

/** The visits that reached a page, and those of them that came to an offer without a landing page. */
export interface Arrivals {
  readonly all: number;
  readonly direct: number;
}

/** If fewer of the visitors come to an offer without a landing page, the two do not compete for visitors. */
const minDirect = 0.01;

/** Of so many visitors some come directly, if an offer gets more than a few percent of them. */
const minVisits = 100;

/** So many of the latest visits show how visitors come. */
const askedVisits = 500;

/** A report may show only pages that had visits; this many days show all that matter. */
export const reportDays = 30;

/** Max campaigns of an account whose visits are asked for. */
const maxAsked = 20;

/** Whether a campaign is of the type that may send some visitors straight to an offer. */
export function mayComeDirectly(campaign: ListedCampaign | undefined): boolean {
  const type = rawCell(fieldNamed(campaign?.fields ?? [], namesOf('listed', 'type'))) ?? '';
  return /direct/i.test(type) && /landing/i.test(type);
}

/** Whether landing pages and offers of a campaign are one pool, by how its visitors came, however few they are. */
export const isOnePool = (campaign: ListedCampaign | undefined, arrivals: Arrivals): boolean =>
  mayComeDirectly(campaign) && poolOf(arrivals) === 'one';

/** What the visits of a campaign show whose visitors may come directly. */
function poolOf({ all, direct }: Arrivals): Pool {
  if (direct > 0 && direct >= minDirect * all) return 'one';
  return all >= minVisits ? 'apart' : { because: 'few visits' };
}

/** A campaign with its landing pages and offers. */
interface WithPages {
  readonly campaign: ListedCampaign | undefined;
  readonly pages: readonly Pick<PlacedPage, 'kind'>[];
}

const needsVisits = ({ campaign, pages }: WithPages): boolean =>
  mayComeDirectly(campaign) && new Set(pages.map(({ kind }) => kind)).size > 1;

/** Asks for the latest visits of a campaign, if only they show it. */
export async function readPool(of: WithPages, context: CallContext): Promise<Pool> {
  const id = of.campaign && needsVisits(of) ? rawText(of.campaign.id) : undefined;
  if (id === undefined) return 'apart';
  const { start, end } = daysBack(context, reportDays);
  const asked = { campaign_id: Number(id), start_date: start, end_date: end, column_set: 'all' } as const;
  const ask = ({ client, signal }: CallContext) =>
    client.read('list_visitors', { ...asked, max_records: askedVisits }, { signal, reuse: true, takesParts: true });
  const { answer, failure } = await attempt(() => askQuickly(context, ask), context);
  if (failure) return { because: 'visits refused', failure: failure.message };
  const arrivals = answer?.reply.tables.map(arrivalsIn) ?? [];
  const count = (of: keyof Arrivals) => sum(arrivals.map((one) => one?.[of] ?? 0));
  return arrivals.includes(undefined)
    ? { because: 'no pages in list' }
    : poolOf({ all: count('all'), direct: count('direct') });
}

/**
 * The same of several campaigns, those that are first if they are many.
 * @param deadline by performance.now
 */
export async function readPools<Campaign extends WithPages>(
  campaigns: readonly Campaign[],
  context: CallContext,
  deadline: number,
): Promise<ReadonlyMap<Campaign['campaign'], Pool>> {
  const asked = campaigns.filter(needsVisits).slice(0, maxAsked);
  const outcomes = await askMany(asked, readPool, context, 'campaigns read', deadline);
  const poolIn = (one: Campaign): Pool => {
    if (!needsVisits(one)) return 'apart';
    const outcome = outcomes[asked.indexOf(one)];
    if (!outcome) return { because: 'many campaigns' };
    return outcome.kind === 'answer' ? outcome.value : { because: 'no time' };
  };
  return new Map(campaigns.map((one) => [one.campaign, poolIn(one)]));
}

/** Undefined if a list does not have its pages. */
function arrivalsIn(table: Table): Arrivals | undefined {
  const [landing, offer] = [readerOf('landing_page')(table), readerOf('offer')(table)];
  if (!landing || !offer) return table.rowCount === 0 ? { all: 0, direct: 0 } : undefined;
  const { codes, values } = pairCoded(landing, offer, (before, reached) =>
    before != null ? 'all' : reached != null ? 'direct' : 'none',
  );
  const counts = { all: 0, direct: 0, none: 0 };
  for (let row = 0; row < table.rowCount; row += 1) counts[values[codes[row] ?? 0] ?? 'none'] += 1;
  return { all: counts.all + counts.direct, direct: counts.direct };
}

/** Some days up to now. The tracker's day may be one ahead of ours. */
export function daysBack(
  { timeZone, now }: CallContext,
  days: number,
): { readonly start: string; readonly end: string } {
  const end = shiftDays(today(timeZone, now()), 1);
  return { start: shiftDays(end, -days), end };
}
