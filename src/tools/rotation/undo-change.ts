import * as z from 'zod';
import { type Endpoint, endpoints } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import * as is from '../../api/parameters.ts';
import { joinWords } from '../../api/rules.ts';
import { switchOffFor } from '../../guard/allowed-steps.ts';
import type { Change, ChangeStep } from '../../guard/changes.ts';
import { questionAbout, type WriteResult } from '../../guard/write.ts';
import { show } from '../check-arguments.ts';
import type { Answer, CallContext, Given } from '../define-tool.ts';
import { campaignsOfChange } from '../list-changes.ts';
import {
  describeChanges,
  describeStep,
  describeSubject,
  isSubject,
  leapNotices,
  presentStep,
  showArgument,
  shownSteps,
  unknownBefore,
} from '../present/change-steps.ts';
import { presentSteps } from '../present/steps.ts';
import { argumentsOf } from './campaign-pages.ts';
import { isSameValue, openSnapshot, readCurrentValues, type Snapshot } from './current-values.ts';
import { listPages } from './group-effect.ts';
import { explainTogether } from './joint-effect.ts';
import { defineWritingTool, type WriteStep } from './writing-tool.ts';

/** What undo_change returns. */
export const undoOutput = z.object({
  undoes: z.string(),
  /** The IDs and names of its campaigns; absent without one, or if the names are not known. */
  campaign: z.string().optional(),
  dry_run: z.boolean(),
  done: z.boolean(),
  change_id: z.union([z.string(), z.null()]),
  steps: shownSteps,
  notices: z.array(z.string()),
});

/** Takes a change back: sets the values before again, and switches off what was added. */
export const undoChange = defineWritingTool({
  name: 'undo_change',
  title: 'Take a change back',
  description:
    'Takes back a change of list_changes: sets the values before again, and switches off what was added (the API cannot delete). ' +
    'Refuses where somebody else changed a value since, and says what it cannot take back. An undo can be undone. Try dry_run first.',
  access: 'update',
  input: z.strictObject({
    change_id: z.string().min(1).max(50).describe('From list_changes, or the answer to the write'),
    unread: is.flag('true also sets what cannot be read today; default false').default(false),
    dry_run: is.flag('Only shows it; default false').default(false),
  }),
  output: undoOutput,
  // No other undo may run between planning and sending.
  reserve: async ({ change_id: id, dry_run: isDryRun }, context, run) => {
    const change = await requireChange(id, context);
    return isDryRun ? run() : context.guard.changes.whileReserved(change.id, run);
  },
  plan: async ({ change_id: id, dry_run: isDryRun, unread: mayBeUnread }, context) => {
    const change = await requireChange(id, context);
    const snapshot = openSnapshot(context);
    const [plan, campaign] = await Promise.all([
      planUndo(change, snapshot, context),
      campaignsOfChange(change, context),
    ]);
    const { steps, requests, effect, notices, unread } = plan;
    if (steps.length === 0) {
      throw new Failure(
        `Change ${change.id} cannot be taken back.`,
        notices.join(' ') || 'None of it was carried out.',
      );
    }
    const isAgreed = isDryRun || mayBeUnread || context.guard.asksFirst;
    if (unread.length > 0 && !isAgreed) {
      throw new Failure(
        `Nothing was taken back: today’s value of ${listPages(unread)} cannot be read, so somebody may have changed it since.`,
        'Look in the tracker, or ask the person; with unread true it is set anyway.',
      );
    }
    return {
      isDryRun,
      write: {
        tool: 'undo_change',
        steps,
        undoes: change.id,
        consent: questionAbout(
          `Take back change ${change.id}${campaign === undefined ? '' : ` of campaign ${campaign}`}?`,
          [...requests, ...effect, ...notices],
        ),
        effect: [...effect, ...notices],
        snapshot,
      },
      answer: (result) => present({ undoes: change.id, campaign }, plan, result, context),
      stopped: ({ change: undo, replies }, reason) =>
        new Failure(
          `undo_change stopped after ${replies.length} of ${steps.length} writes: ${reason}`,
          `To go on, call undo_change again: what is taken back already is not sent again. What was sent is change ${undo}, which can be undone.`,
        ),
    };
  },
});

