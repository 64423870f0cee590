import { join } from 'node:path';
import { Failure } from '../api/failure.ts';
import type { Observer } from '../api/observer.ts';
import { TrackerNumbers } from '../api/tracker-numbers.ts';
import { accountName } from '../client/account-name.ts';
import { maxCachedBytes } from '../client/answer-cache.ts';
import { Keyring, weaknessOf } from '../client/mask-key.ts';
import { proxyProblem } from '../client/proxies.ts';
import type { Queue } from '../client/queue.ts';
import type { Tracker } from '../client/request.ts';
import { TrackerClient } from '../client/tracker-client.ts';
import { type Config, type Configuration, ConfigurationFailure, type ConfiguredTracker, noTracker } from '../config.ts';
import { AuditTrail, type TrailOptions } from '../guard/audit-trail.ts';
import { type ChangeJournal, Changes } from '../guard/changes.ts';
import { Guard } from '../guard/guard.ts';
import type { Holders } from '../guard/holder.ts';
import type { Proposals } from '../guard/proposals.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ApprovedListener, ApprovedWrites } from '../tools/approved-writes.ts';
import { allTools } from '../tools/catalogue.ts';
import type { ToolContext } from '../tools/define-tool.ts';
import { PastFigures } from '../tools/past-figures.ts';
import { RecentTables } from '../tools/recent-tables.ts';
import { Trackers } from '../tools/trackers.ts';
import { PastDayFiles } from './past-days.ts';
import { pasteable, printToStderr } from './process.ts';
import { startEmbeddedTracker } from './sandbox/embedded-tracker.ts';
import { changeLogFolder, ownPath } from './user-folders.ts';

/** How long a query may go on after its client hung up: the process ends within two seconds. */
const lastQueryMs = 1000;

export interface OpenedTracker {
  /** Undefined for the tracker that flags and the environment name. */
  readonly name: string | undefined;
  readonly config: Config;
  readonly context: ToolContext;
  /** Sends approved writes from `start` until it is stopped; absent if no write waits for a person. */
  readonly writes?: ApprovedWrites | undefined;
  /** Starts the tracker if it is the embedded one. */
  tracker(): Promise<Tracker>;
  start(): void;
  close(): Promise<void>;
}

export type OpenTrackers = Awaited<ReturnType<typeof openTrackers>>;

interface OpenOptions {
  readonly observer?: Observer | undefined;
  /** The owners of tokens; absent if the server takes no tokens. */
  readonly holders?: Holders | undefined;
  /** Learns how each approved write ended. */
  readonly onSent?: ApprovedListener;
  /** Keeps the changes for later runs, where no audit log does. Not for HTTP: its callers see no changes of earlier runs. */
  readonly keepsChanges?: boolean;
  /** State that replicas share, in the order of the configuration. */
  readonly shared?: readonly { readonly queue: Queue; readonly changes: ChangeJournal }[] | undefined;
}

/**
 * Opens every tracker of a configuration. Each has its own client, guard and circuit breaker. They share the keys to mask, the memory
 * for answers, the tables of queries and the proposals. The first call starts the embedded tracker.
 */
export async function openTrackers(configuration: Configuration, options: OpenOptions = {}) {
  const { trackers: configured, byDefault, server } = configuration;
  const proposals = await openProposals(configuration);
  const pastDaysDir = server.pastDaysDir ?? ownPath('cache', 'past-days');
  const recentTables = new RecentTables();
  const common: CommonParts = { configured, options, proposals, pastDaysDir, recentTables, keyring: new Keyring() };
  const opened: OpenedTracker[] = [];
  for (const [index, one] of configured.entries()) opened.push(await openTracker(one, index, common));
  const forAllWrites = (act: 'look' | 'stop') => async () => {
    await Promise.all(opened.map(({ writes }) => writes?.[act]()));
  };
  return {
    opened,
    trackers: new Trackers(
      opened.map(({ name = '', context }) => ({ name, context })),
      byDefault,
    ),
    /** Undefined if no write waits for a person. */
    approving: proposals && { proposals, writes: { look: forAllWrites('look'), stop: forAllWrites('stop') } },
    /** Loads the code of the first call, which starts the embedded tracker. */
    start: () => {
      for (const { start } of opened) start();
    },
    /** For a client that has hung up: its queries get one more second. */
    hangUp: () => recentTables.close(lastQueryMs),
    close: async () => {
      recentTables.close();
      await Promise.all(opened.map(({ close }) => close()));
    },
  };
}

