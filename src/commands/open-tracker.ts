import type { Observer } from '../api/observer.ts';
import { type Keyring, weaknessOf } from '../client/mask-key.ts';
import type { Tracker } from '../client/request.ts';
import { TrackerClient } from '../client/tracker-client.ts';
import type { Config } from '../config.ts';
import { AuditTrail } from '../guard/audit-trail.ts';
import { Guard } from '../guard/guard.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ToolContext } from '../tools/define-tool.ts';
import { PastFigures } from '../tools/past-figures.ts';
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
  /** To be told that the client is gone: a query of it, which nobody may read, gets a second more. */
  hangUp(): void;
  /** The tracker, started where it is the embedded one. */
  tracker(): Promise<Tracker>;
  /** Whether the embedded tracker is being started and no call has asked for it: it has nothing to save then. */
  isStartingInVain(): boolean;
  close(): Promise<void>;
}

/** Who is told of what, and what a tracker has in common with the others of its server. */
export interface OpenOptions {
  /** Told of the sample data as it is made. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Told of requests and refusals. */
  readonly observer?: Observer | undefined;
  /** What it is called, where there are several. */
  readonly name?: string | undefined;
  /** What the audit trail knows it by; without it, its URL. */
  readonly identity?: string | undefined;
  /** The keys of all of them. */
  readonly keyring?: Keyring;
  /** The tables of all of them, so that one query can be about several. */
  readonly recentTables?: RecentTables;
  /** What is kept of its answers, at most. */
  readonly maxKeptBytes?: number;
}

/**
 * Opens the tracker that the configuration names. The embedded tracker is loaded and started by `start`, or else by the
 * first call.
 */
export async function openTracker(config: Config, options: OpenOptions = {}): Promise<OpenTracker> {
  const { tracker, method, format, timeout } = config;
  const { onProgress, observer, name, keyring, maxKeptBytes, recentTables = new RecentTables() } = options;
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
      : new AuditTrail(config.auditLog, tracker === 'sandbox' ? undefined : (options.identity ?? tracker.url), name);
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
  });
  return {
    context: {
      client,
      guard: guardOf(config, auditTrail, options),
      recentTables,
      pastFigures: new PastFigures(),
      timeZone: config.timezone ?? 'UTC',
      now: () => new Date(),
    },
    start: (onFailure) => {
      client.prepare();
      if (tracker === 'sandbox') reach().catch(onFailure);
    },
    hangUp: () => recentTables.close(lastQueryMs),
    tracker: reach,
    isStartingInVain: () => isStarting && !isAskedFor,
    close: async () => {
      recentTables.close();
      const started = await sandbox?.catch(() => undefined);
      await started?.close();
      await auditTrail?.close();
    },
  };
}

function guardOf(config: Config, auditTrail: AuditTrail | undefined, { name, observer }: OpenOptions): Guard {
  const { readOnly, tools, allowCampaigns, allowPredefined, allowUrlHosts, maxBid, maxPayout, confirm } = config;
  const limits = { campaigns: allowCampaigns, predefined: allowPredefined, urlHosts: allowUrlHosts, maxBid, maxPayout };
  return new Guard({ readOnly, tools, limits, confirm: confirm === 'elicit', tracker: name, auditTrail, observer });
}
