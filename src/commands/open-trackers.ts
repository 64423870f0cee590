import { Failure } from '../api/failure.ts';
import type { Observer } from '../api/observer.ts';
import { maxKeptBytes } from '../client/answer-cache.ts';
import type { Queue } from '../client/connection.ts';
import { Keyring, weaknessOf } from '../client/mask-key.ts';
import type { Tracker } from '../client/request.ts';
import { TrackerClient } from '../client/tracker-client.ts';
import { type Config, type Configuration, ConfigurationFailure, type ConfiguredTracker } from '../config.ts';
import { AuditTrail } from '../guard/audit-trail.ts';
import { type ChangeJournal, Changes } from '../guard/changes.ts';
import { Guard } from '../guard/guard.ts';
import type { Holders } from '../guard/holder.ts';
import type { Proposals } from '../guard/proposals.ts';
import type { ApprovedWrites } from '../tools/approved-writes.ts';
import { allTools } from '../tools/catalogue.ts';
import type { ToolContext } from '../tools/define-tool.ts';
import { PastFigures } from '../tools/past-figures.ts';
import { RecentTables } from '../tools/recent-tables.ts';
import { Trackers } from '../tools/trackers/trackers.ts';
import { PastDayFiles, userPastDays } from './past-days.ts';
import { tell } from './process.ts';
import { startTrackerThread, type TrackerThread } from './sandbox/embedded-tracker.ts';

/** How long a query may still take whose client is gone: its process ends within two seconds of it. */
const lastQueryMs = 1000;

/** One of the trackers of a configuration, open. */
export interface OpenedTracker {
  /** Undefined for the one that flags and the environment name. */
  readonly name: string | undefined;
  readonly config: Config;
  readonly context: ToolContext;
  /** What sends approved writes to it; absent if none waits for a person. */
  readonly writes?: ApprovedWrites | undefined;
  /** The tracker, started if it is the embedded one. */
  tracker(): Promise<Tracker>;
  start(onFailure: (error: Error) => void): void;
  close(): Promise<void>;
}

/** The trackers that a command works with, and how they are given back. */
export type OpenTrackers = Awaited<ReturnType<typeof openTrackers>>;

/** What watches the trackers, and what they have in common with those of replicas. */
interface OpenOptions {
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  readonly observer?: Observer | undefined;
  /** What knows the tokens of this server; absent if it takes none. */
  readonly holders?: Holders | undefined;
  /** In the order of the configuration. */
  readonly shared?: readonly { readonly queue: Queue; readonly changes: ChangeJournal }[] | undefined;
}

/**
 * Opens every tracker of a configuration. Each has a client, a guard and a circuit of its own; in common they have the keys that
 * are masked, the memory for answers, the tables that queries can name and the place where writes wait for a person. The embedded
 * tracker is loaded by `start`, or else by the first call.
 */
