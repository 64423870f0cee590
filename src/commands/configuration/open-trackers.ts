import { maxKeptBytes } from '../../client/answer-cache.ts';
import { Keyring } from '../../client/mask-key.ts';
import type { Config } from '../../config.ts';
import { RecentTables } from '../../tools/recent-tables.ts';
import { Trackers } from '../../tools/trackers/trackers.ts';
import { type Approving, approvingOf, proposalsOf, waits } from '../approve/approving.ts';
import { type OpenOptions, type OpenTracker, openTracker } from '../open-tracker.ts';
import type { Configuration, ConfiguredTracker } from './read-configuration.ts';

/** One of the trackers of a configuration, open. */
export interface OpenedTracker extends OpenTracker {
  /** Undefined for the one that flags and the environment name. */
  readonly name: string | undefined;
  readonly config: Config;
}

/** The trackers that a command works with, and how they are given back. */
export interface OpenTrackers extends Pick<OpenTracker, 'start' | 'hangUp' | 'isStartingInVain' | 'close'> {
  readonly opened: readonly OpenedTracker[];
  /** What calls work with. */
  readonly trackers: Trackers;
  /** What is proposed and approved; absent where no write waits for a person. */
  readonly approving: Approving | undefined;
}

/** Who is told of what, and what the trackers have in common with those of replicas, in the order of the configuration. */
export interface OpenTrackersOptions extends Pick<OpenOptions, 'onProgress' | 'observer' | 'holders'> {
  readonly shared?: readonly NonNullable<OpenOptions['shared']>[] | undefined;
}

/**
 * Opens every tracker of a configuration. Each has a client, a guard and a circuit of its own; in common they have the keys that
 * are masked, the memory for answers, the tables that queries can name and the place where writes wait for a person.
 */
export async function openTrackers(
  configuration: Configuration,
  { shared: replicated, ...watching }: OpenTrackersOptions = {},
): Promise<OpenTrackers> {
  const { trackers: configured, byDefault } = configuration;
  const proposals = await proposalsOf(configuration);
  const isSeveral = configured.length > 1;
  const shared = {
    ...watching,
    keyring: new Keyring(),
    recentTables: new RecentTables(),
    maxKeptBytes: Math.floor(maxKeptBytes / configured.length),
  };
  const opened: OpenedTracker[] = [];
  for (const [index, one] of configured.entries()) {
    const { name, config } = one;
    const own = {
      name: isSeveral ? name : undefined,
      identity: identityOf(one, configured),
      proposals: waits(config) ? proposals : undefined,
      shared: replicated?.[index],
    };
    opened.push({ ...(await openTracker(config, { ...shared, ...own })), name, config });
  }
  const named = opened.map(({ name = '', context }) => ({ name, context }));
  return {
    opened,
    trackers: new Trackers(named, byDefault),
    approving: proposals && approvingOf(proposals, opened),
    start: (onFailure) => {
      for (const { start } of opened) start(onFailure);
    },
    hangUp: () => {
      for (const { hangUp } of opened) hangUp();
    },
    isStartingInVain: () => opened.some((one) => one.isStartingInVain()),
    close: async () => {
      await Promise.all(opened.filter((one) => !one.isStartingInVain()).map(({ close }) => close()));
    },
  };
}

/**
 * A tracker is known by its URL; of two accounts at one URL, a change is undone in the one in which it was made, and what was
 * approved for one is sent to that one.
 */
function identityOf(
  { name, config: { tracker } }: ConfiguredTracker,
  all: readonly ConfiguredTracker[],
): string | undefined {
  if (tracker === 'sandbox') return undefined;
  const atUrl = all.filter(({ config }) => config.tracker !== 'sandbox' && config.tracker.url === tracker.url);
  return atUrl.length === 1 ? tracker.url : `${tracker.url} (${name})`;
}
