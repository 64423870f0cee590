import { Deadline } from '../../../src/api/deadline.ts';
import type { QueueKind } from '../../../src/client/queue.ts';
import { openSharedState } from '../../../src/redis/shared-state.ts';
import { closeAfterTests } from '../../support/closing.ts';

export interface Opened extends Awaited<ReturnType<typeof openSharedState>> {
  readonly logged: readonly string[];
  /** Waits for a turn, as long as it takes. */
  readonly take: (kind: QueueKind) => Promise<() => void>;
}

/** The shared state of one replica, until the tests of the file are done. */
export async function openReplica(
  urls: readonly string[],
  { tracker = 'http://tracker.example', apiKey = 'a-key-of-the-tests' } = {},
): Promise<Opened> {
  const logged: string[] = [];
  const state = await openSharedState(urls, { url: tracker, apiKey }, (line) => logged.push(line));
  closeAfterTests(() => state.close());
  return { ...state, logged, take: (kind) => state.queue.take(kind, new Deadline(), '') };
}
