import pMap from 'p-map';
import * as z from 'zod';
import { describeChanges, describeSubject } from '../answer/changes.ts';
import { type Note, type NoteOf, type Notice, sayNotice } from '../answer/notes.ts';
import { Failure } from '../api/failure.ts';
import * as is from '../api/parameters.ts';
import { countInWords, joinWords } from '../api/rules.ts';
import { ordered } from '../api/text/json.ts';
import { rawText, show, shown as shownText } from '../api/text/tracker-text.ts';
import { questionAbout, type WriteRequest, type WriteResult } from '../guard/write.ts';
import { maxAtOnce, optional } from './asking.ts';
import { checkArguments } from './check-arguments.ts';
import type { CallContext, Given } from './define-tool.ts';
import { leapNotes, presentStep, type ShownStep, shownSteps } from './present/change-steps.ts';
import { presentSteps } from './present/steps.ts';
import { readInner } from './read-arguments.ts';
import { checkWithNames, resolveNames } from './resolve-names.ts';
import { argumentsOf } from './rotation/campaign-pages.ts';
import { isSameValue, openSnapshot, type Snapshot, tryToReadCurrentValues } from './rotation/current-values.ts';
import { explainTogether, movesTraffic } from './rotation/joint-effect.ts';
import { isReadable, namesSet, readSetAgain } from './rotation/read-again.ts';
import {
  defineWritingTool,
  undoLimits,
  type WritePlan,
  type WriteStep,
  type WritingTool,
} from './rotation/writing-tool.ts';

export const madeOutput = () =>
  z.object({
    dry_run: z.boolean(),
    done: z.boolean(),
    change_id: z.union([z.string(), z.null()]),
    steps: shownSteps,
    notices: z.array(z.string()),
  });

/** A person can check no more at once. */
const maxWrites = 50;

/** Max wrong writes to explain. */
const maxMistakes = 5;

const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Several writes as one act: shown, agreed to, sent in order and undone together. */
export function makeChanges(tools: readonly WritingTool[]): WritingTool {
  const names = tools.map(({ name }) => name);
  return defineWritingTool({
    name: 'make_changes',
    title: 'Make several changes',
    description:
      'Several writes as one act, over several campaigns: one question, sent in order, stopped at the first that fails or whose outcome is unknown. ' +
      'Values that the tracker already has are not sent again, additions are. undo_change takes all back. Try dry_run first.',
    access: 'update',
    input: () =>
      z.strictObject({
        writes: z
          .array(
            z.strictObject({
              tool: is.text('A tool that writes, such as set_shares'),
              arguments: z.custom<Given>(isObject, 'must be an object').meta({ type: 'object' }).describe('Its own'),
            }),
          )
          .min(1)
          .max(maxWrites)
          .describe('In their order'),
        dry_run: is.flag('Only shows it; default false').default(false),
      }),
    output: madeOutput,
    plan: async ({ writes, dry_run: isDryRun }, context) => {
      const called = writes.map((write, index) => {
        const tool = tools.find(({ name }) => name === write.tool);
        if (tool) return { number: index + 1, tool, given: write.arguments };
        throw new Failure(
          `make_changes was not called: writes[${index}].tool is ${show(write.tool)}.`,
          `It may be ${joinWords(names, 'or')}.`,
        );
      });
      const planned = await planAll(called, context);
      refuseClashes(planned);
      return planSet(planned, isDryRun, context);
    },
  });
}

interface CalledWrite {
  /** Which of the writes of the call it is, from 1. */
  readonly number: number;
  readonly tool: WritingTool;
  readonly given: unknown;
}

interface PlannedWrite extends CalledWrite {
  readonly given: Given;
  readonly plan: WritePlan;
  /** What it sets, a text for each value. */
  readonly values: readonly string[];
  /** What is to be sent; nothing if the tracker already has the values. */
  readonly steps: readonly WriteStep[];
}

