import type * as z from 'zod';
import type { PlacedPage } from '../../analysis/page-rows.ts';
import { isSubject } from '../../answer/changes.ts';
import { distinct, type Note, type Notice, sayNotice } from '../../answer/notes.ts';
import { kindInWords } from '../../answer/write-notes.ts';
import { Failure } from '../../api/failure.ts';
import type { ReceiptReply } from '../../api/table.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import { fromTracker, quoted, rawText, shorten } from '../../api/text/tracker-text.ts';
import { currencyAfter } from '../../api/vocabulary.ts';
import type { TrackerRequest } from '../../client/request.ts';
import { switchOffFor } from '../../guard/allowed-steps.ts';
import type { ProposalContext, Step, WaitingWrite, Write, WriteResult } from '../../guard/write.ts';
import { askQuickly } from '../asking.ts';
import { checkArguments } from '../check-arguments.ts';
import {
  type Answer,
  type CallContext,
  type Description,
  type Given,
  identityIn,
  mapAnswer,
  type Tool,
  wordResult,
} from '../define-tool.ts';
import { shortestForm } from '../fit.ts';
import { proposedAnswer } from '../get-proposal.ts';
import { onDemand } from '../json-schema.ts';
import { unknownBeforeNote } from '../present/change-steps.ts';
import {
  type CampaignPages,
  findCampaign,
  type KnownPage,
  kindAdded,
  quotedCampaign,
  quotedPage,
  withAddedPage,
} from './campaign-pages.ts';
import { readSurroundings, type Snapshot } from './current-values.ts';
import { changesTraffic, effectsOf, newPageId } from './group-effect.ts';
import { refuseMoved } from './moved-meanwhile.ts';
import type { GroupEffect } from './page-effect.ts';
import { failureReadAgain } from './read-again.ts';

/**
 * How one write runs: a tool plans it from what the tracker has now; the guard checks it and asks a person; each step is sent; the
 * tool answers with what was done. If the person is to decide later, it becomes a proposal.
 */
export interface WritePlan {
  /** If it has no steps, nothing is sent. */
  readonly write: ToolWrite;
  readonly isDryRun: boolean;
  /** Makes the answer: before sending, as proof that it fits, and again with the result. */
  readonly answer: (result: WriteResult | undefined) => Answer | Promise<Answer>;
  /** Makes the error of a write that failed at a step; without it, the failure of that step is the error. */
  readonly stopped?: (result: WriteResult, reason: string) => Failure;
}

export type ToolWrite = Write<WriteStep> & {
  /** Effects on traffic and warnings, for a person who decides later. */
  readonly effect: readonly Notice[];
  /** The reading that it was planned from. A proposal describes the same. */
  readonly snapshot: Snapshot;
};

export interface WriteStep extends Step {
  readonly request: TrackerRequest;
  /** The pages before one is added. They help to find its ID. */
  readonly pages?: readonly PlacedPage[] | undefined;
}

interface WritingDefinition<Input extends z.ZodObject> extends Description<Input> {
  readonly access: 'create' | 'update';
  readonly plan: (given: Readonly<z.output<Input>>, context: CallContext) => Promise<WritePlan>;
  /** Runs planning and sending while no other call does the same. */
  readonly reserve?: <Result>(
    given: Readonly<z.output<Input>>,
    context: CallContext,
    run: () => Promise<Result>,
  ) => Promise<Result>;
}

/** A tool that writes. `plan` checks the arguments and plans its write, as one of several or alone. */
export interface WritingTool extends Tool {
  readonly plan: (given: unknown, context: CallContext) => Promise<WritePlan>;
}

/** Defines a tool that writes. Its answer is known to fit before anything is sent, and an error in it later fails no write. */
export function defineWritingTool<Input extends z.ZodObject>({
  plan,
  reserve = (_, __, run) => run(),
  ...defined
}: WritingDefinition<Input>): WritingTool {
  const description = { ...defined, input: onDemand(defined.input) };
  return {
    ...description,
    plan: async (given, context) => plan(checkArguments(description, given), context),
    call: async (given, context) => {
      const checked = checkArguments(description, given);
      return reserve(checked, context, async () =>
        executePlan(await plan(checked, context), description.name, context),
      );
    },
  };
}

