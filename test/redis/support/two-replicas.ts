import { afterAll } from 'vitest';
import { Deadline } from '../../../src/api/deadline.ts';
import type { QueueKind } from '../../../src/client/queue.ts';
import { openSharedState, type SharedState } from '../../../src/redis/shared-state.ts';

export interface Opened extends SharedState {
  readonly logged: readonly string[];
  /** Waits for a turn, as long as it takes. */
  readonly take: (kind: QueueKind) => Promise<() => void>;
}

const opened: SharedState[] = [];
afterAll(() => Promise.all(opened.splice(0).map((state) => state.close())));

/** The shared state of one replica, until the tests of the file are done. */
export async function openReplica(
  urls: readonly string[],
  { tracker = 'http://tracker.example', apiKey = 'a-key-of-the-tests' } = {},
): Promise<Opened> {
  const logged: string[] = [];
  const state = await openSharedState(urls, { url: tracker, apiKey }, (line) => logged.push(line));
  opened.push(state);
  return { ...state, logged, take: (kind) => state.queue.take(kind, new Deadline(), '') };
}
