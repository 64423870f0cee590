import { randomBytes } from 'node:crypto';
import { Failure, type Outcome } from '../api/failure.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { AuditedWrite } from './read-audit-log.ts';
import type { ValuesBefore, WriteRequest } from './write-request.ts';

/** One write of a change. */
export interface ChangeStep {
  /** The tool of the endpoint that was written to. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly before: ValuesBefore;
  /** `waiting` where it was not sent: an earlier one of the same change did not succeed. */
  outcome: 'waiting' | 'ok' | Outcome;
  /** The ID that the tracker gave. */
  id: string | null;
}

/** What one call changed. */
export interface Change {
  /** By which it is shown and undone. */
  readonly id: string;
  /** When it began, in UTC. */
  readonly time: string;
  /** The tool that was called. */
  readonly tool: string;
  /** What the client calls itself. */
  readonly client: string;
  readonly steps: readonly ChangeStep[];
  /** The change that it takes back. */
  readonly undoes: string | undefined;
  /** The proposal that it was, and whose yes let it be sent; absent where none was needed, or the client asked for it. */
  readonly approved: { readonly proposal: string; readonly approver: string } | undefined;
  /** The change that took it back. */
  readonly undoneBy: string | undefined;
}

/** The changes that several servers make, where they ask one tracker. */
export interface ChangeJournal {
  /** @throws Failure where the others cannot be told of a change, which must not be made then */
  requireThere(): void;
  /**
   * The changes of all, the oldest first.
   *
   * @throws Failure where they cannot be read
   */
  read(): Promise<readonly Change[]>;
  /**
   * Tells the others of a change that is about to be made, or of a step of it that is about to be sent.
   *
   * @param step its index; without it, the change
   * @throws Failure where that fails
   */
  announce(change: Change, step?: number): Promise<void>;
  /** Tells the others how a step ended; where they cannot be told now, as soon as they can. */
  settle(change: Change, step: number): Promise<void>;
  /**
   * Reserves a change for one server, to take it back.
   *
   * @returns gives it free; undefined where another server has it
   * @throws Failure where that cannot be told
   */
  reserve(id: string): Promise<(() => void) | undefined>;
}

/** Older changes are in the audit trail alone. */
const maxKept = 500;

/** What was changed through one guard, by those who share its journal, and before it as far as the audit trail tells. */
export class Changes {
  readonly #trail: AuditTrail | undefined;
  readonly #journal: ChangeJournal | undefined;
  #kept: Change[] = [];
  readonly #takenBack = new Set<string>();
  #earlier: Promise<Known> | undefined;

  /** @param journal absent where this server is the only one */
  constructor(trail?: AuditTrail, journal?: ChangeJournal) {
    this.#trail = trail;
    this.#journal = journal;
  }

