import { randomUUID } from 'node:crypto';
import type { Tracker } from '../client/request.ts';
import type { Replicas } from '../client/tracker-client.ts';
import type { ChangeJournal } from '../guard/changes.ts';
import { Connection } from './connection.ts';
import { Leases } from './leases.ts';
import { namesFor } from './names.ts';
import { SharedAnswers } from './shared-answers.ts';
import { SharedBreakers } from './shared-breakers.ts';
import { SharedChanges } from './shared-changes.ts';
import { SharedCounts } from './shared-counts.ts';
import { SharedQuestions } from './shared-questions.ts';
import { SharedTurns } from './shared-turns.ts';

/** What replicas of a server share through Redis. */
export interface SharedState {
  /** For the client of the tracker. */
  readonly replicas: Replicas;
  readonly changes: ChangeJournal;
  readonly questions: SharedQuestions;
  readonly counts: SharedCounts;
  /** Why Redis cannot be used; undefined where it can. */
  readonly away: () => string | undefined;
  close(): Promise<void>;
}

/**
 * Opens what replicas share about one tracker. It is open with or without Redis, which is looked for until it is there.
 *
 * @param urls of one Redis, or of some nodes of a cluster
 * @param timeoutMs the deadline of a call
 * @param log told when Redis is away and when it is back
 */
export async function openSharedState(
  urls: readonly string[],
  tracker: Tracker,
  timeoutMs: number,
  log: (line: string) => void,
): Promise<SharedState> {
  const names = await namesFor(tracker);
  const connection = new Connection(urls, `${names.tracker}:probe`, log);
  const leases = new Leases(connection, names, randomUUID());
  const shared = {
    replicas: {
      turns: new SharedTurns(connection, leases),
      breakers: new SharedBreakers(connection, names, timeoutMs),
      answers: new SharedAnswers(connection, names),
    },
    changes: new SharedChanges(connection, names),
    questions: new SharedQuestions(connection, names, tracker.apiKey),
    counts: new SharedCounts(connection, names),
  };
  await connection.open();
  return {
    ...shared,
    away: () => connection.reason,
    close: async () => {
      await leases.close();
      connection.close();
    },
  };
}
