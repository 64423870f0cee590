import { Failure } from '../../api/failure.ts';
import type { CallContext } from '../define-tool.ts';

/** The part of the deadline that may be spent beside what the call is for. */
const maxPart = 1 / 3;

/**
 * Asks beside what a call is for, such as a write, which must still find most of the deadline ahead of it.
 *
 * @param ask is given the context whose signal ends it in time
 * @throws Failure where it took too long, or what `ask` throws
 */
export async function askQuickly<Answer>(
  context: CallContext,
  ask: (context: CallContext) => Promise<Answer>,
): Promise<Answer> {
  const maxMs = context.client.timeoutMs * maxPart;
  const controller = new AbortController();
  let isTooSlow = false;
  const timer = setTimeout(() => {
    isTooSlow = true;
    controller.abort();
  }, maxMs);
  const cancel = () => controller.abort();
  if (context.signal?.aborted) cancel();
  context.signal?.addEventListener('abort', cancel, { once: true });
  try {
    return await ask({ ...context, signal: controller.signal });
  } catch (error) {
    if (!isTooSlow || !(error instanceof Failure)) throw error;
    throw new Failure(`the tracker did not tell within ${Math.round(maxMs / 100) / 10} s.`);
  } finally {
    clearTimeout(timer);
    context.signal?.removeEventListener('abort', cancel);
  }
}
