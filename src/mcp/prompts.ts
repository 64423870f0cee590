import {
  type CompleteResult,
  type GetPromptResult,
  type Prompt as ListedPrompt,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from '@modelcontextprotocol/server';
import { endpointNamed } from '../api/endpoints.ts';
import { cleanText, maxNameLength } from '../api/text/clean-text.ts';
import { foldedText } from '../api/text/names.ts';
import { fromTracker, quoted, shown } from '../api/text/tracker-text.ts';
import { listCampaigns } from '../tools/campaigns.ts';
import type { ToolContext } from '../tools/define-tool.ts';
import { periodNames } from '../tools/period.ts';
import type { Trackers } from '../tools/trackers.ts';
import type { TrackersFor } from './call-context.ts';

interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /** Used if the person leaves it empty. */
  readonly fallback?: string;
}

/** A ready-made request that a person picks in their client. Its texts are part of the interface. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  readonly ask: (given: Readonly<Record<string, string>>) => string;
}

const campaign = { name: 'campaign', description: 'Campaign by ID or name', required: true };
const period = (fallback: (typeof periodNames)[number]): PromptArgument => ({
  name: 'period',
  description: `One of ${periodNames.join(', ')}; default ${fallback}`,
  required: false,
  fallback,
});

const prompts: readonly Prompt[] = [
  {
    name: 'morning-review',
    title: 'What needs me today?',
    description: 'What needs attention over all campaigns, and why profit of the largest changed',
    arguments: [],
    ask: () =>
      `Tell me what needs me today.
1. Call review_account.
2. Call explain_change with the campaign_id of the finding with most money a day. Skip this if there is none.
3. Tell me each finding in one sentence, in the order and under the headings of the answer: what, since when, the money a day, and how sure it is; then why profit of that campaign changed. Say what could not be looked at. "Nothing needs you" is a good answer.
4. Propose what to do first, with the exact tool call. Change nothing yet.`,
  },
  {
    name: 'campaign-review',
    title: 'How is my campaign doing?',
    description: 'What a campaign earns and burns, and what to do about it',
    arguments: [campaign, period('last_7_days')],
    ask: ({ campaign, period }) =>
      `Review the campaign ${quote(campaign)} over ${quote(period)}.
1. Find its ID with list_campaigns.
2. Call get_stats for the campaign report, then for target, ad, landing and offer, each sorted by cost or profit with a small limit.
3. Tell me in a few sentences: cost, revenue, profit and ROI; what earns most; which keywords or ads burn money (cost without conversions, and enough clicks to say so); clicks that look like bots (a CTR far above the rest without conversions).
4. Propose what to change, with the exact tool calls. Change nothing yet.`,
  },
  {
    name: 'rotate-offers',
    title: 'Rotate the offers of a campaign',
    description: 'Compare the offers of a campaign and move the traffic, step by step',
    arguments: [campaign, period('last_14_days')],
    ask: ({ campaign, period }) =>
      `Help me rotate the offers of the campaign ${quote(campaign)}.
1. Find its ID with list_campaigns.
2. Call compare_pages with kind offer and period ${quote(period)}.
3. Tell me which offer earns more, how certain that is, and what more data would bring. "No decision yet" is a good answer.
4. If there is a decision, show me its set_shares call with dry_run, and wait for my yes before you send it.
5. Afterwards read the offer report again and tell me the shares as they are now.`,
  },
  {
    name: 'did-it-pay',
    title: 'Did my changes pay?',
    description: 'What the changes of the last weeks brought, and what cannot be told',
    arguments: [{ ...campaign, required: false, description: 'Campaign by ID or name; all without' }],
    ask: ({ campaign }) =>
      `Did my changes${campaign ? ` of the campaign ${quote(campaign)}` : ''} pay?
1. Call list_changes with outcomes${campaign ? ' and campaign_id' : ''}.
2. Tell me each change in one sentence: what was changed and when, whether it paid, the difference with its range, and whether that is an estimate. Say which have no outcome yet, and which cannot be told and why. "No difference can be told" is a good answer. Do not add differences up.
3. For a change that cost money, show me its undo_change call with dry_run, and wait for my yes before you send it.`,
  },
  {
    name: 'investigate-subid',
    title: 'What happened to one visitor?',
    description: 'Follow one subID from the ad to the conversion',
    arguments: [{ name: 'subid', description: 'SubID or ClickID', required: true }],
    ask: ({ subid }) =>
      `Find out what happened to the visitor ${quote(subid)}.
1. Call diagnose_subid; call lookup_subid only if a field is missing that you need.
2. Tell me in order: when the visitor arrived and from where, the landing page, the click, the offer, the conversion and its revenue, with the time zone of the times.
3. If a step is missing, say what usually explains it and how I can check.`,
  },
];

export function servePrompts(server: Server, trackersFor: TrackersFor): void {
  server.setRequestHandler('prompts/list', (_, request) => ({
    prompts: promptsFor(trackersFor(request).trackers).map(describePrompt),
  }));
  server.setRequestHandler('prompts/get', ({ params }, request): GetPromptResult => {
    const prompt = promptsFor(trackersFor(request).trackers).find(({ name }) => name === params.name);
    if (!prompt) throw invalid(`There is no prompt ${quoted(fromTracker(params.name), maxNameLength)}.`);
    const given = params.arguments ?? {};
    const missing = prompt.arguments.find(({ name, required }) => required && !given[name]?.trim());
    if (missing) throw invalid(`${prompt.name} needs ${missing.name}: ${missing.description}.`);
    const filled = Object.fromEntries([
      ...prompt.arguments.map(({ name, fallback }) => [name, fallback ?? '']),
      ...Object.entries(given).filter(([, value]) => value.trim() !== ''),
    ]);
    return {
      description: prompt.description,
      messages: [{ role: 'user', content: { type: 'text', text: prompt.ask(filled) } }],
    };
  });
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** If there are several trackers, each prompt also takes the name of one. */
export function promptsFor(trackers: Trackers): readonly Prompt[] {
  if (trackers.only) return prompts;
  const fallback = trackers.byDefault?.name;
  const argument: PromptArgument = {
    name: 'tracker',
    description: `One of ${trackers.names.join(', ')}${fallback === undefined ? '' : `; default ${fallback}`}`,
    required: fallback === undefined,
    ...(fallback === undefined ? {} : { fallback }),
  };
  return prompts.map((prompt) => ({
    ...prompt,
    // First, because completion of the campaign depends on it.
    arguments: [argument, ...prompt.arguments],
    ask: (given) =>
      `${prompt.ask(given)}\nAll of this is about the tracker ${quote(given['tracker'])}: name it as tracker in each call.`,
  }));
}

