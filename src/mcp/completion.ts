import type { CompleteResult, Server } from '@modelcontextprotocol/server';
import { type Endpoint, endpointNamed } from '../api/endpoints.ts';
import { shown } from '../api/text/tracker-text.ts';
import { type ListedCampaign, listCampaigns } from '../tools/campaigns.ts';
import type { ToolContext } from '../tools/define-tool.ts';
import { periodNames } from '../tools/period.ts';
import type { Trackers } from '../tools/trackers/trackers.ts';
import type { TrackersOf } from './call-context.ts';

/** As many as the protocol lets an answer have. */
const maxValues = 100;

interface Candidate {
  readonly value: string;
  /** What a person may type to find it. */
  readonly words: string;
}

interface Source {
  /** What is asked of the tracker; without the tool for that nothing is completed. */
  readonly endpoint: Endpoint;
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
};

/** What an argument can be, whatever the tracker. */
function fixedValues(argument: string, trackers: Trackers): readonly string[] | undefined {
  if (argument === 'period') return periodNames;
  // With one tracker nobody has to name it.
  return argument === 'tracker' && !trackers.only ? trackers.names : undefined;
}

/** Longer than the name of a campaign that a person would type. */
const maxWordLength = 200;

function wordsOf({ id, name }: ListedCampaign): string {
  return `${shown(id, maxWordLength)} ${shown(name, maxWordLength)}`;
}

/** Completes arguments of prompts and resources; campaigns are found by ID and by any part of their name. */
export function serveCompletion(server: Server, trackersOf: TrackersOf): void {
  server.setRequestHandler('completion/complete', async ({ params }, request): Promise<CompleteResult> => {
    const { trackers } = trackersOf(request);
    const { name, value } = params.argument;
    const chosen = trackers.choice(params.context?.arguments?.['tracker']);
    const fixed = fixedValues(name, trackers)?.map((word) => ({ value: word, words: word }));
    const candidates = fixed ?? (await candidatesOf(name, chosen?.context));
    const typed = value.trim().toLowerCase();
    const matching = candidates.filter(({ words }) => words.toLowerCase().includes(typed));
    const shownValues = matching.slice(0, maxValues).map((candidate) => candidate.value);
    const values = chosen?.context.client.withoutKey(shownValues) ?? shownValues;
    return { completion: { values, total: matching.length, hasMore: matching.length > maxValues } };
  });
}

/** @param context the tracker that is asked; undefined where none is chosen yet */
async function candidatesOf(argument: string, context: ToolContext | undefined): Promise<readonly Candidate[]> {
  const source = Object.hasOwn(sources, argument) ? sources[argument] : undefined;
  if (!context || !source || !context.guard.offers(source.endpoint)) return [];
  // A tracker that cannot be asked completes nothing; the call that follows will say why.
  return source.candidates(context).catch(() => []);
}
