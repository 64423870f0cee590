import type { Observer } from '../api/observer.ts';
import { weaknessOf } from '../client/mask-key.ts';
import type { Tracker } from '../client/request.ts';
import { type Replicas, TrackerClient } from '../client/tracker-client.ts';
import type { Config } from '../config.ts';
import { AuditTrail } from '../guard/audit-trail.ts';
import { type ChangeJournal, Changes } from '../guard/changes.ts';
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

/**
 * Opens the tracker that the configuration names. The embedded tracker is loaded and started by `start`, or else by the
 * first call.
 *
 * @param onProgress told of the sample data as it is made
 * @param observer told of requests and refusals
 * @param shared what this server has in common with its replicas
 */
export async function openTracker(
  config: Config,
  onProgress?: (done: number, total: number) => void,
  observer?: Observer,
  shared?: { readonly replicas: Replicas; readonly changes: ChangeJournal },
): Promise<OpenTracker> {
  const { tracker, method, format, timeout } = config;
  refuseUnknownTools(config.tools);
  const weakness = tracker === 'sandbox' ? undefined : weaknessOf(tracker.apiKey);
  if (weakness !== undefined) console.error(`tracker-mcp: ${weakness}`);
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
      : new AuditTrail(config.auditLog, tracker === 'sandbox' ? undefined : tracker.url);
  // A log that cannot be opened is told at the start; it refuses writes, not reads.
  auditTrail?.open().catch((error: Error) => console.error(`tracker-mcp: ${error.message}`));
  const client = new TrackerClient({
    tracker: tracker === 'sandbox' ? reachForCall : tracker,
    method,
    format,
    timeoutMs: timeout,
    observer,
    replicas: shared?.replicas,
  });
  const recentTables = new RecentTables();
  return {
    context: {
      client,
      guard: guardOf(config, auditTrail, observer, shared?.changes),
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

function guardOf(
  config: Config,
  auditTrail: AuditTrail | undefined,
  observer: Observer | undefined,
  journal: ChangeJournal | undefined,
): Guard {
  const { readOnly, tools, allowCampaigns, allowPredefined, allowUrlHosts, maxBid, maxPayout, confirm } = config;
  const limits = { campaigns: allowCampaigns, predefined: allowPredefined, urlHosts: allowUrlHosts, maxBid, maxPayout };
  const policy = { readOnly, tools, limits, confirm: confirm === 'elicit', auditTrail, observer };
  return new Guard(policy, undefined, new Changes(auditTrail, journal));
}
