import { Failure } from '../api/failure.ts';
import type { Observer, TrackerObserver } from '../api/observer.ts';
import type { Queue } from '../client/connection.ts';
import { type Keyring, weaknessOf } from '../client/mask-key.ts';
import type { Tracker } from '../client/request.ts';
import { TrackerClient } from '../client/tracker-client.ts';
import type { Config } from '../config.ts';
import { AuditTrail } from '../guard/audit-trail.ts';
import { type ChangeJournal, Changes } from '../guard/changes.ts';
import { Guard } from '../guard/guard.ts';
import type { Proposals } from '../guard/proposals/proposals.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ToolContext } from '../tools/define-tool.ts';
import { PastFigures } from '../tools/past-figures.ts';
import type { ApprovedWrites, Holders } from '../tools/proposals/approved-writes.ts';
import { RecentTables } from '../tools/recent-tables.ts';
import { refuseUnknownTools } from './refuse-unknown-tools.ts';
import { startTrackerThread } from './sandbox/tracker-thread.ts';

/** How long a query may still take whose client is gone: its process ends within two seconds of it. */
const lastQueryMs = 1000;

/** What a command works with, and how it is given back. */
export interface OpenTracker {
  readonly context: ToolContext;
  /** Loads what the first call needs, and starts the embedded tracker where it is the one; `onFailure` is told if it cannot start. */
  start(onFailure: (error: Error) => void): void;
  /** What sends approved writes to it; absent where none waits for a person. */
  readonly writes?: ApprovedWrites | undefined;
  /** To be told that the client is gone: a query of it, which nobody may read, gets a second more. */
  hangUp(): void;
  /** The tracker, started where it is the embedded one. */
  tracker(): Promise<Tracker>;
  /** Whether the embedded tracker is being started and no call has asked for it: it has nothing to save then. */
  isStartingInVain(): boolean;
  close(): Promise<void>;
}

/** Who is told of what, and what a tracker has in common with the others of its server and with its replicas. */
export interface OpenOptions {
  /** Told of the sample data as it is made. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Told of requests and refusals. */
  readonly observer?: Observer | undefined;
  /** What it is called, where there are several. */
  readonly name?: string | undefined;
  /** What the audit trail and proposals know it by; without it, its URL. */
  readonly identity?: string | undefined;
  /** The keys of all of them. */
  readonly keyring?: Keyring;
  /** The tables of all of them, so that one query can be about several. */
  readonly recentTables?: RecentTables;
  /** What is kept of its answers, at most. */
  readonly maxKeptBytes?: number;
  /** Where writes to all of them wait for a person; absent where none does. */
  readonly proposals?: Proposals | undefined;
  /** What knows the tokens of this server; absent if it takes none. */
  readonly holders?: Holders | undefined;
  /** What this server has in common with its replicas. */
  readonly shared?: { readonly queue: Queue; readonly changes: ChangeJournal } | undefined;
}

/**
 * Opens the tracker that the configuration names. The embedded tracker is loaded and started by `start`, or else by the
 * first call.
 */
export async function openTracker(config: Config, options: OpenOptions = {}): Promise<OpenTracker> {
  const { tracker, method, format, timeout } = config;
  const { onProgress, name, identity, keyring, maxKeptBytes, shared, proposals } = options;
  const { recentTables = new RecentTables() } = options;
  const observer = options.observer?.atTracker?.(name);
  refuseUnknownTools(config.tools);
  const weakness = tracker === 'sandbox' ? undefined : weaknessOf(tracker.apiKey);
  if (weakness !== undefined) console.error(`tracker-mcp: ${name === undefined ? '' : `${name}: `}${weakness}`);
  let sandbox: Promise<Sandbox> | undefined;
  let isStarting = false;
  let isAskedFor = false;
  const startSandbox = async (): Promise<Sandbox> => {
    isStarting = true;
    try {
      return await startTrackerThread(onProgress);
    } finally {
      isStarting = false;
    }
  };
  const reach = async (): Promise<Tracker> => {
    if (tracker !== 'sandbox') return tracker;
    sandbox ??= startSandbox();
    return sandbox;
  };
  const reachForCall = () => {
    isAskedFor = true;
    return reach();
  };
  const auditTrail =
    config.auditLog === undefined
      ? undefined
      : new AuditTrail(config.auditLog, tracker === 'sandbox' ? undefined : (identity ?? tracker.url), name);
  // A log that cannot be opened is told at the start; it refuses writes, not reads.
  auditTrail?.open().catch((error: Error) => console.error(`tracker-mcp: ${error.message}`));
  const client = new TrackerClient({
    tracker: tracker === 'sandbox' ? reachForCall : tracker,
    method,
    format,
    timeoutMs: timeout,
    observer,
    keyring,
    maxKeptBytes,
    queue: shared?.queue,
  });
  const context: ToolContext = {
    client,
    guard: guardOf(config, auditTrail, options, observer),
    trackerName: name,
    trackerIdentity: identity,
    recentTables,
    pastFigures: new PastFigures(),
    timeZone: config.timezone ?? 'UTC',
    isZoneAssumed: config.timezone === undefined && tracker !== 'sandbox',
    currency: config.currency,
    now: () => new Date(),
  };
  const writes = proposals && (await approvedWrites(proposals, context, options.holders));
  return {
    context,
    writes,
    start: (onFailure) => {
      client.prepare();
      writes?.start();
      if (tracker === 'sandbox') reach().catch(onFailure);
    },
    hangUp: () => recentTables.close(lastQueryMs),
    tracker: reach,
    isStartingInVain: () => isStarting && !isAskedFor,
    close: async () => {
      recentTables.close();
      await writes?.stop();
      const started = await sandbox?.catch(() => undefined);
      await started?.close();
      await auditTrail?.close();
    },
  };
}

async function approvedWrites(
  proposals: Proposals,
  context: ToolContext,
  holders: Holders | undefined,
): Promise<ApprovedWrites> {
  const { ApprovedWrites } = await import('../tools/proposals/approved-writes.ts');
  return new ApprovedWrites(proposals, context, tellFailure, holders);
}

function tellFailure(error: unknown): void {
  console.error(`tracker-mcp: ${error instanceof Failure ? error.message : `defect: ${error}`}`);
}

function guardOf(
  config: Config,
  auditTrail: AuditTrail | undefined,
  { name, proposals, shared }: OpenOptions,
  observer: TrackerObserver | undefined,
): Guard {
  const { readOnly, tools, allowCampaigns, allowPredefined, allowUrlHosts, maxBid, maxPayout, confirm } = config;
  const limits = { campaigns: allowCampaigns, predefined: allowPredefined, urlHosts: allowUrlHosts, maxBid, maxPayout };
  const asked = confirm === 'elicit' || (confirm === 'approve' && 'approve');
  const policy = { readOnly, tools, limits, confirm: asked, proposals, tracker: name, auditTrail, observer } as const;
  return new Guard(policy, undefined, new Changes(auditTrail, shared?.changes));
}
