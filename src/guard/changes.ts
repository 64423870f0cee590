import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { Failure, type Outcome } from '../api/failure.ts';
import type { HistoryNote } from '../api/notes.ts';
import { cleanText } from '../api/text/clean-text.ts';
import type { AuditTrail, Ending } from './audit-trail.ts';
import { type AuditedWrite, auditedValues, setPlace, shownText } from './read-audit-log.ts';
import type { Step } from './write.ts';

/** The outcomes of a step; any other word in a log counts as unknown. `waiting`: not sent, because an earlier step failed. */
const outcomes = ['waiting', 'ok', 'not-sent', 'refused', 'unknown', 'cancelled', 'failed'] as const;

const changeStep = z.object({
  tool: shownText,
  arguments: auditedValues,
  before: auditedValues,
  outcome: z.enum(outcomes),
  id: shownText.nullable(),
});

/** A change in the journal of several servers. Its texts are cleaned, as in the audit log. */
const journalChange = z.object({
  id: shownText,
  /** When it began, in UTC. */
  time: shownText,
  tool: shownText,
  client: shownText,
  /** The name of the caller's token; absent without tokens. */
  owner: shownText.optional(),
  undoes: shownText.optional(),
  set: setPlace.optional(),
  /** The approval that let it be sent; absent if none was needed, or the client asked for it. */
  approved: z.object({ proposal: shownText, approver: shownText }).optional(),
  steps: z.array(changeStep).readonly(),
});

export type ChangeStep = z.infer<typeof changeStep>;

/** What one call changed, or one write of a set. `undoneBy`: the change that took it back. */
export type Change = Readonly<z.infer<typeof journalChange>> & {
  readonly undoneBy: string | undefined;
  /** How many requests were never sent and are no steps, because the server ended before. */
  readonly unsent?: number;
};

/** Requests that were taken from a day; or how many were sent, and how many others took, if it may have no more. */
type TakenFromDay =
  | { readonly giveBack: (unsent: number) => void }
  | { readonly sent: number; readonly taken?: number | undefined };

/** The changes of several servers that write to one tracker. */
export interface ChangeJournal {
  /** @throws Failure if no change can be announced now: then do not write */
  requireReachable(): void;
  /** The changes of all servers, oldest first. Throws a Failure if they cannot be read. */
  read(): Promise<readonly Change[]>;
  /** Announces a change before it begins, or one of its steps before it is sent. Throws a Failure if that fails. */
  announce(change: Change, step?: number): Promise<void>;
  /** Records the outcome of a step as soon as the journal can be reached. */
  settle(change: Change, step: number): Promise<void>;
  /**
   * Takes requests that are about to be sent from those that a UTC day may have, at all servers in one step.
   * @param asked.known how many are known to be sent
   */
  take(
    day: string,
    asked: { readonly count: number; readonly max: number; readonly known: number },
  ): Promise<TakenFromDay>;
  /** Reserves a change for an undo. Returns the release function, or undefined if it is reserved; may throw a Failure. */
  reserve(id: string): Promise<(() => void) | undefined>;
}

/** Older changes are only in the audit trail. */
const maxKept = 500;

/** Another server that shares the trail undoes the same change. */
class UndoneElsewhere extends Failure {
  override readonly outcome: Outcome = 'not-sent';

  constructor(id: string) {
    super(
      `Change ${id} is being undone, or was just undone, by another server of yours, so nothing was sent.`,
      'Look with list_changes in a moment.',
    );
  }
}

/** Changes, oldest first. `gaps`: why some may be missing. */
interface History {
  readonly changes: readonly Change[];
  readonly gaps: readonly HistoryNote[];
}

/** The changes made through one guard, by the servers that share its journal, and by earlier runs in the audit trail. */
export class Changes {
  readonly #trail: AuditTrail | undefined;
  readonly #journal: ChangeJournal | undefined;
  #kept: Change[] = [];
  /** The changes that people approved, by proposal. They are few, and none is dropped. */
  readonly #sent = new Map<string, Change>();
  /** The changes that are being undone, by their IDs, and the undos of other runs that were known then. */
  readonly #reserved = new Map<string, ReadonlySet<string>>();
  readonly #now: () => Date;
  /** The requests of a UTC day that this server sent, or is about to send, and its changes of that day. */
  #ownDay = { day: '', count: 0, ids: new Set<string>() };