  /** The changes, the oldest first. */
  async all(): Promise<readonly Change[]> {
    return (await this.#read()).changes;
  }

  /** Why changes of earlier runs or of other servers may be missing, a sentence each. */
  async gaps(): Promise<readonly string[]> {
    return (await this.#read()).gaps;
  }

  /** @throws Failure where no change must be made now, as others could not be told of it */
  requireJournal(): void {
    this.#journal?.requireThere();
  }

  /**
   * The change with an ID.
   *
   * @throws Failure if several have it, as some of logs with short IDs may: to take back one of them would be a guess
   */
  async find(typed: string): Promise<Change | undefined> {
    const id = typed.trim().toLowerCase();
    const [found, ...others] = (await this.all()).filter((change) => change.id === id);
    if (others.length === 0) return found;
    const times = [found, ...others].map((change) => change?.time).join(', ');
    throw new Failure(
      `${others.length + 1} changes have the ID ${id} (${times}), so nothing was sent.`,
      'Look at them with list_changes, and set what you want with the tools that edit.',
    );
  }

  /** An ID that no known change has. It is long enough that none of the forgotten ones has it either. */
  async #newId(): Promise<string> {
    const taken = new Set((await this.all()).map(({ id }) => id));
    for (;;) {
      const id = randomBytes(6).toString('hex');
      if (!taken.has(id)) return id;
    }
  }

  /**
   * Takes a change back, one call at a time: who comes second finds it taken back.
   *
   * @param run plans and sends what takes it back
   * @throws Failure where somebody else is at it
   */
  async whileReserved<Result>(id: string, run: () => Promise<Result>): Promise<Result> {
    const giveFree = this.#takenBack.has(id) ? undefined : await this.#reserve(id);
    if (!giveFree) {
      throw new Failure(
        `Change ${id} is being taken back by another call, so nothing was sent.`,
        'Look with list_changes in a moment.',
      );
    }
    try {
      return await run();
    } finally {
      giveFree();
    }
  }

  async #reserve(id: string): Promise<(() => void) | undefined> {
    this.#takenBack.add(id);
    const giveFree = () => this.#takenBack.delete(id);
    if (!this.#journal) return giveFree;
    try {
      const giveFreeToAll = await this.#journal.reserve(id);
      if (!giveFreeToAll) giveFree();
      return (
        giveFreeToAll &&
        (() => {
          giveFree();
          giveFreeToAll();
        })
      );
    } catch (error) {
      giveFree();
      throw error;
    }
  }

  /**
   * Records a change that is about to be sent.
   *
   * @throws Failure where others cannot be told of it
   */
  async begin(
    about: Pick<Change, 'tool' | 'client' | 'undoes' | 'approved'>,
    steps: readonly { readonly request: WriteRequest; readonly before?: ValuesBefore | undefined }[],
  ): Promise<Change> {
    const change: Change = {
      ...about,
      id: await this.#newId(),
      time: new Date().toISOString(),
      steps: steps.map(({ request, before = {} }) => ({
        tool: request.endpoint.name,
        arguments: request.arguments,
        before,
        outcome: 'waiting',
        id: null,
      })),
      undoneBy: undefined,
    };
    await this.#journal?.announce(change);
    this.#kept = [...this.#kept, change].slice(-maxKept);
    return change;
  }

  /**
   * Records that a step is about to be sent.
   *
   * @throws Failure where others cannot be told of it
   */
  async sending(change: Change, step: number): Promise<void> {
    await this.#journal?.announce(change, step);
  }

  /** Records how a step ended. */
  async settled(change: Change, step: number): Promise<void> {
    await this.#journal?.settle(change, step);
  }

  /** Of one that several tell of, the journal is believed, where an undo by another server stands too. */
  async #read(): Promise<Known> {
    const [earlier, others] = await Promise.all([this.#readEarlier(), readJournal(this.#journal)]);
    const inJournal = others.changes;
    const kept = this.#kept.filter((change) => !inJournal.some((other) => isSame(change, other)));
    const newer = [...kept, ...inJournal];
    const known = [...earlier.changes.filter((change) => !newer.some((other) => isSame(change, other))), ...newer];
    const changes = this.#journal
      ? known.toSorted((one, other) => Date.parse(one.time) - Date.parse(other.time))
      : known;
    return { changes: markUndone(changes).slice(-maxKept), gaps: [...earlier.gaps, ...others.gaps] };
  }

  /** The log is read when it is first asked for, and not again: what this guard changes from then on it knows itself. */
  #readEarlier(): Promise<Known> {
    this.#earlier ??= readEarlier(this.#trail);
    return this.#earlier;
  }
}

interface Known {
  readonly changes: readonly Change[];
  readonly gaps: readonly string[];
}

async function readJournal(journal: ChangeJournal | undefined): Promise<Known> {
  if (!journal) return { changes: [], gaps: [] };
  try {
    return { changes: await journal.read(), gaps: [] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { changes: [], gaps: [`Changes that other replicas made are not known: ${reason}`] };
  }
}

async function readEarlier(trail: AuditTrail | undefined): Promise<Known> {
  if (!trail) return { changes: [], gaps: [] };
  try {
    const { writes, unreadable } = await trail.readEarlierWrites();
    const gaps = unreadable === 0 ? [] : [`Lines of the audit log that could not be read: ${unreadable}.`];
    return { changes: changesOf(writes).slice(-maxKept), gaps };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { changes: [], gaps: [`Changes of earlier runs are not known: ${reason}`] };
  }
}

/** How a write may end; of one that ended with another word nobody can tell. */
const outcomes: readonly ChangeStep['outcome'][] = ['ok', 'not-sent', 'refused', 'unknown', 'cancelled', 'failed'];

/** The log has the time of the first write, which may wait for a disk, and the journal that of the change. */
const maxApartMs = 60_000;

/** Whether two sources tell of one change. An ID alone does not say so: those of old logs are short. */
function isSame(one: Change, other: Change): boolean {
  const isSameAct = one.id === other.id && one.tool === other.tool && one.client === other.client;
  return isSameAct && Math.abs(Date.parse(one.time) - Date.parse(other.time)) < maxApartMs;
}

/** The changes that writes of a trail belong to, in the order in which they began. */
function changesOf(writes: readonly AuditedWrite[]): Change[] {
  const changes: (Change & { steps: ChangeStep[] })[] = [];
  const latest = new Map<string, Change & { steps: ChangeStep[] }>();
  for (const write of writes) {
    const { change: id, time, act, tool, client, arguments: given, before, undoes, outcome, id: named } = write;
    if (id === undefined) continue;
    const { proposal, approver } = write;
    const approved = proposal === undefined || approver === undefined ? undefined : { proposal, approver };
    // A tool that sends one write made another change by the same ID.
    const key = JSON.stringify([id, write.run, act, undoes, proposal]);
    let change = act === tool ? undefined : latest.get(key);
    if (!change) {
      change = { id, time, tool: act ?? tool, client, undoes, approved, steps: [], undoneBy: undefined };
      changes.push(change);
      latest.set(key, change);
    }
    change.steps.push({
      tool,
      arguments: given,
      before,
      outcome: outcomes.find((known) => known === outcome) ?? 'unknown',
      id: named,
    });
  }
  return changes;
}

/** The changes, each with the one that took it back whole. */
function markUndone(changes: readonly Change[]): Change[] {
  const undoneBy = new Map(
    changes.flatMap(({ id, undoes, steps }) =>
      undoes !== undefined && steps.every(({ outcome }) => outcome === 'ok') ? [[undoes, id] as const] : [],
    ),
  );
  return changes.map((change) => ({ ...change, undoneBy: undoneBy.get(change.id) }));
}
