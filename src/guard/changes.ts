import { randomBytes } from 'node:crypto';
import type { Outcome } from '../api/failure.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { AuditedWrite } from './read-audit-log.ts';
import type { WriteRequest } from './write-request.ts';

/** What was there before a write, by the names of its tool's arguments; an argument that nobody knew is not in it. */
export type ValuesBefore = Readonly<Record<string, unknown>>;

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
  undoneBy: string | undefined;
}

/** Older changes are in the audit trail alone. */
const maxKept = 500;

/** What was changed through one guard, and before it as far as the audit trail tells. */
export class Changes {
  readonly #trail: AuditTrail | undefined;
  #kept: Change[] = [];
  #earlier: Promise<Earlier> | undefined;

  constructor(trail?: AuditTrail) {
    this.#trail = trail;
  }

  /** The changes, the oldest first. */
  async all(): Promise<readonly Change[]> {
    const { changes } = await this.#readEarlier();
    return [...changes, ...this.#kept].slice(-maxKept);
  }

  /** Why changes of earlier runs may be missing, a sentence each. */
  async gaps(): Promise<readonly string[]> {
    return (await this.#readEarlier()).gaps;
  }

  async find(id: string): Promise<Change | undefined> {
    return (await this.all()).find((change) => change.id === id.trim().toLowerCase());
  }

  /** Records a change that is about to be sent. */
  begin(
    about: Pick<Change, 'tool' | 'client' | 'undoes' | 'approved'>,
    steps: readonly { readonly request: WriteRequest; readonly before?: ValuesBefore | undefined }[],
  ): Change {
    const change: Change = {
      ...about,
      id: randomBytes(3).toString('hex'),
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
    this.#kept = [...this.#kept, change].slice(-maxKept);
    return change;
  }

  /** The log is read when it is first asked for, and not again: what this guard changes from then on it knows itself. */
  #readEarlier(): Promise<Earlier> {
    this.#earlier ??= readEarlier(this.#trail);
    return this.#earlier;
  }
}

interface Earlier {
  readonly changes: readonly Change[];
  readonly gaps: readonly string[];
}

async function readEarlier(trail: AuditTrail | undefined): Promise<Earlier> {
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

/** The changes that writes of a trail belong to, in the order in which they began. */
function changesOf(writes: readonly AuditedWrite[]): Change[] {
  const changes = new Map<string, Change & { steps: ChangeStep[] }>();
  for (const write of writes) {
    const { change: id, time, act, tool, client, arguments: given, before, undoes, outcome, id: named } = write;
    if (id === undefined) continue;
    const { proposal, approver } = write;
    const approved = proposal === undefined || approver === undefined ? undefined : { proposal, approver };
    const about = { id, time, tool: act ?? tool, client, undoes, approved };
    const change = changes.get(id) ?? { ...about, steps: [], undoneBy: undefined };
    change.steps.push({
      tool,
      arguments: given,
      before,
      outcome: outcomes.find((known) => known === outcome) ?? 'unknown',
      id: named,
    });
    changes.set(id, change);
  }
  for (const { id, undoes, steps } of changes.values()) {
    const undone = undoes === undefined ? undefined : changes.get(undoes);
    if (undone && steps.every(({ outcome }) => outcome === 'ok')) undone.undoneBy = id;
  }
  return [...changes.values()];
}
