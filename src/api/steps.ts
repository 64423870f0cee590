/** A long computation in steps of a few milliseconds. */
export type Steps<Result> = Generator<void, Result>;

/** All steps at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** The same with a rest after each step, in which other calls may run. */
export async function withRests<Result>(steps: Steps<Result>, rest: () => Promise<void>): Promise<Result> {
  let step = steps.next();
  for (; !step.done; step = steps.next()) await rest();
  return step.value;
}