/** What all trackers of a configuration use. */
interface CommonParts {
  readonly configured: readonly ConfiguredTracker[];
  readonly options: OpenOptions;
  readonly proposals: Proposals | undefined;
  readonly pastDaysDir: string;
  readonly recentTables: RecentTables;
  readonly keyring: Keyring;
}

/** @param index its position in the configuration, where replicas find its shared state */
async function openTracker(one: ConfiguredTracker, index: number, common: CommonParts): Promise<OpenedTracker> {
  const { configured, options, pastDaysDir, recentTables, keyring } = common;
  const { config } = one;
  const { tracker, method, format, timeout, timezone, currency, decimal } = config;
  const name = configured.length > 1 ? one.name : undefined;
  const identity = identityOf(one, configured);
  const observer = options.observer?.atTracker?.(name);
  const { queue, changes } = options.shared?.[index] ?? {};
  refuseUnknownTools(config.tools);
  /** The embedded tracker is a new one each time. */
  const account = typeof tracker === 'object' ? tracker : undefined;
  if (account) refuseWrongProxy(new URL(account.url));
  const weakness = account && weaknessOf(account.apiKey);
  if (weakness !== undefined) printToStderr(`${name === undefined ? '' : `${name}: `}${weakness}`);
  const source = sourceOf(tracker);
  const auditTrail = openTrail(one, { tracker: identity, trackerName: name }, options);
  const client = new TrackerClient({
    tracker: account ?? source.start,
    method,
    format,
    timeoutMs: timeout,
    numbers: new TrackerNumbers(decimal),
    observer,
    keyring,
    queue,
    masksVisitors: config.maskVisitors,
    maxCachedBytes: Math.floor(maxCachedBytes / configured.length),
  });
  const pastDays = account && pastDaysDir !== 'none' ? new PastDayFiles(pastDaysDir, account) : undefined;
  const proposals = canWait(config) ? common.proposals : undefined;
  const context: ToolContext = {
    client,
    guard: new Guard(
      { ...policyOf(config), tracker: name, auditTrail, observer, proposals },
      undefined,
      new Changes(auditTrail, changes),
    ),
    trackerName: name,
    trackerIdentity: identity,
    missing: tracker === 'none' ? trackerMissing() : undefined,
    recentTables,
    pastFigures: new PastFigures(pastDays),
    timeZone: timezone ?? 'UTC',
    isZoneAssumed: timezone === undefined && account !== undefined,
    currency,
    now: () => new Date(),
  };
  const writes = proposals && (await openWrites(proposals, context, options));
  return {
    name: one.name,
    config,
    context,
    writes,
    start: () => {
      client.prepare();
      writes?.start();
    },
    tracker: source.start,
    close: async () => {
      await source.close();
      await pastDays?.save();
      await auditTrail?.close();
    },
  };
}

/** The audit log of a tracker, or else the change log in the user's state directory. */
function openTrail(
  { config: { auditLog, tracker } }: ConfiguredTracker,
  about: TrailOptions,
  { keepsChanges = false }: OpenOptions,
): AuditTrail | undefined {
  if (auditLog === 'none') return undefined;
  if (auditLog !== undefined) {
    const trail = new AuditTrail(auditLog, about);
    // Reported at the start. Without the log, writes are refused and reads work.
    trail.open().catch((error: Error) => printToStderr(error.message));
    return trail;
  }
  // The embedded tracker is a new one each time.
  if (!keepsChanges || typeof tracker !== 'object') return undefined;
  const path = async () => join(changeLogFolder(), `${await accountName(tracker)}.jsonl`);
  return new AuditTrail(path, { ...about, onUnwritable: printToStderr });
}

