import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { dayMs, hourMs } from '../../api/durations.ts';
import { Failure } from '../../api/failure.ts';
import { FileProblem, whyNot } from '../../files/at-path.ts';
import { ifThere, readText } from '../../files/read-file.ts';
import { createFile, removeFile, replaceFile, setAside } from '../../files/write-file.ts';
import { type Finding, hasMoved, type Review } from '../../tools/account-review.ts';

const reportedFinding = z.object({
  money_a_day: z.number(),
  what: z.string(),
  /** How much of its data was not read when it was last found. */
  missing: z.number().default(0),
  /** When it was last found, in milliseconds since 1970. */
  found_at: z.number().default(0),
  /** When it began, in the tracker's zone: `2026-11-22 14:00`. Earlier versions did not write it. */
  began: z.string().default('1970-01-01 00:00'),
  /** A person knows about it: with this money a day, and until this day if there is one. */
  accepted: z.object({ money_a_day: z.number(), until: z.string().optional() }).optional(),
});

/** What the last rounds found at one tracker. */
const trackerState = z.object({
  /** A hash that identifies the account. */
  account: z.string(),
  /** By key. */
  findings: z.record(z.string(), reportedFinding),
  /** Whether the last round failed to look. */
  isBlind: z.boolean(),
  /** The IDs of the campaigns that the next round reads first and last. */
  turns: z.object({ first: z.array(z.string()), last: z.array(z.string()) }).default({ first: [], last: [] }),
  /** The IDs of changes whose outcomes need not be told any more. */
  told: z.array(z.string()).default([]),
});

/** A message for the webhook. A receiver can ignore an ID that it already has. */
const message = z.object({
  id: z.string(),
  body: z.string(),
  /** When it was made, in milliseconds since 1970. Earlier versions did not write it. */
  made_at: z.number().default(() => Date.now()),
});

const stateFile = z.object({
  version: z.literal(1),
  trackers: z.record(z.string(), trackerState),
  /** Messages that may not have been delivered, the oldest first. Earlier versions wrote one or null. */
  pending: z.preprocess((given) => [given ?? []].flat(), z.array(message)),
  /** Hashes of the webhooks that answered 410: nothing more is posted to them. */
  gone: z.array(z.string()).default([]),
});

/** Any other JSON is not a state file and must not be overwritten. */
const stateForm = z.object({ version: z.literal(1), trackers: z.unknown() });

export type State = z.infer<typeof stateFile>;
export type TrackerState = z.infer<typeof trackerState>;
export type Message = z.infer<typeof message>;

export const emptyState = (): State => ({ version: 1, trackers: {}, pending: [], gone: [] });

/** The text of a state file; undefined if there is none. Throws a Failure if it cannot be used. */
export async function readStateText(path: string): Promise<string | undefined> {
  return ifThere(readText(path, { isKept: true })).catch((error: unknown) => {
    const remedy = error instanceof FileProblem ? error.remedy : undefined;
    throw new Failure(
      `The state file ${path} cannot be used (${whyNot(error)}).`,
      remedy ?? 'Name a different file with --state.',
    );
  });
}

/**
 * Reads the state of earlier rounds.
 * @returns an empty state if there is no file or it is damaged, which `warning` then reports
 * @throws Failure if it cannot be read
 */
export async function readState(path: string): Promise<{ readonly state: State; readonly warning?: string }> {
  const text = await readStateText(path);
  if (text === undefined) return { state: emptyState() };
  try {
    const given: unknown = JSON.parse(text);
    if (!stateForm.safeParse(given).success)
      throw new Failure(`The file ${path} is not a state file of this version.`, 'Name a different file with --state.');
    return { state: stateFile.parse(given) };
  } catch (error) {
    if (error instanceof Failure) throw error;
    const moved = await setAside(path, '.damaged').catch(() => undefined);
    const where = moved === undefined ? '' : ` and was moved to ${moved}`;
    return {
      state: emptyState(),
      warning: `The state file ${path} is damaged${where}: all findings are reported as new.`,
    };
  }
}

/** Writes the whole state or nothing. Throws a Failure if that fails. */
export async function writeState(path: string, state: State): Promise<void> {
  try {
    await replaceFile(path, `${JSON.stringify(state, null, 2)}\n`);
  } catch (error) {
    throw new Failure(
      `The state file ${path} cannot be written (${whyNot(error)}).`,
      'Name a different file with --state.',
    );
  }
}

/** No round holds the state for longer: it only compares, saves and posts. */
const maxHeldMs = 60_000;
/** A process that was killed right after it made a lock had no time to write its name. */
const maxUnnamedMs = 2000;

/**
 * Runs work while no other process works with the state, so that two rounds at the same time do not report a finding twice.
 * @throws Failure if another round holds the state for too long, or the lock cannot be written
 */
export async function whileLocked<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const [lock, claim] = [`${path}.lock`, `${path}.lock.left`];
  const [leftLock, leftClaim] = [watchLock(lock), watchLock(claim)];
  const owner = `${hostname()} ${process.pid} ${randomUUID()}`;
  const end = performance.now() + maxHeldMs * 1.5;
  while (!(await writeLock(lock, owner))) {
    if (performance.now() > end)
      throw new Failure(`Another round works with the state file ${path}.`, `If none does, remove ${lock}.`);
    const left = await leftLock();
    // Only one process may remove a lock that was left: in the next moment it may be another's.
    if (left !== undefined && (await writeLock(claim, owner))) {
      await removeLock(lock, left);
      await removeLock(claim, owner);
      continue;
    }
    const abandoned = left === undefined ? undefined : await leftClaim();
    if (abandoned !== undefined) await removeLock(claim, abandoned);
    await sleep(50);
  }
  try {
    return await work();
  } finally {
    await removeLock(lock, owner);
  }
}

