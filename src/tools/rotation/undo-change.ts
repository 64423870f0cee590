import * as z from 'zod';
import { type Endpoint, endpoints } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import * as is from '../../api/parameters.ts';
import { joinWords } from '../../api/rules.ts';
import type { TrackerRequest } from '../../client/request.ts';
import type { Change, ChangeStep } from '../../guard/changes.ts';
import { changeInWords } from '../../guard/question.ts';
import type { Step } from '../../guard/write-request.ts';
import { show } from '../check-arguments.ts';
import { type Answer, type CallContext, defineTool, type Given, wholeAnswer } from '../define-tool.ts';
import { describeStep, presentStep, showArgument, shownSteps } from '../present/change-steps.ts';
import { type Present, presentOf, readBefore } from './current-values.ts';
import { execute } from './execute.ts';
import { describeEffect, effectOn, type PageChanges, warningsOf } from './group-effect.ts';
import { oppositeOf } from './opposite.ts';

/** What undo_change returns. */
export const undoOutput = z.object({
  undoes: z.string(),
  dry_run: z.boolean(),
  done: z.boolean(),
  change_id: z.union([z.string(), z.null()]),
  steps: shownSteps,
  notices: z.array(z.string()),
});

/** The opposite of a change. */
export const undoChange = defineTool({
  name: 'undo_change',
  title: 'Take a change back',
  description:
    'Takes back a change of list_changes: sets the values before again, and switches off what was added (the API cannot delete). ' +
    'Refuses where somebody else changed a value since, and says what it cannot take back. An undo can be undone. Try dry_run first.',
  access: 'update',
  input: z.strictObject({
    change_id: z.string().min(1).max(50).describe('From list_changes, or the answer to the write'),
    dry_run: is.flag('Only shows it; default false').default(false),
  }),
  output: undoOutput,
  run: async ({ change_id: id, dry_run: dryRun }, context) => {
    const { id: known } = await requireChange(id, context);
    if (dryRun) return takeBack(known, true, context);
    // What is planned must still be so when it is sent.
    return context.guard.changes.whileReserved(known, () => takeBack(known, false, context));
  },
});

async function takeBack(id: string, dryRun: boolean, context: CallContext): Promise<Answer> {
  const change = await requireChange(id, context);
  const plan = await planUndo(change, context);
  const { steps, notices } = plan;
  if (steps.length === 0) {
    throw new Failure(
      `Change ${change.id} cannot be taken back.`,
      notices.join(' ') || 'Nothing of it was carried out.',
    );
  }
  for (const { request } of steps) context.guard.check(request);
  if (dryRun) {
    const told = 'Dry run: nothing was sent. Call again without dry_run to do it.';
    return present(change.id, { ...plan, notices: [told, ...notices] }, null, context);
  }
  const act = {
    tool: 'undo_change',
    steps,
    undoes: change.id,
    question: questionOf(change.id, plan, context),
    effect: [...plan.effect, ...notices],
    send: (request: TrackerRequest) => context.client.write(request, { signal: context.signal }),
  };
  const carried = await execute(act, context);
  if (carried.failure !== undefined) throw stopped(carried.failure, carried.change, carried.replies.length, steps);
  const said = carried.replies.flatMap((reply) => reply.notices);
  return present(change.id, { ...plan, notices: [...said, ...notices] }, carried.change, context);
}

async function requireChange(id: string, { guard }: CallContext): Promise<Change> {
  const change = await guard.changes.find(id);
  if (!change) {
    const known = (await guard.changes.all()).slice(-10).map((candidate) => `${candidate.id} (${candidate.tool})`);
    throw new Failure(
      `There is no change ${show(id)}.`,
      known.length === 0 ? 'This server knows of no change.' : `The newest are: ${known.join(', ')}.`,
    );
  }
  if (change.undoneBy !== undefined) {
    throw new Failure(
      `Change ${change.id} was already taken back, by change ${change.undoneBy}.`,
      `To do it again, undo ${change.undoneBy}.`,
    );
  }
  return change;
}

interface Plan {
  readonly steps: readonly Step<TrackerRequest>[];
  /** What it does to the traffic, a line a page. */
  readonly effect: readonly string[];
  readonly notices: readonly string[];
}

/**
 * What is to be sent to take a change back, the last write first.
 *
 * @throws Failure where a value is no longer what the change set, or cannot be read
 */
async function planUndo(change: Change, context: CallContext): Promise<Plan> {
  const now = presentOf(context);
  const notices: string[] = [];
  const steps: Step<TrackerRequest>[] = [];
  for (const step of change.steps.toReversed()) {
    if (step.outcome !== 'ok' && step.outcome !== 'unknown') continue;
    const opposite = oppositeOf(step);
    notices.push(...opposite.cannot);
    if (!opposite.arguments) continue;
    const endpoint = endpointCalled(opposite.tool);
    const given = check(endpoint, opposite.arguments, notices);
    const { values, notices: said } = await readBefore(endpoint, given, now);
    if (isSet(endpoint, given, values)) {
      notices.push(
        `${describeStep(presentStep(step, context.currency))}: nothing to take back, the tracker has it so already.`,
      );
      continue;
    }
    refuseMoved(step, values, context);
    if (endpoint.record !== 'campaign_page') notices.push(...said);
    steps.push({ request: context.client.request(endpoint, given), before: values });
  }
  const { effect, warnings } = await effectOf(steps, now);
  return { steps, effect, notices: [...new Set([...notices, ...warnings])] };
}

