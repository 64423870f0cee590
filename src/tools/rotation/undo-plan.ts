import { describeChanges, describeStep, describeSubject, isSubject, showArgument } from '../../answer/changes.ts';
import { distinct, type Note, type NoteOf, type Notice } from '../../answer/notes.ts';
import { type Endpoint, endpoints } from '../../api/endpoints.ts';
import { Failure } from '../../api/failure.ts';
import { joinWords } from '../../api/rules.ts';
import { show } from '../../api/text/tracker-text.ts';
import { switchOffFor } from '../../guard/allowed-steps.ts';
import type { Change, ChangeStep } from '../../guard/changes.ts';
import type { CallContext, Given } from '../define-tool.ts';
import { leapNotes, presentStep, unknownBefore } from '../present/change-steps.ts';
import { argumentsOf } from './campaign-pages.ts';
import { isSameValue, type Snapshot } from './current-values.ts';
import { explainTogether } from './joint-effect.ts';
import { namesSet } from './read-again.ts';
import { readerInOrder } from './read-in-order.ts';
import type { WriteStep } from './writing-tool.ts';

export interface ChangeUndo {
  readonly change: Change;
  /** The last step of the change first; none if nothing is left to undo. */
  readonly steps: readonly WriteStep[];
  /** What the requests set, in lines, for a person who is asked. */
  readonly requests: readonly string[];
}

export interface UndoPlan {
  /** The newest change first. */
  readonly undos: readonly ChangeUndo[];
  readonly effect: readonly Notice[];
  readonly notices: readonly Notice[];
  /** The arguments whose value today is not known, and their requests. */
  readonly unread: NoteOf<'today-unread'>['values'];
}

/**
 * Plans the requests that take changes back, the newest change and the last step first. Throws a Failure that names every value that
 * is not what a change set, or if the tracker cannot be read.
 *
 * @param changes oldest first
 */
export async function planUndo(
  changes: readonly Change[],
  snapshot: Snapshot,
  context: CallContext,
): Promise<UndoPlan> {
  const notices: Notice[] = [];
  const unread: { name: string; request: string }[] = [];
  const conflicts: Conflict[] = [];
  const undos: ChangeUndo[] = [];
  const read = readerInOrder(snapshot);
  for (const change of changes.toReversed()) {
    const steps: WriteStep[] = [];
    const requests: string[] = [];
    for (const step of change.steps.toReversed()) {
      if (step.outcome !== 'ok' && step.outcome !== 'unknown') continue;
      const inverse = inverseOf(step);
      if (inverse.notice) notices.push(inverse.notice);
      if (!inverse.arguments) continue;
      const endpoint: Endpoint | undefined = endpoints.find(({ name }) => name === inverse.tool);
      if (!endpoint) {
        throw new Failure(`The change was made with ${show(inverse.tool)}, which this version does not know.`);
      }
      const given = pickValid(endpoint, inverse.arguments, notices);
      const set = namesSet({ endpoint, arguments: given });
      if (set.length === 0) continue;
      const request = context.client.request(endpoint, given);
      const { values, names, notices: readNotices, isCurrent } = await read(request);
      if (set.every((name) => name in values && isSameValue(values[name], given[name]))) {
        notices.push({ code: 'old-value-there', request: describeStep(presentStep(step, context.currency)) });
        continue;
      }
      conflicts.push(...conflictsOf(change, step, values));
      // Switching off what was added overwrites no value.
      const lost = inverse.tool === step.tool ? set.filter((name) => !isCurrent || !(name in values)) : [];
      const subject = describeSubject(inverse.tool, given);
      unread.push(...lost.map((name) => ({ name, request: subject })));
      // The warnings about pages come from the effect of all steps together.
      const ofStep = endpoint.record !== 'campaign_page' || !isCurrent ? readNotices : [];
      const ofRequest = [...ofStep, ...leapNotes(given, values, context.currency)];
      const named = ofRequest.map((notice) => ({ of: { request: subject }, notice }));
      notices.push(...(changes.length === 1 ? ofRequest : named));
      const lines = describeChanges(given, values, context.currency, names).map((line) => `- ${line}`);
      requests.push(`${endpoint.title}:`, ...lines);
      steps.push({ request, before: values });
    }
    undos.push({ change, steps, requests });
  }
  if (conflicts.length > 0) throw await movedFailure(conflicts, changes.length > 1, context);
  const requests = undos.flatMap(({ steps }) => steps.map(({ request }) => request));
  const { effect, warnings } = await explainTogether(requests, snapshot);
  if (unread.length > 0) notices.unshift({ code: 'today-unread', values: unread });
  return { undos, effect, unread, notices: distinct([...notices, ...warnings]) };
}