async function executePlan(plan: WritePlan, tool: string, context: CallContext): Promise<Answer> {
  const { write, isDryRun, answer } = plan;
  await context.guard.check(write);
  const unsent = await answer(undefined);
  const shortest = context.client.withoutKey(shortestForm(mapAnswer(unsent, wordResult)));
  if (isDryRun || write.steps.length === 0) return unsent;
  const result = await execute(write, context);
  if ('waiting' in result) {
    context.onProposed?.(result.waiting.id);
    return proposedAnswer(result.waiting, context);
  }
  if (result.failure !== undefined) throw failureOf(result, plan, context);
  const notice: Note = { code: 'done-not-shown', tool, change: result.change };
  const brief = {
    structured: { ...shortest.structured, dry_run: false, done: true, change_id: result.change, notices: [notice] },
    blocks: [],
  };
  try {
    return { ...(await answer(result)), brief };
  } catch (error) {
    context.onDefect?.(error);
    return { parts: [], render: () => brief, brief };
  }
}

/** The failure may quote the tracker, and what to do, after it, must not be cut off. */
const maxReasonLength = 2000;

function failureOf(result: WriteResult, { stopped, write }: WritePlan, context: CallContext): Failure {
  const { failure, change } = result;
  context.onDefect?.(failure);
  return Object.assign(explain(), { change });

  function explain(): Failure {
    const reason = shorten(reasonOf(failure), maxReasonLength);
    if (stopped) return stopped(result, reason);
    const isDefect = !(failure instanceof Failure);
    if (!isDefect && failure.outcome !== 'unknown') return failure;
    const limits = undoLimits(write.steps);
    return new Failure(
      isDefect ? `Outcome unknown: ${reason} Look before you repeat it.` : reason,
      limits.length === 0 ? 'undo_change undoes what was done.' : limits.map(sayNotice).join(' '),
    );
  }
}

/** What undo_change cannot undo of these steps. The ID of an addition is in its reply or request. */
export function undoLimits(steps: readonly WriteStep[], replies: readonly ReceiptReply[] = []): Notice[] {
  const limits = steps.flatMap(({ request: { endpoint, arguments: given }, before = {} }, index): Note[] => {
    const off = switchOffFor(endpoint.name);
    if (!off) return unknownBeforeNote(endpoint.name, given, before);
    const id = replies[index]?.receipt.id ?? given[off.id];
    return id === undefined ? [{ code: 'added-id-unknown' }] : [];
  });
  return distinct(limits);
}

export function reasonOf(failure: unknown): string {
  return failure instanceof Failure ? failure.message : 'this server failed with a defect of its own.';
}

/** Sends a write through the guard. Throws a Failure if it is refused: then nothing was sent. */
export function execute(
  { effect, snapshot, ...write }: ToolWrite,
  context: CallContext,
): Promise<WriteResult | WaitingWrite> {
  const { client, guard, caller, currency, ask, signal, onProgress } = context;
  // A page that an earlier step added is not the one that a later step adds.
  const added: (KnownPage & { readonly campaignId: unknown })[] = [];
  return guard.execute(write, {
    client: caller,
    currency,
    ask: async (question) => {
      const said = await ask(question);
      if (said === 'yes') await refuseMoved(write.tool, write.steps, context);
      return said;
    },
    signal,
    proposalContext: () => readProposalContext({ steps: write.steps, effect, snapshot }, context),
    send: async (step) => {
      const { request, pages } = step;
      const reply = await client.write(request, { signal, onProgress }).catch(async (failure: unknown) => {
        throw await failureReadAgain(failure, step, context);
      });
      const { campaign_id: campaignId } = request.arguments;
      const earlier = added.filter((page) => page.campaignId === campaignId);
      const named = await withAddedPage(reply, request, pages && [...pages, ...earlier], context);
      const pageId = named.receipt.id === null ? undefined : rawText(named.receipt.id);
      if (pageId !== undefined) added.push({ campaignId, kind: kindAdded(request), pageId });
      return named;
    },
  });
}

