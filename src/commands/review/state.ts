import { readFile, rename } from 'node:fs/promises';
import * as z from 'zod';
import { Failure } from '../../api/failure.ts';
import { replaceFile } from '../../guard/secrets-file.ts';
import { type Finding, hasMoved, type Review } from '../../tools/account-review.ts';

const known = z.object({
  money_a_day: z.number(),
  what: z.string(),
  /** How much of what it rests on was not read when it was last found. */
  missing: z.number().default(0),
});

/** What one tracker was last found to have, by the keys of its findings. */
const trackerState = z.object({
  /** Which account it is of: a hash. */
  account: z.string(),
  findings: z.record(z.string(), known),
  /** Whether the last round could not look. */
  isBlind: z.boolean(),
  /** The campaigns that the next round reads first, and last, by their IDs. */
  turns: z.object({ first: z.array(z.string()), last: z.array(z.string()) }).default({ first: [], last: [] }),
});

/** What is posted. A receiver can drop what it has under the same ID. */
const message = z.object({ id: z.string(), body: z.string() });

const stateFile = z.object({
  version: z.literal(1),
  trackers: z.record(z.string(), trackerState),
  /** The messages that no webhook is known to have, the oldest first. It was one, or null. */
  pending: z.preprocess((given) => [given ?? []].flat(), z.array(message)),
});

/** Other JSON is somebody's file, which is not to be written over. */
const isOurs = z.object({ version: z.literal(1), trackers: z.unknown() });

export type State = z.infer<typeof stateFile>;
export type TrackerState = z.infer<typeof trackerState>;
export type Message = z.infer<typeof message>;

export const emptyState = (): State => ({ version: 1, trackers: {}, pending: [] });

/**
 * Reads the state of earlier rounds.
 * @returns an empty one if there is no file, or it is damaged; then `warning` says so
 * @throws Failure if it cannot be read
 */
export async function readState(path: string): Promise<{ readonly state: State; readonly warning?: string }> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Failure(`The state file ${path} cannot be read (${error.code}).`, 'Name another with --state.');
  });
  if (text === undefined) return { state: emptyState() };
  try {
    const given: unknown = JSON.parse(text);
    if (!isOurs.safeParse(given).success)
      throw new Failure(`The file ${path} is no state that this version wrote.`, 'Name another with --state.');
    return { state: stateFile.parse(given) };
  } catch (error) {
    if (error instanceof Failure) throw error;
    const kept = `${path}.damaged`;
    await rename(path, kept).catch(() => undefined);
    return {
      state: emptyState(),
      warning: `The state file ${path} is damaged and was moved to ${kept}: all findings are said as new.`,
    };
  }
}

/** Writes the state whole, or not at all. Throws a Failure if that fails. */
export async function writeState(path: string, state: State): Promise<void> {
  try {
    await replaceFile(path, `${JSON.stringify(state, null, 2)}\n`);
  } catch (error) {
    throw new Failure(
      `The state file ${path} cannot be written (${(error as NodeJS.ErrnoException).code}).`,
      'Name another with --state.',
    );
  }
}

/** What a round has to say of a tracker. */
export interface Changes {
  readonly added: readonly Finding[];
  readonly still: readonly Finding[];
  /** What earlier findings said that are over. */
  readonly wellAgain: readonly string[];
}

export function compareWith(
  before: Pick<TrackerState, 'findings'> | undefined,
  { findings, lasts, missing }: Pick<Review, 'findings' | 'lasts' | 'missing'>,
): { readonly changes: Changes; readonly after: Pick<TrackerState, 'findings'> } {
  const earlier = before?.findings ?? {};
  const isAdded = ({ key, money_a_day: money }: Finding) => {
    const known = earlier[key];
    return known === undefined || hasMoved(known.money_a_day, money);
  };
  const keys = new Set(findings.map(({ key }) => key));
  const absent = Object.entries(earlier).filter(([key]) => !keys.has(key));
  // What is seen less well than when it was found is not well for being absent.
  const over = absent.filter(([key, last]) => !lasts(key) && missing(key) <= last.missing);
  const left = absent.filter((one) => !over.includes(one));
  const kept = findings.map(({ key, what, money_a_day }) => {
    // What was said stays the measure, or a slow change would never be said.
    const said = earlier[key];
    const shown = said && !hasMoved(said.money_a_day, money_a_day) ? said : { what, money_a_day };
    return [key, { ...shown, missing: missing(key) }] as const;
  });
  return {
    changes: {
      added: findings.filter(isAdded),
      still: findings.filter((found) => !isAdded(found)),
      wellAgain: over.map(([, { what }]) => what),
    },
    after: { findings: Object.fromEntries([...kept, ...left]) },
  };
}
