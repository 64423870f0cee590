import { labelsOf } from '../analysis/token-labels.ts';
import { endpointNamed } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import { plainName } from '../api/text/plain-name.ts';
import { listCampaigns, listRecords } from './campaigns.ts';
import type { CallContext } from './define-tool.ts';

/**
 * What the traffic source of a campaign calls its token slots: slot -> label. A tracker that does not say so, or cannot be
 * asked, has no labels: they help to read an answer and never keep it away.
 */
export async function tokenLabels(campaignId: number, context: CallContext): Promise<ReadonlyMap<string, string>> {
  const { client, guard, signal } = context;
  const campaigns = endpointNamed('list_campaigns');
  const sources = endpointNamed('list_traffic_sources');
  try {
    if (!guard.offers(campaigns)) return new Map();
    const campaign = (await listCampaigns(client, signal)).find(({ id }) => id === String(campaignId));
    if (!campaign) return new Map();
    const own = labelsOf(campaign.fields);
    if (own.size > 0 || campaign.source === null || !guard.offers(sources)) return own;
    const listed = await listRecords(client, sources, signal);
    const source = listed.find(({ id, name }) => name === campaign.source || id === campaign.source);
    return source ? labelsOf(source.fields) : own;
  } catch (error) {
    if (!(error instanceof Failure) || signal?.aborted) throw error;
    return new Map();
  }
}

/** The slot that goes by a label, whatever its letter case and separators; undefined where none does. */
export function slotLabelled(label: string, labels: ReadonlyMap<string, string>): string | undefined {
  const plain = plainName(label);
  return [...labels].find(([, own]) => plainName(own) === plain)?.[0];
}