async function requireChange(id: string, { guard }: CallContext): Promise<Change> {
  const change = await guard.changes.find(id);
  if (!change) {
    const newest = (await guard.changes.all()).slice(-10).map((candidate) => `${candidate.id} (${candidate.tool})`);
    throw new Failure(
      `There is no change ${show(id)}.`,
      newest.length === 0 ? 'This server has recorded no changes.' : `The newest are: ${newest.join(', ')}.`,
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

interface UndoPlan {
  readonly steps: readonly WriteStep[];
  /** What the requests set, in lines, for a person who is asked. */
  readonly requests: readonly string[];
  readonly effect: readonly string[];
  readonly notices: readonly string[];
  /** The arguments whose value today is not known. */
  readonly unread: readonly string[];
}

/** Plans the requests, the last step first. Throws a Failure if a value is not what the change set, or cannot be read. */
async function planUndo(change: Change, snapshot: Snapshot, context: CallContext): Promise<UndoPlan> {
  const notices: string[] = [];
  const unread: string[] = [];
  const steps: WriteStep[] = [];
  const requests: string[] = [];
  for (const step of change.steps.toReversed()) {
    if (step.outcome !== 'ok' && step.outcome !== 'unknown') continue;
    const inverse = inverseOf(step);
    if (inverse.notice !== undefined) notices.push(inverse.notice);
    if (!inverse.arguments) continue;
    const endpoint: Endpoint | undefined = endpoints.find(({ name }) => name === inverse.tool);
    if (!endpoint) {
      throw new Failure(`The change was made with ${show(inverse.tool)}, which this version does not know.`);
    }
    const given = pickValid(endpoint, inverse.arguments, notices);
    const request = context.client.request(endpoint, given);
    const { values, names, notices: readNotices, isCurrent } = await readCurrentValues(request, snapshot);
    const set = setNames(endpoint, given);
    if (set.length > 0 && set.every((name) => name in values && isSameValue(values[name], given[name]))) {
      const text = describeStep(presentStep(step, context.currency));
      notices.push(`${text}: nothing to take back, the tracker already has the old value.`);
      continue;
    }
    refuseMoved(step, values, context);
    // Switching off what was added overwrites no value.
    const lost = inverse.tool === step.tool ? set.filter((name) => !isCurrent || !(name in values)) : [];
    unread.push(...lost.map((name) => `${name} of ${describeSubject(inverse.tool, given)}`));
    // The warnings about pages come from the effect of all steps together.
    if (endpoint.record !== 'campaign_page' || !isCurrent) notices.push(...readNotices);
    notices.push(...leapNotices(given, values, context.currency));
    const lines = describeChanges(given, values, context.currency, names).map((line) => `- ${line}`);
    requests.push(`${endpoint.title}:`, ...lines);
    steps.push({ request, before: values });
  }
  const { effect, warnings } = await explainTogether(
    steps.map(({ request }) => request),
    snapshot,
  );
  if (unread.length > 0) {
    notices.unshift(`Today’s value cannot be read: ${listPages(unread)}. Somebody may have changed it since.`);
  }
  return { steps, requests, effect, unread, notices: [...new Set([...notices, ...warnings])] };
}

/** The arguments that the endpoint accepts: a tracker may have had a value that its API does not accept. */
function pickValid(endpoint: Endpoint, given: Given, notices: string[]): Given {
  const valid = Object.entries(given).flatMap(([name, value]) => {
    const parsed = endpoint.parameters[name]?.schema.safeParse(value);
    if (parsed?.success) return [[name, parsed.data] as const];
    notices.push(`Not taken back: ${name}. Its old value, ${show(value)}, cannot be set with ${endpoint.name}.`);
    return [];
  });
  return Object.fromEntries(valid);
}

/** The arguments that are new values, and not the record or the campaign. */
function setNames(endpoint: Endpoint, given: Given): string[] {
  return Object.keys(given).filter((name) => name === 'new_page_id' || endpoint.parameters[name]?.required !== true);
}

/** @throws Failure if a value is no longer what the change set */
function refuseMoved({ arguments: set }: ChangeStep, now: Given, { currency }: CallContext): void {
  const moved = Object.entries(now).filter(
    ([name, value]) => name in set && name !== 'new_page_id' && !isSameValue(value, set[name]),
  );
  if (moved.length === 0) return;
  const differences = moved.map(([name, value]) => {
    const [is, was] = [value, set[name]].map((one) => showArgument(name, one, currency));
    return `${name} is ${is}, but the change set it to ${was}`;
  });
  throw new Failure(
    `Nothing was taken back: ${joinWords(differences, 'and')}.`,
    'Somebody changed it since, or the tracker stored it differently, for example rounded. Look at it first; to set another value use the tool that edits it.',
  );
}

function present(
  { undoes, campaign }: { readonly undoes: string; readonly campaign: string | undefined },
  { steps, effect, notices }: UndoPlan,
  result: WriteResult | undefined,
  { currency }: CallContext,
): Answer {
  const outcome = result ? 'ok' : 'not sent';
  return presentSteps({
    head: `undo_change of ${campaign === undefined ? undoes : `${undoes}, campaign ${campaign}`}`,
    fields: { undoes, ...(campaign === undefined ? {} : { campaign }) },
    steps: steps.map(({ request: { endpoint, arguments: given }, before = {} }) =>
      presentStep({ tool: endpoint.name, arguments: given, before, outcome }, currency),
    ),
    effect,
    notices,
    result,
  });
}

/** The request that takes a step back, as far as that is possible. */
interface Inverse {
  readonly tool: string;
  /** Absent if nothing can be taken back. */
  readonly arguments?: Given;
  /** What cannot be taken back. */
  readonly notice?: string;
}

function inverseOf({ tool, arguments: given, before, id }: ChangeStep): Inverse {
  const off = switchOffFor(tool);
  if (off) {
    const record = id ?? given[off.id] ?? null;
    if (record === null) {
      return { tool, notice: `What ${tool} added cannot be switched off: the tracker returned no ID for it.` };
    }
    const { campaign_id } = argumentsOf(given);
    return {
      tool: off.tool,
      arguments: { ...(campaign_id === undefined ? {} : { campaign_id }), [off.id]: Number(record), active: false },
      notice: 'What was added is switched off and stays: the API cannot delete it.',
    };
  }
  const names = Object.keys(given).filter((name) => name !== 'dry_run');
  const lost = unknownBefore(tool, given, before);
  const kept = names.filter((name) => !isSubject(tool, name) && !lost.includes(name));
  const notice = `Not taken back: ${joinWords(lost, 'and')}, because the value before is not known.`;
  const subjects = names.filter((name) => isSubject(tool, name)).map((name) => [name, given[name]]);
  // After a change of its ID, the page has the new one.
  const { new_page_id: newId } = argumentsOf(given);
  const moved = newId === undefined ? [] : [['page_id', newId]];
  const values = Object.fromEntries([...subjects, ...moved, ...kept.map((name) => [name, before[name]])]);
  return { tool, ...(kept.length > 0 && { arguments: values }), ...(lost.length > 0 && { notice }) };
}
