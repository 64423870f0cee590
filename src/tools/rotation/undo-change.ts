import * as z from 'zod';
import { type Endpoint, endpoints } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import * as is from '../../api/parameters.ts';
import { joinWords } from '../../api/rules.ts';
import type { TrackerRequest } from '../../client/request.ts';
import { switchOffOf } from '../../guard/allowed-steps.ts';
import type { Change, ChangeStep } from '../../guard/changes.ts';
import { changeInWords } from '../../guard/question.ts';
import type { Step, WriteResult } from '../../guard/write.ts';
import { show } from '../check-arguments.ts';
import type { Answer, CallContext, Given } from '../define-tool.ts';
import { shortenList } from '../fit.ts';
import {
  describeStep,
  describeSubject,
  isSubject,
  presentStep,
  showArgument,
  shownSteps,
} from '../present/change-steps.ts';
import { dryRunNotice, noticesOf } from '../present/receipt.ts';
import { argumentsOf } from './campaign-pages.ts';
import { type Present, presentOf, readBefore } from './current-values.ts';
import { defineWritingTool } from './execute.ts';
import { describeEffect, effectOn, nameSome, warningsOf } from './group-effect.ts';

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
  // What is planned must still be so when it is sent.
  reserve: async ({ change_id: id, dry_run: dryRun }, context, run) => {
    const { id: known } = await requireChange(id, context);
    return dryRun ? run() : context.guard.changes.whileReserved(known, run);
  },
  plan: async ({ change_id: id, dry_run: isDryRun, unread: mayBeUnread }, context) => {
    const change = await requireChange(id, context);
    const plan = await planUndo(change, context);
    const { steps, notices, unread } = plan;
    if (steps.length === 0) {
      throw new Failure(
        `Change ${change.id} cannot be taken back.`,
        notices.join(' ') || 'Nothing of it was carried out.',
      );
    }
    const isAgreed = isDryRun || mayBeUnread || context.guard.asksFirst;
    if (unread.length > 0 && !isAgreed) {
      throw new Failure(
        `Nothing was taken back: today’s value cannot be read of ${nameSome(unread)}, so somebody may have changed it since.`,
        'Look in the tracker, or ask the person; with unread true it is set all the same.',
      );
    }
    return {
      isDryRun,
      write: {
        tool: 'undo_change',
        steps,
        undoes: change.id,
        question: questionOf(change.id, plan, context),
        effect: [...plan.effect, ...notices],
        send: (request) => context.client.write(request, { signal: context.signal }),
      },
      answer: (done) => present(change.id, plan, done, context),
      stopped: ({ change: sent, replies }, reason) =>
        new Failure(
          `undo_change stopped after ${replies.length} of ${steps.length} writes: ${reason}`,
          `To go on, call undo_change again: what is taken back already is not sent again. What was sent is change ${sent}, which can be undone.`,
        ),
    };
  },
});

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
  readonly effect: readonly string[];
  readonly notices: readonly string[];
  /** The arguments whose value today is not known. */
  readonly unread: readonly string[];
}

