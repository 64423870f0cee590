import type { CompleteResult, Server } from '@modelcontextprotocol/server';
import { endpointNamed } from '../api/endpoints.ts';
import { shown } from '../api/text/tracker-text.ts';
import { listCampaigns } from '../tools/campaigns.ts';
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

function fixedValues(argument: string, trackers: Trackers): readonly string[] | undefined {
  if (argument === 'period') return periodNames;
  // One tracker need not be named.
  return argument === 'tracker' && !trackers.only ? trackers.names : undefined;
}

/** Longer than the name of a campaign that a person would type. */
const maxWordLength = 200;

/** What is asked of the tracker; without the tool for that nothing is completed. */
const campaignList = endpointNamed('list_campaigns');

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

/** @param context the tracker that is asked; undefined if none is chosen yet */
async function candidatesOf(argument: string, context: ToolContext | undefined): Promise<readonly Candidate[]> {
  if ((argument !== 'campaign' && argument !== 'campaign_id') || !context?.guard.offers(campaignList)) return [];
  // A tracker that cannot be asked completes nothing; the call that follows will say why.
  const campaigns = await listCampaigns(context.client).catch(() => []);
  return campaigns.map(({ id, name }) => {
    const words = `${shown(id, maxWordLength)} ${shown(name, maxWordLength)}`;
    return { value: argument === 'campaign' ? words.trim() : shown(id, maxWordLength), words };
  });
}