/** @returns whether the lock was free */
async function writeLock(lock: string, owner: string): Promise<boolean> {
  try {
    await createFile(lock, owner);
    return true;
  } catch (error) {
    const why = whyNot(error);
    if (why === 'EEXIST') return false;
    throw new Failure(
      `The state file cannot be written: its lock ${lock} cannot be made (${why}).`,
      'Name a different file with --state.',
    );
  }
}

const ownerOf = (lock: string) => readText(lock).catch(() => undefined);

async function removeLock(lock: string, owner: string): Promise<void> {
  if ((await ownerOf(lock)) === owner) await removeFile(lock);
}

/**
 * Returns a function that gives the owner of a lock if it was left: its process is gone, or, where that cannot be known, it has not
 * changed for too long.
 */
function watchLock(lock: string): () => Promise<string | undefined> {
  let owner: string | undefined;
  let since = 0;
  return async () => {
    const current = await ownerOf(lock);
    if (current !== owner) [owner, since] = [current, performance.now()];
    if (owner === undefined) return undefined;
    const [host, pid] = owner.split(' ');
    const isGone = host === hostname() && !isRunning(Number(pid));
    return isGone || performance.now() - since > (owner === '' ? maxUnnamedMs : maxHeldMs) ? owner : undefined;
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Messages that are not delivered are kept for a week, and no more than this. */
const maxPending = 50;
const maxPendingMs = 7 * dayMs;

export const newMessage = (body: string): Message => ({ id: `msg_${randomUUID()}`, body, made_at: Date.now() });

/** The messages to keep, and how many of the oldest are dropped. */
export function boundPending(messages: readonly Message[]): { kept: Message[]; dropped: number } {
  const now = Date.now();
  const kept = messages.filter(({ made_at }) => now - made_at <= maxPendingMs).slice(-maxPending);
  return { kept, dropped: messages.length - kept.length };
}

/** An accepted finding comes back when it costs this many times what it cost when it was accepted. */
export const maxOfAccepted = 2;

/** A time of the tracker as if that were UTC. */
const clockOf = (time: string): number => Date.parse(`${time.replace(' ', 'T')}Z`);

/** What changed at a tracker since the last round. */
export interface Changes {
  readonly added: readonly Finding[];
  readonly still: readonly Finding[];
  /** Found again, and known to a person who accepted them; with the day until which that holds. */
  readonly accepted: readonly (Finding & { readonly until?: string })[];
  /** The text of earlier findings that are over. */
  readonly wellAgain: readonly string[];
  /** Whether the clock is before the time at which a finding that is absent was found: it may only not have begun yet. */
  readonly isClockBehind: boolean;
}

/** Compares a review with the last round, and returns the findings to remember. */
export function compareWith(
  earlier: TrackerState['findings'],
  { asOf, findings, isOver }: Pick<Review, 'asOf' | 'findings' | 'isOver'>,
  now: number,
): { readonly changes: Changes; readonly findings: TrackerState['findings'] } {
  const isAccepted = ({ key, money_a_day: money }: Finding) => {
    const accepted = earlier[key]?.accepted;
    if (!accepted || (accepted.until !== undefined && asOf.slice(0, 10) >= accepted.until)) return false;
    return money <= maxOfAccepted * Math.max(accepted.money_a_day, 1);
  };
  const isNew = (finding: Finding) => {
    const before = earlier[finding.key];
    if (before?.accepted) return !isAccepted(finding);
    return before === undefined || hasMoved(before.money_a_day, finding.money_a_day);
  };
  const ageOf = (began: string) => (clockOf(asOf) - clockOf(began)) / hourMs;
  const keys = new Set(findings.map(({ key }) => key));
  const absent = Object.entries(earlier).filter(([key]) => !keys.has(key));
  const later = absent.filter(([, { found_at }]) => found_at > now);
  const over = absent.filter(
    (entry) => !later.includes(entry) && isOver(entry[0], entry[1].missing, ageOf(entry[1].began)),
  );
  const open = absent.filter((entry) => !over.includes(entry));
  const current = findings.map((finding) => {
    const { key, what, money_a_day, missing, began } = finding;
    // The reported amount stays the reference, otherwise a slow change would never be reported.
    const reported = isNew(finding) ? undefined : earlier[key];
    return [key, { what, money_a_day, began, ...reported, missing, found_at: now }] as const;
  });
  return {
    changes: {
      added: findings.filter(isNew),
      still: findings.filter((finding) => !isNew(finding) && !isAccepted(finding)),
      accepted: findings.filter(isAccepted).map((finding) => {
        const until = earlier[finding.key]?.accepted?.until;
        return { ...finding, ...(until === undefined ? {} : { until }) };
      }),
      wellAgain: over.map(([, { what }]) => what),
      isClockBehind: later.length > 0,
    },
    findings: Object.fromEntries([...current, ...open]),
  };
}