/** What each call answers while no tracker is set. */
function trackerMissing(): Failure {
  const where = 'They belong into the entry of this server in the settings of the chat program.';
  return new Failure(
    `${noTracker}\n${where}`,
    pasteable('`tracker-mcp install` in a terminal asks for them and writes them. Restart the program afterwards.'),
  );
}

/** Gives the address and key of a tracker. The embedded tracker is started with the first call of `start`. */
function sourceOf(tracker: Config['tracker']) {
  let sandbox: Promise<Sandbox> | undefined;
  return {
    start: async (): Promise<Tracker> => {
      if (tracker === 'none') throw trackerMissing();
      if (tracker !== 'sandbox') return tracker;
      sandbox ??= startEmbeddedTracker({ isLazy: true });
      return sandbox;
    },
    // A tracker that could not start has nothing to close.
    close: async (): Promise<void> => (await sandbox?.catch(() => undefined))?.close(),
  };
}

/**
 * The identity of a tracker is its URL, with its name if there are several accounts at that URL: a change is undone, and an approved
 * write is sent, in the same account.
 */
function identityOf(
  { name, config: { tracker } }: ConfiguredTracker,
  all: readonly ConfiguredTracker[],
): string | undefined {
  if (typeof tracker !== 'object') return undefined;
  const atUrl = all.filter(({ config }) => typeof config.tracker === 'object' && config.tracker.url === tracker.url);
  return atUrl.length === 1 ? tracker.url : `${tracker.url} (${name})`;
}

/** Whether writes can wait for a person: all writes, or writes with a token that may only propose. */
function canWait({ confirm, tokens, oauthIssuer }: Config): boolean {
  return confirm === 'approve' || tokens !== undefined || oauthIssuer !== undefined;
}

/** The proposals of all trackers; undefined, without loading any code, if no write can wait for a person. */
async function openProposals(configuration: Configuration): Promise<Proposals | undefined> {
  if (!configuration.trackers.some(({ config }) => canWait(config))) return undefined;
  return (await import('./approve.ts')).openForServer(configuration);
}

async function openWrites(proposals: Proposals, context: ToolContext, { holders, onSent }: OpenOptions) {
  const { openApprovedWrites } = await import('../tools/approved-writes.ts');
  const onFailure = (error: unknown) => printToStderr(error instanceof Failure ? error.message : `defect: ${error}`);
  return openApprovedWrites(proposals, context, onFailure, holders, onSent);
}

function policyOf({ readOnly, tools, confirm, maxChanges, ...config }: Config) {
  const { allowCampaigns: campaigns, allowPredefined: predefined, allowUrlHosts: urlHosts, maxBid, maxPayout } = config;
  const limits = { campaigns, predefined, urlHosts, maxBid, maxPayout, maxChanges };
  return { readOnly, tools, limits, confirm: confirm === 'approve' ? confirm : confirm === 'elicit' };
}

/** @throws ConfigurationFailure that names the variable */
export function refuseWrongProxy(url: URL): void {
  const problem = proxyProblem(url);
  if (problem) throw new ConfigurationFailure(...problem);
}

/**
 * Refuses a misspelt tool: otherwise the server would silently offer fewer tools than intended.
 *
 * @throws ConfigurationFailure that names all tools
 */
export function refuseUnknownTools(names: readonly string[] | undefined): void {
  const toolNames = allTools.map(({ name }) => name);
  const unknown = names?.find((name) => !toolNames.includes(name));
  if (unknown === undefined) return;
  throw new ConfigurationFailure(
    `--tools / TRACKER_TOOLS names ${JSON.stringify(unknown)}, which is not a tool.`,
    `The tools are: ${toolNames.join(', ')}.`,
  );
}
