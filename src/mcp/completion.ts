import type { CompleteResult, Server } from '@modelcontextprotocol/server';
import { type Endpoint, endpointNamed } from '../api/endpoints.ts';
import { shown } from '../api/text/tracker-text.ts';
import { type ListedCampaign, listCampaigns } from '../tools/campaigns.ts';
import type { ToolContext } from '../tools/define-tool.ts';
import { periodNames } from '../tools/period.ts';
import type { ContextOf } from './call-context.ts';

/** As many as the protocol lets an answer have. */
const maxValues = 100;

interface Candidate {
  readonly value: string;
  /** What a person may type to find it. */
  readonly words: string;
}

interface Source {
  /** What is asked of the tracker; without the tool for that nothing is completed. */
  readonly endpoint?: Endpoint;
  readonly candidates: (context: ToolContext) => Promise<readonly Candidate[]>;
}

/** What an argument of a prompt or a resource template can be, by its name. */
const sources: Readonly<Record<string, Source>> = {
  campaign: {
    endpoint: endpointNamed('list_campaigns'),
    candidates: async ({ client }) => {
      const campaigns = await listCampaigns(client);
      return campaigns.map((campaign) => ({ value: wordsOf(campaign).trim(), words: wordsOf(campaign) }));
    },
  },
  campaign_id: {
    endpoint: endpointNamed('list_campaigns'),
    candidates: async ({ client }) => {
      const campaigns = await listCampaigns(client);
      return campaigns.map((campaign) => ({ value: shown(campaign.id, maxWordLength), words: wordsOf(campaign) }));
    },
  },
  period: { candidates: async () => periodNames.map((period) => ({ value: period, words: period })) },
};

/** Longer than the name of a campaign that a person would type. */
const maxWordLength = 200;

function wordsOf({ id, name }: ListedCampaign): string {
  return `${shown(id, maxWordLength)} ${shown(name, maxWordLength)}`;
}

/** Completes arguments of prompts and resources; campaigns are found by ID and by any part of their name. */
export function serveCompletion(server: Server, contextOf: ContextOf): void {
  server.setRequestHandler('completion/complete', async ({ params }, request): Promise<CompleteResult> => {
    const context = contextOf(request);
    const { name, value } = params.argument;
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
    const isOffered = source && (!source.endpoint || context.guard.offers(source.endpoint));
    // A tracker that cannot be asked completes nothing; the call that follows will say why.
    const candidates = isOffered ? await source.candidates(context).catch(() => []) : [];
    const typed = value.trim().toLowerCase();
    const matching = candidates.filter(({ words }) => words.toLowerCase().includes(typed));
    const values = context.client.withoutKey(matching.slice(0, maxValues).map((candidate) => candidate.value));
    return { completion: { values, total: matching.length, hasMore: matching.length > maxValues } };
  });
}