async function readProposalContext(
  { steps, effect, snapshot }: Pick<ToolWrite, 'steps' | 'effect' | 'snapshot'>,
  context: CallContext,
): Promise<ProposalContext> {
  const { client, signal } = context;
  const reading = askQuickly(context, async (quick) => {
    const requests = steps.map(({ request }) => request);
    const parts = [readSurroundings(requests, snapshot), summarize(steps, snapshot, quick)] as const;
    const [surroundings, summary] = await Promise.all(parts);
    return { surroundings, summary, notices: [] };
  });
  const { surroundings, summary, notices } = await reading.catch((error: unknown) => {
    if (!(error instanceof Failure) || signal?.aborted) throw error;
    // Like a write, a proposal is possible while the tracker cannot be read.
    const notice: Note = { code: 'surroundings-unread', failure: error.message };
    return { surroundings: {}, summary: [], notices: [notice] };
  });
  return {
    tracker: await identityIn(context),
    account: await client.account(),
    before: client.withoutKey(steps.map(({ before }) => ({ ...before }))),
    surroundings: client.withoutKey({ ...surroundings }),
    summary: client.withoutKey([...summary]),
    effect: client.withoutKey([...effect, ...notices].map((notice) => cleanText(sayNotice(notice)))),
  };
}

/** What a person reads first in a proposal: `“Home fitness”: “Home gym” 40% to 80% of the traffic`. Throws a TrackerFailure. */
async function summarize(
  steps: readonly WriteStep[],
  snapshot: Snapshot,
  context: CallContext,
): Promise<readonly string[]> {
  const { currency } = context;
  const campaignOf = ({ request }: WriteStep) => Number(request.arguments['campaign_id']);
  const pageSteps = steps.filter(({ request }) => request.endpoint.record === 'campaign_page');
  return Promise.all([
    ...[...new Set(pageSteps.map(campaignOf))].map(async (id) => {
      const ofCampaign = pageSteps.filter((step) => campaignOf(step) === id);
      return summarizePages(id, ofCampaign, await snapshot.pages(id), currency);
    }),
    ...steps.filter((step) => !pageSteps.includes(step)).map((step) => summarizeRecord(step, context)),
  ]);
}

/** Summarizes a change of a campaign's options, or of a predefined offer or landing page. */
async function summarizeRecord({ request, before = {} }: WriteStep, context: CallContext): Promise<string> {
  const { endpoint, arguments: given } = request;
  const values = describeValues(endpoint.name, given, before, context.currency).join(', ');
  const kind = endpoint.record === 'offer' ? 'offer' : 'landing page';
  if (endpoint.access === 'create') return `A new ${kind}, in no campaign yet: ${values}`;
  const id = Number(given['campaign_id'] ?? given['offer_id'] ?? given['landing_page_id']);
  if (endpoint.record !== 'campaign') return `Predefined ${kind} ${id}: ${values}`;
  const campaign = await findCampaign(id, context, { once: true });
  return `${campaignName(campaign, id)}: ${values}`;
}

/** A summary names at most this many pages; the steps below it name all. */
const maxNamed = 6;