export async function openTrackers(configuration: Configuration, options: OpenOptions = {}) {
  const { trackers: configured, byDefault, server } = configuration;
  const { onProgress, observer: watching, holders, shared } = options;
  const proposals = await proposalsOf(configuration);
  const pastDaysDir = server.pastDaysDir ?? userPastDays();
  const recentTables = new RecentTables();
  const keyring = new Keyring();
  const opened: OpenedTracker[] = [];
  for (const [index, one] of configured.entries()) opened.push(await open(one, index));
  const forAll = (act: 'look' | 'stop') => async () => {
    await Promise.all(opened.map(({ writes }) => writes?.[act]()));
  };
  return {
    opened,
    trackers: new Trackers(
      opened.map(({ name = '', context }) => ({ name, context })),
      byDefault,
    ),
    /** What is proposed and approved; undefined if no write waits for a person. */
    approving: proposals && { proposals, writes: { look: forAll('look'), stop: forAll('stop') } },
    /** Loads what the first call needs, and starts the embedded tracker; `onFailure` gets why it cannot start. */
    start: (onFailure: (error: Error) => void) => {
      for (const { start } of opened) start(onFailure);
    },
    /** The client is gone: a query of it gets a second more. */
    hangUp: () => recentTables.close(lastQueryMs),
    close: async () => {
      recentTables.close();
      await Promise.all(opened.map(({ close }) => close()));
    },
  };

  async function open(one: ConfiguredTracker, index: number): Promise<OpenedTracker> {
    const { name: ownName, config } = one;
    const { tracker, method, format, timeout, timezone, currency, auditLog } = config;
    const name = configured.length > 1 ? ownName : undefined;
    const identity = identityOf(one, configured);
    const observer = watching?.atTracker?.(name);
    const { queue, changes } = shared?.[index] ?? {};
    refuseUnknownTools(config.tools);
    const weakness = tracker === 'sandbox' ? undefined : weaknessOf(tracker.apiKey);
    if (weakness !== undefined) tell(`${name === undefined ? '' : `${name}: `}${weakness}`);
    let thread: TrackerThread | undefined;
    const reach = async (): Promise<Tracker> => {
      if (tracker !== 'sandbox') return tracker;
      thread ??= startTrackerThread(onProgress);
      return thread.started;
    };
    const auditTrail = auditLog === undefined ? undefined : new AuditTrail(auditLog, identity, name);
    // A log that cannot be opened is said at the start; it refuses writes, not reads.
    auditTrail?.open().catch((error: Error) => tell(error.message));
    const client = new TrackerClient({
      tracker: tracker === 'sandbox' ? reach : tracker,
      ...{ method, format, timeoutMs: timeout, observer, keyring, queue },
      maxKeptBytes: Math.floor(maxKeptBytes / configured.length),
    });
    // The embedded tracker is another one each time.
    const isKept = pastDaysDir !== 'none' && tracker !== 'sandbox';
    const pastDays = isKept ? new PastDayFiles(pastDaysDir, tracker) : undefined;
    const own = { tracker: name, auditTrail, observer, proposals: waits(config) ? proposals : undefined };
    const context: ToolContext = {
      client,
      guard: new Guard({ ...policyOf(config), ...own }, undefined, new Changes(auditTrail, changes)),
      trackerName: name,
      trackerIdentity: identity,
      recentTables,
      pastFigures: new PastFigures(pastDays),
      timeZone: timezone ?? 'UTC',
      isZoneAssumed: timezone === undefined && tracker !== 'sandbox',
      currency,
      now: () => new Date(),
    };
    const writes = own.proposals && (await approvedWrites(own.proposals, context, holders));
    return {
      name: ownName,
      config,
      context,
      writes,
      start: (onFailure) => {
        client.prepare();
        writes?.start();
        if (tracker === 'sandbox') reach().catch(onFailure);
      },
      tracker: reach,
      close: async () => {
        await writes?.stop();
        await thread?.close();
        await pastDays?.save();
        await auditTrail?.close();
      },
    };
  }
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

/** Whether any write can come to wait for a person: all of them, or those of tokens that may only propose. */
function waits({ confirm, tokens, oauthIssuer }: Config): boolean {
  return confirm === 'approve' || tokens !== undefined || oauthIssuer !== undefined;
}

/** One place for all trackers; undefined if no write can come to wait, as on most servers, which then load nothing for it. */
async function proposalsOf({ server, trackers }: Configuration): Promise<Proposals | undefined> {
  if (!trackers.some(({ config }) => waits(config))) return undefined;
  const { openForServer } = await import('./approve.ts');
  const needsApprovers = trackers.some(({ config }) => config.confirm === 'approve');
  return openForServer(server, needsApprovers);
}

async function approvedWrites(proposals: Proposals, context: ToolContext, holders: Holders | undefined) {
  const { openApprovedWrites } = await import('../tools/approved-writes.ts');
  const tellFailure = (error: unknown) => tell(error instanceof Failure ? error.message : `defect: ${error}`);
  return openApprovedWrites(proposals, context, tellFailure, holders);
}

/** What may be written, and whether a person is asked. */
function policyOf({ readOnly, tools, confirm, ...config }: Config) {
  const { allowCampaigns: campaigns, allowPredefined: predefined, allowUrlHosts: urlHosts, maxBid, maxPayout } = config;
  const asks = confirm === 'elicit' || (confirm === 'approve' && confirm);
  return { readOnly, tools, limits: { campaigns, predefined, urlHosts, maxBid, maxPayout }, confirm: asks };
}

/**
 * A name in TRACKER_TOOLS that no tool has would silently offer less than was meant.
 *
 * @throws ConfigurationFailure that names the tools there are
 */
export function refuseUnknownTools(names: readonly string[] | undefined): void {
  const known = allTools.map(({ name }) => name);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new ConfigurationFailure(
    `--tools / TRACKER_TOOLS names ${JSON.stringify(unknown)}, which is no tool.`,
    `The tools are: ${known.join(', ')}.`,
  );
}