/** A value that is no longer what a change set. */
interface Conflict {
  readonly change: Change;
  readonly step: ChangeStep;
  readonly name: string;
  readonly now: unknown;
}

function conflictsOf(change: Change, step: ChangeStep, now: Given): Conflict[] {
  const { arguments: set } = step;
  return Object.entries(now).flatMap(([name, value]) =>
    name in set && name !== 'new_page_id' && !isSameValue(value, set[name]) ? [{ change, step, name, now: value }] : [],
  );
}

async function movedFailure(
  conflicts: readonly Conflict[],
  areSeveral: boolean,
  { guard, currency }: CallContext,
): Promise<Failure> {
  const all = await guard.changes.all();
  const described = conflicts.map((conflict) => {
    const { change, step, name, now } = conflict;
    const [is, was] = [now, step.arguments[name]].map((one) => showArgument(name, one, currency));
    const which = areSeveral ? `change ${change.id}` : 'the change';
    const of = areSeveral ? ` of ${describeSubject(step.tool, step.arguments)}` : '';
    const later = laterChange(conflict, all);
    const since = later === undefined ? '' : `, and change ${later.id} to ${is} since`;
    return { text: `${name}${of} is ${is}, but ${which} set it to ${was}${since}`, later };
  });
  const later = [...new Set(described.flatMap((one) => one.later?.id ?? []))];
  return new Failure(
    `Nothing was undone: ${joinWords(
      described.map(({ text }) => text),
      'and',
    )}.`,
    later.length > 0
      ? `Undo ${joinWords(later, 'and')} first, or with it, as changes.`
      : 'Somebody changed it since, or the tracker stored it differently, for example rounded. Look at it first; to set another value use the tool that edits it.',
  );
}

/** The later change of this server that set the value that is there now; undefined if somebody else did. */
function laterChange({ change, step, name, now }: Conflict, all: readonly Change[]): Change | undefined {
  const subject = describeSubject(step.tool, step.arguments);
  const after = all.slice(all.findIndex(({ id }) => id === change.id) + 1);
  return after.findLast(({ undoneBy, steps }) => {
    if (undoneBy !== undefined) return false;
    return steps.some(
      ({ tool, arguments: set }) => describeSubject(tool, set) === subject && isSameValue(now, set[name]),
    );
  });
}

/** The arguments that the endpoint accepts: a tracker may have had a value that its API does not accept. */
function pickValid(endpoint: Endpoint, given: Given, notices: Notice[]): Given {
  const valid = Object.entries(given).flatMap(([name, value]) => {
    const parsed = endpoint.parameters[name]?.schema.safeParse(value);
    if (parsed?.success) return [[name, parsed.data] as const];
    notices.push({ code: 'old-value-not-taken', name, value: show(value), tool: endpoint.name });
    return [];
  });
  return Object.fromEntries(valid);
}

/** The request that takes a step back, as far as that is possible. */
interface Inverse {
  readonly tool: string;
  /** Absent if nothing can be undone. */
  readonly arguments?: Given;
  /** What cannot be undone. */
  readonly notice?: Note;
}

function inverseOf({ tool, arguments: given, before, id }: ChangeStep): Inverse {
  const off = switchOffFor(tool);
  if (off) {
    const record = id ?? given[off.id] ?? null;
    if (record === null) {
      return { tool, notice: { code: 'added-without-id', tool } };
    }
    const { campaign_id } = argumentsOf(given);
    return {
      tool: off.tool,
      arguments: { ...(campaign_id === undefined ? {} : { campaign_id }), [off.id]: Number(record), active: false },
      notice: { code: 'addition-stays' },
    };
  }
  const names = Object.keys(given);
  const lost = unknownBefore(tool, given, before);
  const kept = names.filter((name) => !isSubject(tool, name) && !lost.includes(name));
  const notice: Note = { code: 'old-value-unknown', names: lost };
  const subjects = names.filter((name) => isSubject(tool, name)).map((name) => [name, given[name]]);
  // After a change of its ID, the page has the new one.
  const { new_page_id: newId } = argumentsOf(given);
  const moved = newId === undefined ? [] : [['page_id', newId]];
  const values = Object.fromEntries([...subjects, ...moved, ...kept.map((name) => [name, before[name]])]);
  return { tool, ...(kept.length > 0 && { arguments: values }), ...(lost.length > 0 && { notice }) };
}