/** What is to be sent, the last write first. Throws a Failure if a value is no longer what the change set, or cannot be read. */
async function planUndo(change: Change, context: CallContext): Promise<Plan> {
  const now = presentOf(context);
  const notices: string[] = [];
  const unread: string[] = [];
  const steps: Step<TrackerRequest>[] = [];
  for (const step of change.steps.toReversed()) {
    if (step.outcome !== 'ok' && step.outcome !== 'unknown') continue;
    const inverse = inverseOf(step);
    notices.push(...inverse.cannot);
    if (!inverse.arguments) continue;
    const endpoint: Endpoint | undefined = endpoints.find(({ name }) => name === inverse.tool);
    if (!endpoint)
      throw new Failure(`The change was made with ${show(inverse.tool)}, which this version does not know.`);
    const given = check(endpoint, inverse.arguments, notices);
    const { values, notices: said, isCurrent } = await readBefore(endpoint, given, now);
    if (isSet(endpoint, given, values)) {
      notices.push(
        `${describeStep(presentStep(step, context.currency))}: nothing to take back, the tracker has it so already.`,
      );
      continue;
    }
    refuseMoved(step, values, context);
    // To switch off what was added overwrites nothing.
    const lost =
      inverse.tool === step.tool ? setNames(endpoint, given).filter((name) => !isCurrent || !(name in values)) : [];
    unread.push(...lost.map((name) => `${name} of ${describeSubject(inverse.tool, given)}`));
    if (endpoint.record !== 'campaign_page' || !isCurrent) notices.push(...said);
    steps.push({ request: context.client.request(endpoint, given), before: values });
  }
  const { effect, warnings } = await effectOf(steps, now);
  if (unread.length > 0)
    notices.unshift(`Today’s value cannot be read: ${nameSome(unread)}. Somebody may have changed it since.`);
  return { steps, effect, unread, notices: [...new Set([...notices, ...warnings])] };
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

async function effectOf(
  steps: readonly Step<TrackerRequest>[],
  now: Present,
): Promise<{ readonly effect: string[]; readonly warnings: string[] }> {
  const moves = steps.flatMap(({ request }) => {
    const { campaign_id: campaignId, page_id: pageId, share, active } = argumentsOf(request.arguments);
    if (campaignId === undefined || pageId === undefined || (share === undefined && active === undefined)) return [];
    return [{ campaignId, move: [String(pageId), { share, active }] as const }];
  });
  const effects = [...new Set(moves.map(({ campaignId }) => campaignId))].map(async (id) => {
    const changes = new Map(moves.flatMap(({ campaignId, move }) => (campaignId === id ? [move] : [])));
    const { groups, sharesOnePool } = await now.pages(id);
    return groups
      .filter(({ pages }) => pages.some(({ pageId }) => changes.has(pageId)))
      .map((group) => ({ effect: effectOn(group, changes), sharesOnePool }));
  });
  const found = (await Promise.all(effects)).flat();
  return {
    effect: found.flatMap(({ effect }) => describeEffect(effect)),
    warnings: found.flatMap(({ effect, sharesOnePool }) => warningsOf(effect, sharesOnePool)),
  };
}

function questionOf(id: string, { steps, effect, notices }: Plan, { currency }: CallContext): string {
  const writes = steps.flatMap(({ request: { endpoint, arguments: given }, before = {} }) => [
    `${endpoint.title}:`,
    ...Object.entries(given).map(([name, value]) => `- ${changeInWords(name, value, before, currency, show)}`),
  ]);
  return [`Take back change ${id}?`, ...writes, ...effect, ...notices, 'This changes live traffic.'].join('\n');
}

/** The arguments that say to what something is set, and not what. */
function setNames(endpoint: Endpoint, given: Given): string[] {
  return Object.keys(given).filter((name) => name === 'new_page_id' || endpoint.parameters[name]?.required !== true);
}

function isSet(endpoint: Endpoint, given: Given, now: Given): boolean {
  const set = setNames(endpoint, given);
  return set.length > 0 && set.every((name) => name in now && String(now[name]) === String(given[name]));
}

/** @throws Failure if a value is no longer what the change set */
function refuseMoved({ arguments: set }: ChangeStep, now: Given, { currency }: CallContext): void {
  const moved = Object.entries(now).filter(
    ([name, value]) => name in set && name !== 'new_page_id' && String(value) !== String(set[name]),
  );
  if (moved.length === 0) return;
  const differences = moved.map(([name, value]) => {
    const [is, was] = [value, set[name]].map((one) => showArgument(name, one, currency));
    return `${name} is ${is}, and the change set ${was}`;
  });
  throw new Failure(
    `Nothing was taken back: ${joinWords(differences, 'and')}. Somebody changed it since.`,
    'Look at it first; to set another value use the tool that edits it.',
  );
}

function present(
  undoes: string,
  { steps, effect, notices }: Plan,
  done: WriteResult | undefined,
  { currency }: CallContext,
): Answer {
  const outcome = done ? 'ok' : 'not sent';
  const shown = steps.map(({ request: { endpoint, arguments: given }, before = {} }) =>
    presentStep({ tool: endpoint.name, arguments: given, before, outcome }, currency),
  );
  const remarks = [...notices, ...(done ? noticesOf(done) : [dryRunNotice])];
  const state = done ? `done, change ${done.change}` : 'not sent (dry run)';
  return {
    parts: [effect, shown, remarks].map(({ length }) => ({ count: length, min: 0 })),
    render: ([lines = 0, count = 0, some = 0]) => {
      const listed = [
        ...(effect.length === 0 ? [] : [shortenList(effect, lines, 'pages of the group').join('\n')]),
        ...(count < shown.length ? [`${shown.length - count} more writes are not shown; list_changes has them.`] : []),
        ...shortenList(remarks, some, 'notices'),
      ];
      const structured = {
        undoes,
        dry_run: done === undefined,
        done: done !== undefined,
        change_id: done?.change ?? null,
        steps: shown.slice(0, count),
        notices: listed,
      };
      const text = [`undo_change of ${undoes}: ${state}.`, ...structured.steps.map(describeStep), ...listed];
      return { structured, text: text.join('\n') };
    },
  };
}

interface Inverse {
  readonly tool: string;
  /** What is sent; absent if nothing can be taken back. */
  readonly arguments: Given | undefined;
  /** What cannot be taken back, a sentence each. */
  readonly cannot: readonly string[];
}

/** The write that takes another back, by the values before, as far as there is one. */
function inverseOf({ tool, arguments: given, before, id }: ChangeStep): Inverse {
  const off = switchOffOf(tool);
  if (off) {
    const record = id ?? given[off.id] ?? null;
    if (record === null) {
      const cannot = [`What ${tool} added cannot be switched off: the tracker named no ID of it.`];
      return { tool, arguments: undefined, cannot };
    }
    const { campaign_id } = argumentsOf(given);
    const about = { ...(campaign_id === undefined ? {} : { campaign_id }), [off.id]: Number(record), active: false };
    const cannot = ['What was added is switched off and stays: the API cannot delete it.'];
    return { tool: off.tool, arguments: about, cannot };
  }
  const names = Object.keys(given).filter((name) => name !== 'dry_run');
  const subjects = names.filter((name) => isSubject(tool, name)).map((name) => [name, given[name]]);
  const set = names.filter((name) => !isSubject(tool, name));
  const known = set.filter((name) => name in before);
  const lost = set.filter((name) => !(name in before));
  // A page that was given another ID goes by that one now.
  const { new_page_id: renamed } = argumentsOf(given);
  const moved = renamed === undefined ? [] : [['page_id', renamed]];
  const values = [...subjects, ...moved, ...known.map((name) => [name, before[name]])];
  return {
    tool,
    arguments: known.length === 0 ? undefined : Object.fromEntries(values),
    cannot:
      lost.length === 0 ? [] : [`Not taken back: ${joinWords(lost, 'and')}, since the value before is not known.`],
  };
}
