import { joinWords } from '../api/rules.ts';
import { mention, rawCell } from '../api/text/tracker-text.ts';
import { fieldNamed, namesOf } from '../api/vocabulary.ts';
import type { ListedCampaign } from './campaigns.ts';

/**
 * Where the cost of a campaign comes from: each view costs what its link carries, such as `cost={cpc}`, else the campaign's bid
 * (docs/tracker-facts.md).
 */

/** A parameter that may carry a cost, by its name or by what the traffic source puts there. */
const perhapsCost = /[?&][^&=#]*(?:cost|bid|price|cp[acmv])[^&=#]*=|=[^&#]*(?:cost|bid|price|cp[acmv])/i;

/** Whether the link carries a cost of its own; undefined if what the list shows of it does not say. */
function carriesCost({ fields }: ListedCampaign): boolean | undefined {
  const url = rawCell(fieldNamed(fields, namesOf('listed', 'url')));
  if (fieldNamed(fields, namesOf('listed', 'costParameter')) !== null || /[?&]cost=/i.test(url ?? '')) return true;
  return url === null || perhapsCost.test(url) ? undefined : false;
}

/** What to know before a bid is changed. */
export function idleBidNotice(campaign: ListedCampaign): string[] {
  return carriesCost(campaign) === true
    ? ['This campaign’s link carries its own cost, so the bid counts only for visits that come without one.']
    : [];
}

const maxListed = 10;

/** What rests on the cost. */
const costColumn = /cost|profit|roi|cp[avc]/i;

/**
 * What to know of the cost of these campaigns if their links carry none: it is no more than what was entered.
 * @param columns those that are shown, if they were chosen
 */
export function enteredCostNotice(
  campaigns: readonly ListedCampaign[],
  columns: readonly string[] = ['Cost'],
): string[] {
  if (!columns.some((column) => costColumn.test(column))) return [];
  const ids = campaigns.filter((campaign) => carriesCost(campaign) === false).map(({ id }) => mention(id, 20));
  if (ids.length === 0) return [];
  if (ids.length === campaigns.length) return ['Cost is the entered bid for each view: no link carries a cost.'];
  const rest = ids.length > maxListed ? [`${ids.length - maxListed} more`] : [];
  const which = joinWords([...ids.slice(0, maxListed), ...rest], 'and');
  return [
    `The cost of ${ids.length === 1 ? 'campaign' : 'campaigns'} ${which} is the entered bid: no link carries it.`,
  ];
}