function summarizePages(
  campaignId: number,
  steps: readonly WriteStep[],
  campaign: CampaignPages,
  currency: string | undefined,
): string {
  const isEdit = ({ request }: WriteStep) => request.endpoint.access === 'update';
  const pageIdOf = ({ request }: WriteStep) => String(request.arguments['page_id']);
  const edits = steps.filter(isEdit);
  const effects = effectsOf(
    steps.map(({ request }) => request),
    campaign,
  );
  const summaries = [
    ...edits.map((step) => {
      const name = quotedPage(campaign.pages.find(({ pageId }) => pageId === pageIdOf(step)));
      const { share, active, ...others } = step.request.arguments;
      const values = describeValues(step.request.endpoint.name, others, step.before ?? {}, currency);
      const moves = changesTraffic(step.request.arguments) ? describeMoves(step, effects) : [];
      return `${name ?? `page ${pageIdOf(step)}`} ${[...moves, ...values].join(', ')}`;
    }),
    ...steps.filter((step) => !isEdit(step)).map(() => describeAddition(effects)),
  ];
  const more = summaries.length > maxNamed ? [`and ${summaries.length - maxNamed} more pages`] : [];
  return `${campaignName(campaign.campaign, campaignId)}: ${[...summaries.slice(0, maxNamed), ...more].join('; ')}`;
}

function campaignName(campaign: CampaignPages['campaign'], id: number): string {
  return campaign ? quotedCampaign(campaign) : `Campaign ${id}`;
}

/** `40% to 80% of the traffic`, or the shares if percentages are unknown or stay the same; for a move, both groups. */
function describeMoves({ request, before = {} }: WriteStep, effects: readonly GroupEffect[]): readonly string[] {
  const { share, active, page_id: pageId } = request.arguments;
  const own = effectsOnPage(String(pageId), effects);
  const [from, to] = [own.find(({ move }) => move !== 'joins'), own.find(({ move }) => move !== 'leaves')];
  const [old, now] = [from?.before.percent ?? null, to?.after.percent ?? null];
  const isMove = from !== to;
  const isKnown = old !== null && now !== null;
  const stays = old === now ? `${now}% of the traffic as before` : `${old}% to ${now}% of the traffic`;
  const moves = `${partOf(from?.group, old)} to ${partOf(to?.group, now)}`;
  return [
    ...(active === undefined ? [] : [active === true ? 'switched on' : 'switched off']),
    ...(share === undefined || (isKnown && old !== now) ? [] : [describeValue('share', before['share'], share)]),
    ...(isMove ? [moves] : isKnown ? [stays] : []),
  ];
}

/** What happens to a page in each group that it is in before or after. */
function effectsOnPage(pageId: string, effects: readonly GroupEffect[]) {
  return effects.flatMap(({ group, pages }) =>
    pages.filter(({ page }) => page.pageId === pageId).map((page) => ({ group, ...page })),
  );
}

/** `40% of the traffic of the offers of path 1` */
function partOf(group = 'pages', percent: number | null): string {
  return `${percent === null ? 'an unknown part' : `${percent}%`} of the traffic of the ${group}`;
}

function describeAddition(effects: readonly GroupEffect[]): string {
  const [added] = effectsOnPage(newPageId, effects);
  if (!added) throw new TypeError('the effect of an addition lacks its page');
  const { page, after } = added;
  const traffic = after.percent === null ? 'how much traffic it gets is not known' : `${after.percent}% of the traffic`;
  const name = quotedPage(page);
  const share = page.share === null ? 'without a share' : `with share ${page.share}`;
  return `a new ${kindInWords(page.kind)} ${name === undefined ? '' : `${name} `}${share}, ${traffic}`;
}

/** The old and new value of each argument that a request sets. */
function describeValues(tool: string, given: Given, before: Given, currency: string | undefined): readonly string[] {
  return Object.entries(given)
    .filter(([name, value]) => !isSubject(tool, name) && value !== undefined)
    .map(([name, value]) => describeValue(name, before[name], value, currency));
}

/** `bid 0.1 EUR to 0.25 EUR` */
function describeValue(argument: string, old: unknown, value: unknown, currency?: string): string {
  const inWords = (one: unknown) => {
    if (typeof one === 'boolean') return one ? 'yes' : 'no';
    if (typeof one === 'number') return `${one}${currencyAfter(argument, one, currency)}`;
    return quoted(fromTracker(String(one)), 200);
  };
  const from = old === undefined || old === null ? '' : `${inWords(old)} to `;
  return `${argument.replaceAll('_', ' ')} ${from}${inWords(value)}`;
}
