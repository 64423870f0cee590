import { ConfigurationFailure } from '../../config.ts';
import type { SharedState } from '../../redis/shared-state.ts';
import type { Configuration } from './read-configuration.ts';

/** What the replicas of a server share. */
export interface Shared extends Pick<SharedState, 'questions' | 'counts' | 'away' | 'close'> {
  /** What they share about each tracker, in the order of the configuration. */
  readonly states: readonly SharedState[];
}

/**
 * Opens what replicas share about each tracker, under its URL and its key: two accounts at one URL have their changes
 * apart, and their queue in common. Those who call have nothing to do with one tracker; their requests are counted in the first's
 * place, and so are their questions.
 *
 * @returns undefined where this server is the only one, which then loads nothing for it
 * @throws ConfigurationFailure where a tracker cannot be shared
 */
export async function openShared(
  { server: { redis, sessions }, trackers }: Configuration,
  log: (line: string) => void,
): Promise<Shared | undefined> {
  if (redis === undefined) return undefined;
  const located = trackers.map(({ name, config: { tracker } }) => {
    if (tracker !== 'sandbox') return { name, tracker };
    throw new ConfigurationFailure(
      '--redis is for several servers of one tracker, and each would have an embedded tracker of its own.',
      'Start one with tracker-mcp sandbox, and give its address with --url.',
    );
  });
  if (sessions) {
    log('a session stays with the server it began at: a load balancer has to send its requests there (--sessions).');
  }
  const { openSharedState } = await import('../../redis/shared-state.ts');
  const [first, ...others] = await Promise.all(
    located.map(({ name, tracker }) =>
      openSharedState(redis, tracker, name === undefined ? log : (line) => log(`${name}: ${line}`)),
    ),
  );
  if (!first) throw new TypeError('a configuration has a tracker');
  const states = [first, ...others];
  return {
    states,
    questions: first.questions,
    counts: first.counts,
    away: () => states.map((state) => state.away()).find((reason) => reason !== undefined),
    close: async () => {
      await Promise.all(states.map((state) => state.close()));
    },
  };
}