/** Checks all writes, then looks up names, then reads what the tracker has. Throws a Failure that names the write. */
async function planAll(called: readonly CalledWrite[], context: CallContext): Promise<readonly PlannedWrite[]> {
  const read: (CalledWrite & { readonly given: unknown })[] = [];
  const mistakes: Failure[] = [];
  for (const write of called) {
    try {
      read.push({ ...write, given: checkCalled(write, context) });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      mistakes.push(error);
    }
  }
  if (mistakes.length > 0) {
    const shown = mistakes.slice(0, maxMistakes).map(({ message }) => message);
    const more = mistakes.length - shown.length;
    throw new Failure(
      `Nothing was sent. ${[...shown, ...(more > 0 ? [`${countInWords(more, 'more write')} cannot be sent either.`] : [])].join(' ')}`,
    );
  }
  return pMap(
    read,
    (write) =>
      about(write, async ({ tool, given }) => {
        const { given: withIds } = await resolveNames(tool, given, context);
        const plan = await tool.plan(withIds, context);
        const steps = plan.write.steps.filter((step) => !isThereAlready(step));
        const values = plan.write.steps.flatMap(({ request }) => valuesOf(request));
        return { ...write, given: checkArguments(tool, withIds), plan, steps, values };
      }),
    { concurrency: maxAtOnce },
  );
}

/** The arguments of a write, which may hold names. Throws a Failure with every mistake in them. */
function checkCalled({ number, tool, given }: CalledWrite, { guard }: CallContext): unknown {
  try {
    guard.checkOffered(tool);
    const own = readInner(tool, given);
    if (isObject(own) && 'dry_run' in own) throw new Failure('dry_run belongs beside writes.');
    checkWithNames(tool, own);
    return own;
  } catch (error) {
    if (error instanceof Failure) error.message = `Write ${number}: ${error.message}`;
    throw error;
  }
}

async function about<Result>(write: CalledWrite, run: (write: CalledWrite) => Promise<Result>): Promise<Result> {
  try {
    return await run(write);
  } catch (error) {
    if (error instanceof Failure) error.message = `Nothing was sent. Write ${write.number}: ${error.message}`;
    throw error;
  }
}

/** Whether the tracker shows every value that a step sets. What this server only remembers does not count. */
function isThereAlready({ request, before = {} }: WriteStep): boolean {
  const set = isReadable(request) ? namesSet(request) : [];
  return set.length > 0 && set.every((name) => name in before && isSameValue(before[name], request.arguments[name]));
}

/** @throws Failure if two writes set the same value, or if one is planned from what the other changes */
function refuseClashes(planned: readonly PlannedWrite[]): void {
  for (const [index, one] of planned.entries()) {
    for (const other of planned.slice(index + 1)) {
      const problem = clashOf(one, other);
      if (problem === undefined) continue;
      throw new Failure(
        `Nothing was sent. Writes ${one.number} and ${other.number} ${problem}.`,
        'Leave one out, or send it with a call of its own, after this one.',
      );
    }
  }
}

function clashOf(one: PlannedWrite, other: PlannedWrite): string | undefined {
  const values = new Set(one.values);
  if (other.values.some((value) => values.has(value))) return 'set the same value, or add the same';
  if (campaignOf(one) === undefined || campaignOf(one) !== campaignOf(other)) return undefined;
  const [pages, moved] = [[one, other].map(pagesOf), [one, other].map(movedPages)];
  if (moved[0]?.some((id) => pages[1]?.includes(id)) || moved[1]?.some((id) => pages[0]?.includes(id)))
    return 'change the same page, and one changes its ID';
  const isRotation = [one, other].some(({ tool }) => tool.name === 'set_shares');
  if (!isRotation || !isMoving(one) || !isMoving(other)) return undefined;
  return `move the traffic of campaign ${campaignOf(one)}, and set_shares needs it as it is`;
}

/** The pages that a write edits, under their old and new IDs. */
function pagesOf({ plan: { write } }: PlannedWrite): number[] {
  return write.steps.flatMap(({ request }) => {
    const { page_id, new_page_id } = argumentsOf(request.arguments);
    return [page_id, new_page_id].filter((id) => id !== undefined);
  });
}

const movedPages = (write: PlannedWrite) => (write.given['new_page_id'] === undefined ? [] : pagesOf(write));

