import { afterAll } from 'vitest';
import { Life } from '../../../src/client/life.ts';
import type { TurnKind } from '../../../src/client/replicas/turns.ts';
import { openSharedState, type SharedState } from '../../../src/redis/shared-state.ts';

export interface Opened extends SharedState {
  readonly logged: readonly string[];
  /** Waits for a turn, as long as it takes. */
  readonly take: (kind: TurnKind) => Promise<() => void>;
}

const opened: SharedState[] = [];
afterAll(async () => {
  await Promise.all(opened.splice(0).map((state) => state.close()));
});

/** What a replica of this process has in common with others, until the tests of the file are done. */
export async function openReplica(
  urls: readonly string[],
  { tracker = 'http://tracker.example', apiKey = 'a-key-of-the-tests' } = {},
): Promise<Opened> {
  const logged: string[] = [];
  const state = await openSharedState(urls, { url: tracker, apiKey }, 30_000, (line) => logged.push(line));
  opened.push(state);
  return { ...state, logged, take: (kind) => state.replicas.turns.take(kind, new Life()) };
}
