/** A ping should not wait longer than this for a long computation. */
const maxBusyMs = 20;

let yieldedAt = 0;

/** Lets other calls run if this thread was busy for a while. Long computations await it between their steps. */
export async function yieldIfBusy(): Promise<void> {
  if (performance.now() - yieldedAt < maxBusyMs) return;
  await new Promise((resolve) => setImmediate(resolve));
  yieldedAt = performance.now();
}
