import { AsyncLocalStorage } from 'node:async_hooks';
import { Turns } from './turns.ts';

/** A call that runs for the holder of a token. */
interface RunningCall {
  readonly owner: string;
  /** In the order of their beginning. */
  readonly number: number;
  yields: number;
}

const calls = new AsyncLocalStorage<RunningCall>();
let lastNumber = 0;

/** All work that no token asked for. */
const unowned: RunningCall = { owner: '', number: 0, yields: 0 };

/**
 * Runs a call for the holder of a token: holders share the requests to a tracker, and this thread, in turns.
 * @param owner undefined without tokens: then calls run as they come, and nothing is followed
 */
export function runForOwner<Result>(owner: string | undefined, work: () => Promise<Result>): Promise<Result> {
  if (owner === undefined) return work();
  lastNumber += 1;
  return calls.run({ owner, number: lastNumber, yields: 0 }, work);
}

/** Whose call runs; empty without tokens. */
export const ownerOfCall = (): string => (calls.getStore() ?? unowned).owner;

/** After so long a computation rests. With the longest step between two rests, a ping waits for at most 50 ms. */
const maxBusyMs = 10;

/** A call that has yielded less often is short. */
const maxShort = 5;

interface Waiter {
  readonly call: RunningCall;
  readonly resume: () => void;
}

/** Of one holder's calls the short ones go first; of the long ones, one computes until it is done. */
const waiting = new Turns<Waiter>(({ call: { yields, number } }) => (yields < maxShort ? number : 2 ** 40 + number));

let [resumedAt, isScheduled] = [0, false];

/** Lets other calls run if this thread was busy for a while. Long computations await it between their steps. */
export async function yieldIfBusy(): Promise<void> {
  if (performance.now() - resumedAt < maxBusyMs) return;
  const call = calls.getStore() ?? unowned;
  if (call !== unowned) call.yields += 1;
  await new Promise<void>((resume) => {
    waiting.add(call.owner, { call, resume });
    schedule();
  });
}

/** How a long computation of a call goes on. */
export interface Pace {
  /**
   * Lets other calls run if this thread was busy for a while.
   * @throws Failure if its call was cancelled
   */
  readonly rest: () => Promise<void>;
  /** Whether the time of its call is over: what was not looked at by then is left out, and said. */
  readonly isOver: boolean;
}

/** The pace of what no call waits for. */
export const unhurried: Pace = { rest: yieldIfBusy, isOver: false };

/** One computation at a time goes on, and what came in the meantime is answered between its steps. */
function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    resumedAt = performance.now();
    waiting.next()?.resume();
    if (waiting.size > 0) schedule();
  });
}