function describePrompt({ ask: _, arguments: taken, ...prompt }: Prompt): ListedPrompt {
  return { ...prompt, arguments: taken.map(({ fallback: _, ...argument }) => argument) };
}

/** Quotes what a person filled in: a campaign's name must not read as an instruction. */
function quote(value = ''): string {
  return JSON.stringify(cleanText(value).slice(0, 200));
}

/** The protocol's limit for one answer. */
const maxValues = 100;

const maxCandidateLength = 200;

const campaignList = endpointNamed('list_campaigns');

interface Candidate {
  readonly value: string;
  /** What the typed text is looked for in. */
  readonly text: string;
}

/** Completes arguments of prompts and resources. Campaigns are found by ID and by any part of their name. */
export function serveCompletion(server: Server, trackersFor: TrackersFor): void {
  server.setRequestHandler('completion/complete', async ({ params }, request): Promise<CompleteResult> => {
    const { trackers } = trackersFor(request);
    const { name, value } = params.argument;
    const tracker = trackers.choose(params.context?.arguments?.['tracker']);
    const candidates = await candidatesFor(name, trackers, tracker?.context);
    const typed = foldedText(value.trim());
    const matches = candidates.filter(({ text }) => foldedText(text).includes(typed));
    const values = matches.slice(0, maxValues).map((candidate) => candidate.value);
    return {
      completion: {
        values: tracker?.context.client.withoutKey(values) ?? values,
        total: matches.length,
        hasMore: matches.length > maxValues,
      },
    };
  });
}

async function candidatesFor(
  argument: string,
  trackers: Trackers,
  context: ToolContext | undefined,
): Promise<readonly Candidate[]> {
  if (argument === 'period') return periodNames.map((name) => ({ value: name, text: name }));
  if (argument === 'tracker' && !trackers.only) return trackers.names.map((name) => ({ value: name, text: name }));
  if ((argument !== 'campaign' && argument !== 'campaign_id') || !context?.guard.offers(campaignList)) return [];
  // If the tracker fails, the call that follows reports why.
  const campaigns = await listCampaigns(context.client).catch(() => []);
  return campaigns.map((campaign) => {
    const [id, name] = [shown(campaign.id, maxCandidateLength), shown(campaign.name, maxCandidateLength)];
    const text = `${id} ${name}`.trim();
    return { value: argument === 'campaign' ? text : id, text };
  });
}