/** The arguments that the endpoint takes: a tracker may have had a value that its API does not let anyone set. */
function check(endpoint: Endpoint, given: Given, notices: string[]): Given {
  const checked = Object.entries(given).flatMap(([name, value]) => {
    const parsed = endpoint.parameters[name]?.schema.safeParse(value);
    if (parsed?.success) return [[name, parsed.data] as const];
    notices.push(`Not taken back: ${name}, whose value before, ${show(value)}, is none that can be set.`);
    return [];
  });
  return Object.fromEntries(checked);
}

/** What the writes do together to the groups of pages that they change. */
async function effectOf(
  steps: readonly Step<TrackerRequest>[],
  now: Present,
): Promise<{ readonly effect: string[]; readonly warnings: string[] }> {
  const byCampaign = new Map<number, Map<string, { share?: number; active?: boolean }>>();
  for (const { request } of steps) {
    const { campaign_id: campaignId, page_id: pageId, share, active } = request.arguments;
    if (request.endpoint.record !== 'campaign_page' || (share === undefined && active === undefined)) continue;
    const changes = byCampaign.get(Number(campaignId)) ?? new Map();
    changes.set(String(pageId), {
      ...(typeof share === 'number' ? { share } : {}),
      ...(typeof active === 'boolean' ? { active } : {}),
    });
    byCampaign.set(Number(campaignId), changes);
  }
  const told = await Promise.all([...byCampaign].map(([id, changes]) => effectIn(id, changes, now)));
  return { effect: told.flatMap(({ effect }) => effect), warnings: told.flatMap(({ warnings }) => warnings) };
}

async function effectIn(campaignId: number, changes: PageChanges, now: Present) {
  const { groups, sharesOnePool } = await now.pages(campaignId);
  const changed = groups.filter(({ pages }) => pages.some(({ pageId }) => changes.has(pageId)));
  const effects = changed.map((group) => ({ group, effect: effectOn(group, changes) }));
  return {
    effect: effects.flatMap(({ group, effect }) => describeEffect(effect, group).split('\n')),
    warnings: effects.flatMap(({ group, effect }) => warningsOf(effect, group, sharesOnePool)),
  };
}

/** What a person is asked, once for the whole. */
function questionOf(id: string, { steps, effect, notices }: Plan, { currency }: CallContext): string {
  const writes = steps.flatMap(({ request: { endpoint, arguments: given }, before = {} }) => [
    `${endpoint.title}:`,
    ...Object.entries(given).map(([name, value]) => `- ${changeInWords(name, value, before, currency, show)}`),
  ]);
  return [`Take back change ${id}?`, ...writes, ...effect, ...notices, 'This changes live traffic.'].join('\n');
}

/** Whether the tracker has all values already that are to be set. */
function isSet(endpoint: Endpoint, given: Given, now: Given): boolean {
  const set = Object.keys(given).filter(
    (name) => name === 'new_page_id' || endpoint.parameters[name]?.required !== true,
  );
  return set.length > 0 && set.every((name) => name in now && String(now[name]) === String(given[name]));
}

/** @throws Failure where a value is no longer what the change set */
function refuseMoved({ arguments: set }: ChangeStep, now: Given, { currency }: CallContext): void {
  const moved = Object.entries(now).filter(
    ([name, value]) => name in set && name !== 'new_page_id' && String(value) !== String(set[name]),
  );
  if (moved.length === 0) return;
  const told = moved.map(([name, value]) => {
    const [is, was] = [value, set[name]].map((one) => showArgument(name, one, currency));
    return `${name} is ${is}, and the change set ${was}`;
  });
  throw new Failure(
    `Nothing was taken back: ${joinWords(told, 'and')}. Somebody changed it since.`,
    'Look at it first; to set another value use the tool that edits it.',
  );
}

function endpointCalled(name: string): Endpoint {
  const endpoint = endpoints.find((candidate) => candidate.name === name);
  if (!endpoint) throw new Failure(`The change was made with ${show(name)}, which this version does not know.`);
  return endpoint;
}

function stopped(failure: unknown, change: string, done: number, steps: readonly Step<TrackerRequest>[]): Failure {
  const reason = failure instanceof Failure ? failure.message : 'this server failed with a defect of its own.';
  return new Failure(
    `undo_change stopped after ${done} of ${steps.length} writes: ${reason}`,
    `To go on, call undo_change again: what is taken back already is not sent again. What was sent is change ${change}, which can be undone.`,
  );
}

function present(
  undoes: string,
  { steps, effect, notices }: Plan,
  change: string | null,
  { currency }: CallContext,
): Answer {
  const outcome = change === null ? 'not sent' : 'ok';
  const shown = steps.map(({ request: { endpoint, arguments: given }, before = {} }) =>
    presentStep({ tool: endpoint.name, arguments: given, before, outcome }, currency),
  );
  const told = [...(effect.length === 0 ? [] : [effect.join('\n')]), ...notices];
  const structured = {
    undoes,
    dry_run: change === null,
    done: change !== null,
    change_id: change,
    steps: shown,
    notices: told,
  };
  const state = change === null ? 'not sent (dry run)' : `done, change ${change}`;
  const lines = [`undo_change of ${undoes}: ${state}.`, ...shown.map(describeStep), ...told];
  return wholeAnswer(structured, lines.join('\n'));
}
