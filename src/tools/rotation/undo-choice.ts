import { type Note, sayNotice } from '../../answer/notes.ts';
import { Failure } from '../../api/failure.ts';
import { isCalendarDay } from '../../api/parameters.ts';
import { show } from '../../api/text/tracker-text.ts';
import type { Change } from '../../guard/changes.ts';
import type { CallContext } from '../define-tool.ts';

/** What a call asks to undo: one of these. */
export interface UndoQuestion {
  /** The ID of a change or of a set. */
  readonly change_id?: string | undefined;
  readonly changes?: readonly string[] | undefined;
  /** The time from which on all changes are undone; with a token, those made with it. */
  readonly since?: string | undefined;
}

/** Changes to undo, oldest first, and what is said about the others. */
interface Chosen {
  readonly changes: readonly Change[];
  readonly notices: readonly Note[];
}

const maxChanges = 100;

/** Finds the changes that are still to be undone. Throws a Failure if there are none, or if an ID is unknown. */
export async function chooseChanges(question: UndoQuestion, context: CallContext): Promise<Chosen> {
  const { change_id: one, changes: several = [] } = question;
  const since = question.since === undefined ? undefined : readTime(question.since);
  const ids = [...(one === undefined ? [] : [one]), ...several];
  const isOneWay = ids.length > 0 !== (since !== undefined);
  if (!isOneWay)
    throw new Failure('undo_change was not called: it takes change_id, changes or since, one of the three.');
  const all = await context.guard.changes.all();
  const wanted =
    since === undefined
      ? await findNamed(ids, context)
      : all.filter((change) => isSince(change, since) && isOwn(change, context));
  const chosen = stillDone(wanted, all);
  if (chosen.changes.length > maxChanges) {
    throw new Failure(
      `Nothing was undone: these are ${chosen.changes.length} changes, and ${maxChanges} at most can be undone at once.`,
      'Undo the newest first, with a later since.',
    );
  }
  if (chosen.changes.length > 0) return chosen;
  const [undone] = wanted;
  if (wanted.length === 1 && undone?.undoneBy !== undefined) {
    throw new Failure(
      `Change ${undone.id} was already undone, by change ${undone.undoneBy}.`,
      `To do it again, undo ${undone.undoneBy}.`,
    );
  }
  throw new Failure(
    'There is nothing to undo.',
    chosen.notices.map(sayNotice).join(' ') || 'list_changes shows what was changed.',
  );
}

/** A time in ISO 8601, in UTC unless it says otherwise; undefined if it is none. */
export function readTime(text: string): Date | undefined {
  const written = text.trim().replace(' ', 'T');
  const hasZone = /(?:z|[+-]\d{2}:?\d{2})$/i.test(written) || !written.includes('T');
  const time = new Date(hasZone ? written : `${written}Z`);
  // A day that does not exist would be another one.
  const day = /^\d{4}-\d{2}-\d{2}/.exec(written)?.[0];
  return day !== undefined && isCalendarDay(day) && !Number.isNaN(time.getTime()) ? time : undefined;
}

async function findNamed(ids: readonly string[], { guard }: CallContext): Promise<readonly Change[]> {
  const found = await Promise.all(
    ids.map(async (id) => {
      const changes = await guard.changes.findAll(id);
      if (changes.length > 0) return changes;
      const newest = (await guard.changes.all()).slice(-10).map((candidate) => `${candidate.id} (${candidate.tool})`);
      throw new Failure(
        `There is no change ${show(id)}.`,
        newest.length === 0 ? 'This server has recorded no changes.' : `The newest are: ${newest.join(', ')}.`,
      );
    }),
  );
  return found.flat();
}

/** Whether the caller's token made a change; without tokens, all changes are the caller's. */
function isOwn({ owner }: Change, { guard }: CallContext): boolean {
  return guard.holderName === undefined || owner === guard.holderName;
}

/** Whether a change began then or later, and anything of it may have been carried out. */
function isSince({ time, steps }: Change, since: Date): boolean {
  const mayBeDone = steps.some(({ outcome }) => outcome === 'ok' || outcome === 'unknown');
  return mayBeDone && Date.parse(time) >= since.getTime();
}

/**
 * The changes that still have an effect, in the order in which they were made. A change and its undo cancel each other out; if the
 * undo was undone in turn, the last one of the three stands for the first.
 */
function stillDone(wanted: readonly Change[], all: readonly Change[]): Chosen {
  const isWanted = new Set(wanted.map(({ id }) => id));
  const byId = new Map(all.map((change) => [change.id, change]));
  const ofWanted = all.filter(({ id }) => isWanted.has(id));
  const lengthOfChain = (change: Change): number => {
    const earlier = change.undoes !== undefined && isWanted.has(change.undoes) ? byId.get(change.undoes) : undefined;
    return 1 + (earlier ? lengthOfChain(earlier) : 0);
  };
  const undone = ofWanted.filter(({ undoneBy }) => undoneBy !== undefined && !isWanted.has(undoneBy));
  return {
    changes: ofWanted.filter((change) => change.undoneBy === undefined && lengthOfChain(change) % 2 === 1),
    notices:
      undone.length === 0
        ? []
        : [{ code: 'undone-already', changes: undone.map(({ id, undoneBy = '' }) => ({ id, by: undoneBy })) }],
  };
}