  /** @param journal absent if this is the only server */
  constructor(trail?: AuditTrail, journal?: ChangeJournal, now = () => new Date()) {
    this.#trail = trail;
    this.#journal = journal;
    this.#now = now;
  }

  /** How many requests were sent this UTC day, by all servers that share the trail or the journal. */
  async sentToday(): Promise<number> {
    const byOthers = await this.#sentByOthers();
    return byOthers + this.#today().count;
  }

  /** Counts requests that are about to be sent, unless the day would have too many: then `sent` is how many there were. */
  async takeFromDay(count: number, max: number): Promise<TakenFromDay> {
    if (count === 0) return { giveBack: () => undefined };
    const byOthers = await this.#sentByOthers();
    // From here on nothing waits until they are taken, so that no other call of this server takes the same.
    const today = this.#today();
    const known = byOthers + today.count;
    if (known + count > max) return { sent: known };
    today.count += count;
    const giveBack = (unsent: number) => {
      today.count -= Math.min(unsent, count);
    };
    const shared = await this.#journal?.take(today.day, { count, max, known }).catch((failure: unknown) => {
      giveBack(count);
      throw failure;
    });
    if (!shared) return { giveBack };
    if ('giveBack' in shared) {
      return {
        giveBack: (unsent) => {
          giveBack(unsent);
          shared.giveBack(unsent);
        },
      };
    }
    giveBack(count);
    // What another server took may be on its way, or never sent because that server was killed.
    return { sent: known, taken: shared.sent - known };
  }

  async #sentByOthers(): Promise<number> {
    const [earlier, others] = await Promise.all([readEarlier(this.#trail), readJournal(this.#journal)]);
    const byId = new Map([...this.#kept, ...earlier.changes, ...others.changes].map((change) => [change.id, change]));
    const { day, ids } = this.#today();
    const ofDay = [...byId.values()].filter(({ id, time }) => time.startsWith(day) && !ids.has(id));
    return ofDay
      .filter(({ undoes }) => !takesBack(byId.get(undoes ?? '')))
      .flatMap(({ steps }) => steps.filter(wasSent)).length;
  }

  #today() {
    const day = this.#now().toISOString().slice(0, 10);
    if (this.#ownDay.day !== day) this.#ownDay = { day, count: 0, ids: new Set() };
    return this.#ownDay;
  }

  async read(): Promise<History> {
    const [earlier, others] = await Promise.all([readEarlier(this.#trail), readJournal(this.#journal)]);
    // The journal wins, because it has the undos of other servers too.
    const kept = this.#kept.filter((change) => !others.changes.some((other) => isSame(change, other)));
    const newer = [...kept, ...others.changes];
    const changes = [...earlier.changes.filter((change) => !newer.some((other) => isSame(change, other))), ...newer];
    if (this.#journal) changes.sort((one, other) => Date.parse(one.time) - Date.parse(other.time));
    return {
      changes: markUndone(changes).slice(-maxKept),
      gaps: [...earlier.gaps, ...others.gaps, ...problemsOf(this.#trail)],
    };
  }

  async all(): Promise<readonly Change[]> {
    return (await this.read()).changes;
  }

  /**
   * The ID of the change that sent a proposal, whichever server did, however many changes there were since; undefined if none did.
   * The trail is read again: servers that share it have no other way to tell.
   */
  async changeOfProposal(proposal: string): Promise<string | undefined> {
    const [earlier, others] = await Promise.all([readEarlier(this.#trail), readJournal(this.#journal)]);
    const all = [...this.#sent.values(), ...others.changes, ...earlier.changes];
    const sent = all.find(({ approved }) => approved?.proposal === proposal);
    return sent?.set?.id ?? sent?.id;
  }

  /** The change with an ID. Throws a Failure if several have it: IDs in old logs are short. */
  async find(typed: string): Promise<Change | undefined> {
    const id = typed.trim().toLowerCase();
    const [change, ...others] = (await this.all()).filter((candidate) => candidate.id === id);
    if (!change || others.length === 0) return change;
    const times = [change, ...others].map(({ time }) => time);
    throw new Failure(
      `${times.length} changes have the ID ${id} (${times.join(', ')}), so nothing was sent.`,
      'Look at them with list_changes, and set what you want with the tools that edit.',
    );
  }

  /** The change with an ID, or the changes of the set with that ID, oldest first; empty if there is neither. */
  async findAll(typed: string): Promise<readonly Change[]> {
    const change = await this.find(typed);
    if (change) return [change];
    const id = typed.trim().toLowerCase();
    return (await this.all()).filter(({ set }) => set?.id === id);
  }

  /** Runs an undo while no other call can undo the same change. Throws a Failure if another call is doing so. */
  async whileReserved<Result>(id: string, run: () => Promise<Result>): Promise<Result> {
    const inUse = new Failure(
      `Change ${id} is being undone by another call, so nothing was sent.`,
      'Look with list_changes in a moment.',
    );
    if (this.#reserved.has(id)) throw inUse;
    this.#reserved.set(id, new Set());
    try {
      const release = this.#journal ? await this.#journal.reserve(id) : () => undefined;
      if (!release) throw inUse;
      this.#reserved.set(id, new Set((await this.#undosOf(id)).map(({ operation }) => operation)));
      return await run().finally(release);
    } finally {
      this.#reserved.delete(id);
    }
  }

  /**
   * Lets an undo go on whose first line is in the trail. Throws a Failure if another server that shares the trail began to undo the
   * same change after it was reserved here, and before this line: lines have one order for all.
   */
  async requireFirst({ id, undoes = '' }: Change): Promise<void> {
    const known = this.#reserved.get(undoes);
    for (const { change, operation, outcome } of known ? await this.#undosOf(undoes) : []) {
      if (change === id) return;
      if (!known?.has(operation) && outcome !== 'not-sent' && outcome !== 'refused') throw new UndoneElsewhere(undoes);
    }
  }

  /** The requests in the trail that undo a change, by all servers that share it. What cannot be read is told by `read`. */
  async #undosOf(id: string): Promise<readonly AuditedWrite[]> {
    const { writes = [] } = (await this.#trail?.readWrites().catch(() => undefined)) ?? {};
    return writes.filter(({ undoes }) => undoes === id);
  }

  requireJournal(): void {
    this.#journal?.requireReachable();
  }

  /** Records a write before it is sent. Throws a Failure if it cannot be announced to the other servers. */
  async begin(
    part: { readonly tool: string; readonly undoes?: string | undefined; readonly steps: readonly Step[] },
    about: Pick<Change, 'client' | 'owner' | 'approved' | 'set'>,
  ): Promise<Change> {
    const { tool, undoes, steps } = part;
    const { approved } = about;
    const change: Change = {
      ...about,
      tool,
      undoes,
      id: newChangeId(),
      time: this.#now().toISOString(),
      steps: steps.map(({ request, before = {} }) => ({
        tool: request.endpoint.name,
        arguments: request.arguments,
        before,
        outcome: 'waiting',
        id: null,
      })),
      undoneBy: undefined,
    };
    this.#today().ids.add(change.id);
    await this.#journal?.announce(change);
    this.#kept = [...this.#kept, change].slice(-maxKept);
    if (approved) this.#sent.set(approved.proposal, change);
    return change;
  }

  async announce(change: Change, index: number): Promise<void> {
    await this.#journal?.announce(change, index);
  }

  async settle(change: Change, index: number, { outcome, id = null }: Ending): Promise<void> {
    const step = change.steps[index];
    if (step) Object.assign(step, { outcome, id });
    await this.#journal?.settle(change, index);
  }
}

/** Whether to undo a change takes it back, which no limit counts: an undo of an undo makes the change again. */
export const takesBack = (undone: Change | undefined): boolean => undone !== undefined && undone.undoes === undefined;

const wasSent = ({ outcome }: ChangeStep) => outcome !== 'waiting' && outcome !== 'not-sent';

/** The ID of a change, or of a set: long enough to be unique. */
export function newChangeId(): string {
  return randomBytes(6).toString('hex');
}

async function readJournal(journal: ChangeJournal | undefined): Promise<History> {
  try {
    const read = ((await journal?.read()) ?? []).map((change) => journalChange.safeParse(change));
    const changes = read.flatMap(({ data }) => (data ? [{ ...data, undoneBy: undefined }] : []));
    const bad = read.length - changes.length;
    return { changes, gaps: bad === 0 ? [] : [{ code: 'replicas-unreadable', count: bad }] };
  } catch (error) {
    return { changes: [], gaps: [{ code: 'replicas-unknown', failure: messageOf(error) }] };
  }
}

/** The changes of earlier runs, and of other servers that share the trail, all that it has. */
async function readEarlier(trail: AuditTrail | undefined): Promise<History> {
  try {
    const { writes, unreadable } = (await trail?.readWrites()) ?? { writes: [], unreadable: 0 };
    return {
      changes: changesOf(writes.filter(({ run }) => run !== trail?.run)),
      gaps: unreadable === 0 ? [] : [{ code: 'log-unreadable', count: unreadable }],
    };
  } catch (error) {
    return { changes: [], gaps: [{ code: 'earlier-unknown', failure: messageOf(error) }] };
  }
}

const problemsOf = (trail: AuditTrail | undefined): HistoryNote[] =>
  trail?.problem === undefined ? [] : [{ code: 'log-problem', problem: trail.problem }];

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The log has the time of the first request, which may have waited for a disk; the journal has the time of the change. */
const maxApartMs = 60_000;

/** Whether two sources describe the same change. The ID alone does not tell: IDs in old logs are short. */
function isSame(one: Change, other: Change): boolean {
  const isSameCall =
    one.id === other.id && one.tool === other.tool && cleanText(one.client) === cleanText(other.client);
  return isSameCall && Math.abs(Date.parse(one.time) - Date.parse(other.time)) < maxApartMs;
}

type ReadChange = Change & { steps: ChangeStep[]; unsent: number };

/** Groups the requests of an audit trail by change, in the order in which the changes began. */
function changesOf(writes: readonly AuditedWrite[]): Change[] {
  const changes: ReadChange[] = [];
  const latest = new Map<string, ReadChange>();
  for (const write of writes) {
    const { change: id, time, act, tool, client, owner, undoes, set, requests = 0, proposal, approver } = write;
    if (id === undefined) continue;
    const approved = proposal === undefined || approver === undefined ? undefined : { proposal, approver };
    // A tool that sends one request starts a new change each time, even with a repeated ID.
    const key = JSON.stringify([id, write.run, act, undoes, proposal]);
    let change = act === tool ? undefined : latest.get(key);
    if (!change) {
      change = {
        id,
        time,
        tool: act ?? tool,
        client,
        owner: owner ?? undefined,
        undoes,
        set,
        approved,
        steps: [],
        undoneBy: undefined,
        unsent: 0,
      };
      changes.push(change);
      latest.set(key, change);
    }
    change.steps.push({
      tool,
      arguments: write.arguments,
      before: write.before,
      id: write.id,
      outcome: outcomes.find((outcome) => outcome === write.outcome) ?? 'unknown',
    });
    change.unsent = Math.max(0, requests - change.steps.length);
  }
  return changes;
}

/** Adds to each change the change that took all of it back. */
function markUndone(changes: readonly Change[]): Change[] {
  const undoneBy = new Map(
    changes.flatMap(({ id, undoes, steps, unsent = 0 }) =>
      undoes !== undefined && unsent === 0 && steps.every(({ outcome }) => outcome === 'ok')
        ? [[undoes, id] as const]
        : [],
    ),
  );
  return changes.map((change) => ({ ...change, undoneBy: undoneBy.get(change.id) }));
}
