import { VisitGroups } from '../../analysis/visit-groups.ts';
import { optional } from '../asking.ts';
import { type ListedCampaign, listCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { labelsByCampaign, type TokenLabels } from '../tokens.ts';
import { readAccountVisits } from './account-visits.ts';
import {
  addVisits,
  type Breakdown,
  needsLabels,
  needsSales,
  present,
  salesNotices,
  sameNameNotices,
} from './break-down-visits.ts';
import { campaignsIn } from './campaign-of-row.ts';
import type { Span } from './read-visits.ts';
import { cutsOf, needsCampaigns, tokenNotices, tokensIn } from './visit-cuts.ts';

/**
 * The visits of all campaigns, cut.
 * @throws Failure if nothing can be read, or the lists do not carry what they are to be cut by
 */
export async function byAccount(asked: readonly string[], span: Span, context: CallContext): Promise<Breakdown> {
  const listing = optional(() => listCampaigns(context.client, context.signal), context).then((list) => list ?? []);
  const labelled = async () =>
    (needsLabels(asked) && (await optional(async () => labelsByCampaign(await listing, context), context))) ||
    new Map<ListedCampaign, TokenLabels>();
  const [{ campaigns, lists, sales, notices }, labels] = await Promise.all([
    readAccountVisits({ span, listing, needsCampaigns: needsCampaigns(asked), needsSales: needsSales(asked) }, context),
    labelled(),
  ]);
  const groups = new VisitGroups();
  for (const { table, campaignOf, sales: sold } of lists) {
    const cuts = cutsOf({ asked, labels, sales: sold }, () => campaignOf);
    addVisits(groups, table, cuts, sold, tokensIn(labels));
  }
  const question = { asked, labels, sales };
  return present(groups, cutsOf(question, campaignsIn(campaigns)), new Map(), [
    ...notices,
    ...salesNotices(sales),
    ...tokenNotices(groups, question),
    ...sameNameNotices(asked, [...labels.values()]),
  ]);
}
