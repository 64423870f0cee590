import type { PageRow } from '../../analysis/page-rows.ts';
import type { SalesToCome } from '../../analysis/sale-delay.ts';
import type { Comparison } from '../../analysis/statistics/compare-pages.ts';
import type { Forecast } from '../../analysis/statistics/evidence.ts';
import { sum } from '../../analysis/statistics/history.ts';
import { splitShares } from '../../analysis/statistics/shares.ts';
import type { Valuation } from '../../analysis/valued-sales.ts';
import { obstacleWords, roundPercent, roundTo, sayDecision, tooLong } from '../../answer/decision.ts';
import type { Note, NoteOf, Notice } from '../../answer/notes.ts';
import { maxWait } from '../../answer/page-notes.ts';
import type { JsonRecord, Query } from '../define-tool.ts';
import { shortName } from './cells.ts';

export interface Compared {
  readonly query: Query;
  /** The first day, YYYY-MM-DD. */
  readonly since: string;
  /** In the order of the comparison's pages. */
  readonly pages: readonly PageRow[];
  readonly comparison: Comparison;
  /** The same by the number of conversions alone. */
  readonly byConversions: Comparison;
  /** Whether single days were needed, and could not be read or did not add up. */
  readonly areDaysMissing: boolean;
  /** Undefined if the list does not show how late sales come. */
  readonly toCome: SalesToCome | undefined;
  /** Pages whose sales are valued at another payout than they had. */
  readonly valuations?: ReadonlyMap<PageRow, Valuation>;
  /** The currency code of money, if known. */
  readonly currency: string | undefined;
  readonly notices: readonly Notice[];
}

/** Which page is ahead, how far, how certain that is, and what is still missing; its headline is for views. */
export function decide(compared: Compared) {
  const { pages, comparison, since } = compared;
  const { verdict, basis, leader, lead, needed, breakEven, decisiveSale, leftOut } = comparison;
  const shown = pages.map((page, index) => ({
    ...page,
    name: shortName(page.name),
    chance: comparison.pages[index]?.chance ?? 0,
  }));
  const [page, over, hardest] = [leader, comparison.runnerUp, comparison.weakest].map((index) => shown[index]);
  if (!page || !over || !hardest) throw new TypeError('a page was not compared');
  const namesOf = (some: typeof shown) => some.map(({ name }) => name);
  return {
    kind: verdict === 'clear' ? ('leader' as const) : ('no decision yet' as const),
    verdict,
    basis,
    page_id: page.pageId,
    name: page.name,
    ...sayDecision({
      ...comparison,
      ...{ currency: compared.currency, page, over, hardest },
      likelier: namesOf(shown.filter(({ chance }) => chance > page.chance)),
      behind: namesOf(comparison.behind.flatMap((index) => shown[index] ?? [])),
      daysLeftOut: new Set([...leftOut.changed, ...leftOut.late]).size,
    }),
    evidence_percent: Math.floor(comparison.evidencePercent),
    lead: {
      over: over.name,
      over_page_id: over.pageId,
      percent: roundPercent(lead.percent),
      low: roundPercent(lead.low),
      high: roundPercent(lead.high),
      ...(decisiveSale
        ? {
            decisive_sale: roundTo(decisiveSale.amount, 12),
            percent_without_it: roundPercent(decisiveSale.leadWithout),
          }
        : {}),
    },
    ...(breakEven
      ? {
          break_even: {
            pays_less_percent: roundPercent(breakEven.percent),
            so_far_percent: roundPercent(breakEven.soFarPercent),
          },
        }
      : {}),
    ...(verdict === 'clear'
      ? {}
      : {
          needed: {
            if_lead_stays:
              presentForecast(needed.ifLeadStays) ?? (needed.obstacle ? obstacleWords[needed.obstacle] : null),
            if_lead_halves: presentForecast(needed.ifLeadHalves),
            ...(hardest === over ? {} : { over: hardest.name }),
          },
        }),
    waiting_cost_per_day: roundAmount(comparison.waitingCostPerDay),
    risk_today_per_day: roundAmount(comparison.riskPerDay),
    since,
    days: comparison.dayCount,
  };
}

