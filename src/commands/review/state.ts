import * as z from 'zod';
import { Failure } from '../../api/failure.ts';
import { FileProblem, whyNot } from '../../files/at-path.ts';
import { ifThere, readText } from '../../files/read-file.ts';
import { replaceFile, setAside } from '../../files/write-file.ts';
import { type Finding, hasMoved, type Review } from '../../tools/account-review.ts';

const reportedFinding = z.object({
  money_a_day: z.number(),
  what: z.string(),
  /** How much of its data was not read when it was last found. */
  missing: z.number().default(0),
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
});

/** A message for the webhook. A receiver can ignore an ID that it already has. */
const message = z.object({ id: z.string(), body: z.string() });

const stateFile = z.object({
  version: z.literal(1),
  trackers: z.record(z.string(), trackerState),
  /** Messages that may not have been delivered, the oldest first. Earlier versions wrote one or null. */
  pending: z.preprocess((given) => [given ?? []].flat(), z.array(message)),
});

/** Any other JSON is not a state file and must not be overwritten. */
const stateForm = z.object({ version: z.literal(1), trackers: z.unknown() });

export type State = z.infer<typeof stateFile>;
export type TrackerState = z.infer<typeof trackerState>;
export type Message = z.infer<typeof message>;

export const emptyState = (): State => ({ version: 1, trackers: {}, pending: [] });

/**
 * Reads the state of earlier rounds.
 * @returns an empty state if there is no file or it is damaged, which `warning` then reports
 * @throws Failure if it cannot be read
 */
export async function readState(path: string): Promise<{ readonly state: State; readonly warning?: string }> {
  const text = await ifThere(readText(path, { isKept: true })).catch((error: unknown) => {
    const remedy = error instanceof FileProblem ? error.remedy : undefined;
    throw new Failure(
      `The state file ${path} cannot be used (${whyNot(error)}).`,
      remedy ?? 'Name a different file with --state.',
    );
  });
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

/** What changed at a tracker since the last round. */
export interface Changes {
  readonly added: readonly Finding[];
  readonly still: readonly Finding[];
  /** The text of earlier findings that are over. */
  readonly wellAgain: readonly string[];
}

/** Compares a review with the last round, and returns the findings to remember. */
export function compareWith(
  earlier: TrackerState['findings'],
  { findings, isOver }: Pick<Review, 'findings' | 'isOver'>,
): { readonly changes: Changes; readonly findings: TrackerState['findings'] } {
  const isNew = ({ key, money_a_day: money }: Finding) => {
    const before = earlier[key];
    return before === undefined || hasMoved(before.money_a_day, money);
  };
  const keys = new Set(findings.map(({ key }) => key));
  const absent = Object.entries(earlier).filter(([key]) => !keys.has(key));
  const over = absent.filter(([key, { missing }]) => isOver(key, missing));
  const open = absent.filter((entry) => !over.includes(entry));
  const current = findings.map((finding) => {
    const { key, what, money_a_day, missing } = finding;
    // The reported amount stays the reference, otherwise a slow change would never be reported.
    const reported = isNew(finding) ? undefined : earlier[key];
    return [key, { what, money_a_day, ...reported, missing }] as const;
  });
  return {
    changes: {
      added: findings.filter(isNew),
      still: findings.filter((finding) => !isNew(finding)),
      wellAgain: over.map(([, { what }]) => what),
    },
    findings: Object.fromEntries([...current, ...open]),
  };
}
