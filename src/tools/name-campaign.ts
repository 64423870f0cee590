import { endpointNamed } from '../api/endpoints.ts';
import { maxNameLength } from '../api/text/clean-text.ts';
import { rawText, shown } from '../api/text/tracker-text.ts';
import { listCampaigns } from './campaigns.ts';
import type { CallContext } from './define-tool.ts';
import { askQuickly } from './rotation/ask-quickly.ts';

const list = endpointNamed('list_campaigns');

/**
 * The name of the campaign that a call is about, for a view to stand under; a model has no need of it. It is asked for beside
 * the call, and kept for a while as lists are.
 *
 * @param given the arguments as they came, of any shape
 * @returns undefined where the call is about none, or the tracker does not tell: a name is not worth a failure
 */
export async function nameCampaign(given: unknown, context: CallContext): Promise<string | undefined> {
  const id = (given as { campaign_id?: unknown } | undefined)?.campaign_id;
  if (id === undefined || !context.guard.offers(list)) return undefined;
  try {
    const campaigns = await askQuickly(context, ({ client, signal }) => listCampaigns(client, signal));
    const found = campaigns.find((campaign) => rawText(campaign.id) === String(id));
    return (found && shown(found.name, maxNameLength)) || undefined;
  } catch {
    return undefined;
  }
}
