import { labelsOf } from '../../analysis/token-labels.ts';
import { endpointNamed } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import { plainName } from '../../api/text/names.ts';
import { rawCell, rawText, shown } from '../../api/text/tracker-text.ts';
import { listCampaigns, listRecords } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';

/** What the slots of a campaign's tokens are called, fit to be shown: slot -> label. */
export type TokenLabels = ReadonlyMap<string, string>;

/** A label is a few words. */
const maxLabelLength = 60;

/**
 * What the traffic source of a campaign calls its token slots. A tracker that does not say so, or cannot be asked, has no
 * labels: they help to read an answer and never keep it away.
 */
export async function tokenLabels(campaignId: number, context: CallContext): Promise<TokenLabels> {
  const { client, guard, signal } = context;
  const campaigns = endpointNamed('list_campaigns');
  const sources = endpointNamed('list_traffic_sources');
  try {
    if (!guard.offers(campaigns)) return new Map();
    const campaign = (await listCampaigns(client, signal)).find(({ id }) => rawText(id) === String(campaignId));
    if (!campaign) return new Map();
    const own = labelsOf(campaign.fields);
    const sourceName = rawCell(campaign.source);
    if (own.size > 0 || sourceName === null || !guard.offers(sources)) return fitToShow(own);
    const listed = await listRecords(client, 'list_traffic_sources', signal, {});
    const source = listed.find(({ id, name }) => rawText(name) === sourceName || rawText(id) === sourceName);
    return fitToShow(source ? labelsOf(source.fields) : own);
  } catch (error) {
    if (!(error instanceof Failure) || signal?.aborted) throw error;
    return new Map();
  }
}

function fitToShow(labels: ReturnType<typeof labelsOf>): TokenLabels {
  return new Map([...labels].map(([slot, label]) => [slot, shown(label, maxLabelLength)]));
}

/** The labels of the campaign that a call is about, read once, and only where something needs them. */
export function labelsOnDemand(campaignId: number | undefined, context: CallContext): () => Promise<TokenLabels> {
  let labels: Promise<TokenLabels> | undefined;
  return () => {
    labels ??= campaignId ? tokenLabels(campaignId, context) : Promise.resolve(new Map());
    return labels;
  };
}

/** The slot that goes by a label, whatever its letter case and separators; undefined where none does. */
export function slotLabelled(label: string, labels: TokenLabels): string | undefined {
  const plain = plainName(label);
  return [...labels].find(([, own]) => plainName(own) === plain)?.[0];
}