/** What a request sets, a text for each value; for an addition, the whole of it. */
function valuesOf(request: WriteRequest): string[] {
  const { endpoint, arguments: given } = request;
  if (endpoint.access === 'create') return [JSON.stringify(ordered({ tool: endpoint.name, ...given }))];
  const subject = describeSubject(endpoint.name, given);
  return namesSet(request).map((name) => `${subject} ${name}`);
}

const campaignOf = ({ given }: PlannedWrite) => argumentsOf(given).campaign_id;

function isMoving({ plan: { write } }: PlannedWrite): boolean {
  return write.tool === 'set_shares' || write.steps.some(({ request }) => movesTraffic(request));
}

async function planSet(planned: readonly PlannedWrite[], isDryRun: boolean, context: CallContext): Promise<WritePlan> {
  const sent = planned.filter(({ steps }) => steps.length > 0);
  const steps = sent.flatMap((write) => write.steps);
  const snapshot = openSnapshot(context, true);
  const described = await describeCampaigns(sent, snapshot, context);
  const effect = described.flatMap((campaign) =>
    campaign.effect.length === 0 ? [] : [campaign.heading, ...campaign.effect],
  );
  const idle = planned
    .filter((write) => write.plan.write.steps.length === 0)
    .map((write): Note => ({ code: 'write-already-so', write: write.number, request: requestOf(write) }));
  return {
    isDryRun,
    write: {
      tool: 'make_changes',
      steps,
      parts: sent.map((write) => ({ tool: write.tool.name, steps: write.steps.length })),
      consent: questionAbout(
        `Make ${countInWords(sent.length, 'change')} with ${countInWords(steps.length, 'request')}, in the order of their numbers?`,
        described.flatMap(({ heading, requests, effect: ofCampaign }) => [
          sayNotice(heading),
          ...requests,
          ...ofCampaign.map(sayNotice),
        ]),
      ),
      effect,
      snapshot,
    },
    answer: async (result) =>
      presentSteps({
        head: 'make_changes',
        fields: {},
        steps: presentWrites(planned, result, context),
        effect,
        notices: [
          ...(result ? await readSetAgain(sent, context) : []),
          ...idle,
          ...(result ? lostAdditions(steps, result) : []),
        ],
        result,
        isDoneBefore: steps.length === 0,
      }),
    stopped: (result, reason) => stopped(sent, result, reason),
  };
}

/** What undo_change cannot switch off of what was added. */
function lostAdditions(steps: readonly WriteStep[], { replies }: WriteResult): Notice[] {
  return steps.flatMap((step, index) => {
    const reply = replies[index];
    return step.request.endpoint.access === 'create' && reply ? undoLimits([step], [reply]) : [];
  });
}

const requestOf = ({ tool, given }: PlannedWrite) => describeSubject(tool.name, given);
const nameOf = (write: PlannedWrite) => `${write.number} ${requestOf(write)}`;

/** The writes of one campaign, or those of none, for a person. */
interface DescribedCampaign {
  readonly heading: NoteOf<'in-campaign'>;
  /** Old and new values, a line for each request. */
  readonly requests: readonly string[];
  readonly effect: readonly Notice[];
}

async function describeCampaigns(
  planned: readonly PlannedWrite[],
  snapshot: Snapshot,
  context: CallContext,
): Promise<readonly DescribedCampaign[]> {
  const campaigns = [...new Set(planned.map(campaignOf))];
  return Promise.all(
    campaigns.map(async (id) => {
      const writes = planned.filter((write) => campaignOf(write) === id);
      const [campaign, requests, effect] = await Promise.all([
        id === undefined ? undefined : optional(() => snapshot.campaign(id), context),
        Promise.all(
          writes.flatMap((write) => write.steps.map((step) => describeRequest(write, step, snapshot, context))),
        ),
        effectIn(writes, snapshot, context),
      ]);
      return { heading: { code: 'in-campaign', id, name: campaign && rawText(campaign.name) }, requests, effect };
    }),
  );
}

