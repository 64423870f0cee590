import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { Failure } from '../api/failure.ts';
import { cleanText } from '../api/text/clean-text.ts';
import type { AuditTrail } from './audit-trail.ts';
import { type AuditedWrite, auditedValues, shownText } from './read-audit-log.ts';
import type { Step, WriteRequest } from './write.ts';

/** How a write may end; any other word of a log counts as unknown. `waiting`: an earlier one of its change did not succeed. */
const outcomes = ['waiting', 'ok', 'not-sent', 'refused', 'unknown', 'cancelled', 'failed'] as const;

const changeStep = z.object({
  /** The tool of the endpoint that was written to. */
  tool: shownText,
  arguments: auditedValues,
  before: auditedValues,
  outcome: z.enum(outcomes),
  id: shownText.nullable(),
});

/** A change as other servers have it. Its words are cleaned like those of the audit log. */
const journalChange = z.object({
  id: shownText,
  /** When it began, in UTC. */
  time: shownText,
  tool: shownText,
  client: shownText,
  undoes: shownText.optional(),
  /** Whose yes let it be sent; absent if none was needed, or the client asked for it. */
  approved: z.object({ proposal: shownText, approver: shownText }).optional(),
  steps: z.array(changeStep).readonly(),
});

/** One write of a change. */
export type ChangeStep = z.infer<typeof changeStep>;

/** What one call changed, and the change that took it back. */
export type Change = Readonly<z.infer<typeof journalChange>> & { readonly undoneBy: string | undefined };

/** The changes of several servers that write to one tracker. */
export interface ChangeJournal {
  /** @throws Failure if no change can be announced now: then none must be made */
  requireThere(): void;
  /** The changes of all, the oldest first. Throws a Failure if they cannot be read. */
  read(): Promise<readonly Change[]>;
  /** Announces a change that is about to be made, or a step of it that is about to be sent. Throws a Failure if that fails. */
  announce(change: Change, step?: number): Promise<void>;
  /** Records how a step ended, as soon as the journal can be reached. */
  settle(change: Change, step: number): Promise<void>;
  /** Reserves a change to take it back. Returns what frees it, or undefined if another server has it; may throw a Failure. */
  reserve(id: string): Promise<(() => void) | undefined>;
}

/** Older changes are in the audit trail alone. */
const maxKept = 500;

interface Known {
  readonly changes: readonly Change[];
  readonly gaps: readonly string[];
}

/** What was changed through one guard and by the servers that share its journal, and before that as far as the audit trail tells. */
export class Changes {
  readonly #trail: AuditTrail | undefined;
  /** Absent if this is the only server. */
  readonly journal: ChangeJournal | undefined;
  #kept: Change[] = [];
  readonly #reserved = new Set<string>();
  #earlier: Promise<Known> | undefined;

  constructor(trail?: AuditTrail, journal?: ChangeJournal) {
    this.#trail = trail;
    this.journal = journal;
  }

  /** The changes, the oldest first, and why some of earlier runs or of other servers may be missing. */
  async read(): Promise<Known> {
    // The log is read once: what this guard changes from then on it knows itself.
    this.#earlier ??= readEarlier(this.#trail);
    const [earlier, others] = await Promise.all([this.#earlier, readJournal(this.journal)]);
    // The journal wins: an undo by another server is in it too.
    const kept = this.#kept.filter((change) => !others.changes.some((other) => isSame(change, other)));
    const newer = [...kept, ...others.changes];
    const known = [...earlier.changes.filter((change) => !newer.some((other) => isSame(change, other))), ...newer];
    const changes = this.journal
      ? known.toSorted((one, other) => Date.parse(one.time) - Date.parse(other.time))
      : known;
    return { changes: markUndone(changes).slice(-maxKept), gaps: [...earlier.gaps, ...others.gaps] };
  }

  async all(): Promise<readonly Change[]> {
    return (await this.read()).changes;
  }

  /** The change with an ID. Throws a Failure if several have it, as some of logs with short IDs may. */
  async find(typed: string): Promise<Change | undefined> {
    const id = typed.trim().toLowerCase();
    const found = (await this.all()).filter((change) => change.id === id);
    if (found.length < 2) return found[0];
    throw new Failure(
      `${found.length} changes have the ID ${id} (${found.map(({ time }) => time).join(', ')}), so nothing was sent.`,
      'Look at them with list_changes, and set what you want with the tools that edit.',
    );
  }

  /** Takes a change back, one call at a time. Throws a Failure if another call is at it. */
  async whileReserved<Result>(id: string, run: () => Promise<Result>): Promise<Result> {
    const inUse = new Failure(
      `Change ${id} is being taken back by another call, so nothing was sent.`,
      'Look with list_changes in a moment.',
    );
    if (this.#reserved.has(id)) throw inUse;
    this.#reserved.add(id);
    try {
      const free = this.journal ? await this.journal.reserve(id) : () => undefined;
      if (!free) throw inUse;
      return await run().finally(free);
    } finally {
      this.#reserved.delete(id);
    }
  }

  /** Records a change that is about to be sent. Throws a Failure if it cannot be announced to the other replicas. */
  async begin(
    about: Pick<Change, 'tool' | 'client' | 'undoes' | 'approved'>,
    steps: readonly Step<WriteRequest>[],
  ): Promise<Change> {
    const change: Change = {
      ...about,
      // Long enough that no other has it.
      id: randomBytes(6).toString('hex'),
      time: new Date().toISOString(),
      steps: steps.map(({ request, before = {} }) => ({
        ...{ tool: request.endpoint.name, arguments: request.arguments, before },
        ...{ outcome: 'waiting', id: null },
      })),
      undoneBy: undefined,
    };
    await this.journal?.announce(change);
    this.#kept = [...this.#kept, change].slice(-maxKept);
    return change;
  }
}

async function readJournal(journal: ChangeJournal | undefined): Promise<Known> {
  try {
    const read = ((await journal?.read()) ?? []).map((change) => journalChange.safeParse(change));
    const changes = read.flatMap(({ data }) => (data ? [{ ...data, undoneBy: undefined }] : []));
    const bad = read.length - changes.length;
    return { changes, gaps: bad === 0 ? [] : [`Changes of other replicas that could not be read: ${bad}.`] };
  } catch (error) {
    return { changes: [], gaps: [`Changes that other replicas made are not known: ${messageOf(error)}`] };
  }
}

async function readEarlier(trail: AuditTrail | undefined): Promise<Known> {
  try {
    const { writes, unreadable } = (await trail?.readEarlierWrites()) ?? { writes: [], unreadable: 0 };
    const gaps = unreadable === 0 ? [] : [`Lines of the audit log that could not be read: ${unreadable}.`];
    return { changes: changesOf(writes).slice(-maxKept), gaps };
  } catch (error) {
    return { changes: [], gaps: [`Changes of earlier runs are not known: ${messageOf(error)}`] };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The log has the time of the first write, which may wait for a disk, and the journal that of the change. */
const maxApartMs = 60_000;

/** Whether two sources tell of one change. An ID alone does not say so: those of old logs are short. */
function isSame(one: Change, other: Change): boolean {
  const isSameCall =
    one.id === other.id && one.tool === other.tool && cleanText(one.client) === cleanText(other.client);
  return isSameCall && Math.abs(Date.parse(one.time) - Date.parse(other.time)) < maxApartMs;
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
