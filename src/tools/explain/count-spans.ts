import type { VisitsOfList } from '../../analysis/profit-change.ts';
import type { Money } from '../../analysis/sale-status.ts';
import type { Notice } from '../../answer/notes.ts';
import type { Coded } from '../../api/cells.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import { cutNote, heldNote, noStates } from '../account/held-money.ts';
import type { Span } from '../account/read-visits.ts';
import type { ListedVisits } from '../account/unlisted-views.ts';
import { type ListedCampaign, namedCampaign } from '../campaigns.ts';

/** The visits of a list that are in one of two spans. */
interface CountedList extends Pick<VisitsOfList, 'rows' | 'isAfter' | 'amounts'> {
  readonly campaigns: Coded<ListedCampaign | undefined>;
}

/** The visits of each campaign in each span. @param campaignId 0 is all */
export function countByCampaign(
  campaignId: number,
  lists: readonly CountedList[],
  { before, after }: { readonly before: Span; readonly after: Span },
): ListedVisits[] {
  const counts = new Map<ListedCampaign | undefined, [before: number, after: number]>();
  for (const list of lists) {
    const { values } = list.campaigns;
    for (const [code, [earlier, later]] of countByCode(list)) {
      const count = counts.get(values[code]) ?? [0, 0];
      counts.set(values[code], count);
      count[0] += earlier;
      count[1] += later;
    }
  }
  return [...counts].flatMap(([campaign, [earlier, later]]) => {
    if (campaignId === 0 && !campaign) return [];
    const id = campaign ? rawText(campaign.id) : String(campaignId);
    const named = campaign && namedCampaign(campaign);
    return [
      { id, campaign: named, span: before, count: earlier },
      { id, campaign: named, span: after, count: later },
    ];
  });
}

/** The visits of each code in each span, in the order of their first visits. */
function countByCode({ rows, isAfter, campaigns }: CountedList): (readonly [number, readonly [number, number]])[] {
  const { codes, values } = campaigns;
  const [before, after] = [new Uint32Array(values.length), new Uint32Array(values.length)];
  const seen: number[] = [];
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? 0;
    const code = codes[row] ?? 0;
    if (before[code] === 0 && after[code] === 0) seen.push(code);
    const counts = isAfter[row] === 1 ? after : before;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return seen.map((code) => [code, [before[code] ?? 0, after[code] ?? 0]]);
}

/** In the order of their first visits. */
export const visitedCampaigns = (lists: readonly CountedList[]): ReadonlySet<ListedCampaign | undefined> =>
  new Set(lists.flatMap((list) => countByCode(list).map(([code]) => list.campaigns.values[code])));

/**
 * What of the later days’ revenue is held.
 * @throws Failure if `paid` or `expected` cannot be told
 */
export function heldAfter(lists: readonly CountedList[], money: Money): readonly Notice[] {
  const { sold, revenue } = soldAfter(lists);
  const sales = sold.flatMap(({ amounts, row }) => amounts.held?.of(row) ?? []);
  const hasStatuses = lists.some(({ amounts }) => amounts.held);
  if (money.state !== 'booked' && revenue > 0 && !hasStatuses)
    throw noStates('explain_change', money.listed?.why ?? 'no statuses');
  return hasStatuses ? heldNote(revenue, money, sales, 'list_visitors') : cutNote(money);
}

/** The visits of the later days that sold, and what all of these days brought. Only the loop: it is compiled in each call. */
function soldAfter(lists: readonly CountedList[]) {
  const sold: (Pick<CountedList, 'amounts'> & { readonly row: number })[] = [];
  let revenue = 0;
  for (const { rows, isAfter, amounts } of lists) {
    for (let index = 0; index < rows.length; index += 1) {
      const row = rows[index] ?? 0;
      if (isAfter[row] !== 1) continue;
      revenue += amounts.revenue[row] ?? 0;
      if ((amounts.conversions[row] ?? 0) > 0) sold.push({ amounts, row });
    }
  }
  return { sold, revenue };
}