async function describeRequest(
  { number, given: called }: PlannedWrite,
  { request, before = {} }: WriteStep,
  snapshot: Snapshot,
  context: CallContext,
): Promise<string> {
  const { endpoint, arguments: given } = request;
  const { names } = await tryToReadCurrentValues(request, snapshot, context);
  const { campaign_id: _, ...others } = given;
  const values = describeChanges('campaign_id' in called ? others : given, before, context.currency, names);
  return `${number}. ${endpoint.title}: ${values.join(', ')}`;
}

/** What the writes of a campaign do to its traffic, and warnings. One write alone has said it in its own plan. */
async function effectIn(
  writes: readonly PlannedWrite[],
  snapshot: Snapshot,
  context: CallContext,
): Promise<readonly Notice[]> {
  const moving = writes.filter(isMoving);
  const alone = writes.filter((write) => !moving.includes(write) || moving.length === 1);
  const joint = moving.length > 1 ? moving : [];
  const requests = joint.flatMap(({ steps }) => steps.map(({ request }) => request));
  const explained = await optional(() => explainTogether(requests, snapshot), context);
  return [
    // Lines about a campaign stand below its name.
    ...alone.flatMap(({ number, given, plan }) =>
      plan.write.effect.map((notice) => ('campaign_id' in given ? notice : { of: { write: number }, notice })),
    ),
    ...joint.flatMap(({ steps }) => [
      ...undoLimits(steps),
      ...steps.flatMap(({ request, before = {} }) => leapNotes(request.arguments, before, context.currency)),
    ]),
    ...(explained ? [...explained.effect, ...explained.warnings] : [{ code: 'effect-unknown' } as const]),
  ];
}

function presentWrites(
  planned: readonly PlannedWrite[],
  result: WriteResult | undefined,
  { currency }: CallContext,
): readonly ShownStep[] {
  const changes = [...(result?.changes ?? [])];
  const replies = [...(result?.replies ?? [])];
  return planned.flatMap(({ number, plan, steps }) => {
    const change = steps.length === 0 ? undefined : changes.shift();
    return plan.write.steps.map((step) => {
      const { request, before = {} } = step;
      const isSent = steps.includes(step);
      const outcome = isSent ? (result ? 'ok' : 'not sent') : 'already so';
      const id = isSent ? replies.shift()?.receipt.id : null;
      const isAddition = request.endpoint.access === 'create';
      return {
        write: number,
        ...(isSent && change !== undefined && { change_id: change }),
        ...presentStep({ tool: request.endpoint.name, arguments: request.arguments, before, outcome }, currency),
        ...(isAddition && id && { id: shownText(id) }),
      };
    });
  });
}

/** What a set did that stopped in the middle, and how to continue or go back. */
function stopped(sent: readonly PlannedWrite[], result: WriteResult, reason: string): Failure {
  const { change, changes, replies, failure } = result;
  const last = changes.length - 1;
  const done = sent.slice(0, last);
  const [at, ...unsent] = sent.slice(last);
  const repliesBefore = done.reduce((sum, { steps }) => sum + steps.length, 0);
  const ofIt = { ...result, change: changes[last] ?? change, replies: replies.slice(repliesBefore) };
  // A rotation knows best which of its pages are done.
  const whatHappened = at?.plan.stopped?.(ofIt, reason).message ?? reason;
  const isKnown = failure instanceof Failure && failure.outcome !== 'unknown';
  const first = isKnown ? '' : `look whether write ${at?.number} was carried out, then `;
  return new Failure(
    [
      `make_changes stopped at write ${at ? nameOf(at) : ''} (change ${changes[last]}): ${whatHappened}`,
      done.length === 0
        ? 'No write was done before it.'
        : `Done: ${done.map((write, index) => `${nameOf(write)} (change ${changes[index]})`).join('; ')}.`,
      ...(unsent.length === 0 ? [] : [`Not sent: ${unsent.map(nameOf).join('; ')}.`]),
    ].join(' '),
    `To go on, ${first}call make_changes with what is missing. To take all of it back, call undo_change with change_id ${change}.`,
  );
}