/** An estimate has two digits, and no fractions of a cent. */
function roundAmount(amount: number): number {
  return roundTo(Math.round(amount * 100) / 100, 2);
}

export function presentForecast(forecast: Forecast | null): Record<string, number> | string | null {
  if (!forecast) return null;
  if (forecast.days > maxWait) return `not ${tooLong}`;
  const { views, days, low, high } = forecast;
  return { views: roundTo(views, 2), days: roundTo(days, 2), days_low: roundTo(low, 2), days_high: roundTo(high, 2) };
}

export type Call = Readonly<{ tool: string; arguments: JsonRecord }>;

interface RecommendedPage {
  readonly page_id: string | null;
  readonly name: string;
  readonly share: number | null;
  readonly recommended_share: number;
}

/** The calls that would set the recommended shares, or why there are none. */
export function recommendShares(
  { campaign_id, tracker }: Query,
  pages: readonly RecommendedPage[],
  { verdict, lacks, behind }: Comparison,
): { calls: readonly Call[]; notices: readonly Note[] } {
  const none = (note: Note) => ({ calls: [], notices: [note] });
  if (verdict === 'too early' && behind.length === 0) return none({ code: 'leave-shares', because: 'too early' });
  const obstacle = whyNoCalls(pages);
  if (obstacle) return none(obstacle);
  const present = pages.map(({ share }) => share);
  const recommended = pages.map(({ recommended_share }) => recommended_share);
  const split = splitShares(present, recommended);
  const shares = split ?? recommended;
  const total = sum(shares);
  // A change of less than a hundredth of the traffic is not worth a write.
  if (split?.every((share, index) => Math.abs(share - (present[index] ?? 0)) < total / 100))
    return none({ code: 'leave-shares', because: verdict === 'leaning' ? 'less than a percent' : 'as recommended' });
  const changed = pages.flatMap(({ page_id }, index) => {
    const share = shares[index] ?? 0;
    return split && share === present[index] ? [] : [{ page_id: Number(page_id), share }];
  });
  const campaign = { ...(tracker === undefined ? {} : { tracker }), campaign_id: Number(campaign_id) };
  const rounded = roundTo(total, 6);
  return {
    calls: [{ tool: 'set_shares', arguments: { ...campaign, shares: changed } }],
    notices: [
      ...(split && rounded !== 100 ? [{ code: 'shares-add-up', total: rounded } as const] : []),
      ...(verdict === 'too early' ? [{ code: 'call-leaves-split' } as const] : []),
      ...(verdict !== 'too early' && lacks.length > 0
        ? [{ code: 'call-is-no-verdict', most: mostGained(pages, shares) } as const]
        : []),
    ],
  };
}

/** The page that gets most more of the traffic, and the percent of it that it has now and then; undefined if shares are not known. */
function mostGained(pages: readonly RecommendedPage[], shares: readonly number[]) {
  const present = pages.flatMap(({ share }) => share ?? []);
  const [now, then] = [sum(present), sum(shares)];
  if (present.length < pages.length || now === 0 || then === 0) return undefined;
  const gains = pages.map(({ name, share }, index) => ({
    ...{ page: name, from: (100 * (share ?? 0)) / now, to: (100 * (shares[index] ?? 0)) / then },
  }));
  return gains.toSorted((one, other) => other.to - other.from - (one.to - one.from)).at(0);
}

/** Why no calls can be given. Calls for only some of the pages would split the traffic in a way that is not recommended. */
function whyNoCalls(pages: readonly RecommendedPage[]): Note | undefined {
  const ids = pages.map(({ page_id }) => page_id);
  const because = (why: NoteOf<'no-calls'>['because'], isMeant: (id: string | null) => boolean = () => false): Note => {
    const meant = pages.filter(({ page_id }) => isMeant(page_id)).map(({ name }) => name);
    return { code: 'no-calls', because: why, pages: meant };
  };
  if (ids.every((id) => id === null)) return because('no IDs');
  if (ids.includes(null)) return because('an ID is missing', (id) => id === null);
  if (new Set(ids).size < ids.length) return because('same ID');
  const isTooLarge = (id: string | null) => !Number.isSafeInteger(Number(id));
  return ids.some(isTooLarge) ? because('ID too large', isTooLarge) : undefined;
}
