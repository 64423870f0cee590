import { Failure } from '../api/failure.ts';
import type { Observer } from '../api/observer.ts';
import { weaknessOf } from '../client/mask-key.ts';
import type { Tracker } from '../client/request.ts';
import { type Replicas, TrackerClient } from '../client/tracker-client.ts';
import type { Config } from '../config.ts';
import { AuditTrail } from '../guard/audit-trail.ts';
import { type ChangeJournal, Changes } from '../guard/changes.ts';
import { Guard } from '../guard/guard.ts';
import type { Proposals } from '../guard/proposals/proposals.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ToolContext } from '../tools/define-tool.ts';
import { PastFigures } from '../tools/past-figures.ts';
import type { ApprovedWrites } from '../tools/proposals/approved-writes.ts';
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
  /** What is proposed and approved; absent where no write waits for a person. */
  readonly approving?: Approving | undefined;
  /** To be told that the client is gone: a query of it, which nobody may read, gets a second more. */
  hangUp(): void;
  /** The tracker, started where it is the embedded one. */
  tracker(): Promise<Tracker>;
  /** Whether the embedded tracker is being started and no call has asked for it: it has nothing to save then. */
  isStartingInVain(): boolean;
  close(): Promise<void>;
}

export interface Approving {
  readonly proposals: Proposals;
  readonly writes: ApprovedWrites;
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
  const proposals = waits(config) ? await proposalsOf(config) : undefined;
  const context: ToolContext = {
    client,
    guard: guardOf(config, auditTrail, proposals, observer, shared?.changes),
    recentTables,
    pastFigures: new PastFigures(),
    timeZone: config.timezone ?? 'UTC',
    currency: config.currency,
    now: () => new Date(),
  };
  const writes = proposals && (await approvedWrites(proposals, context));
  return {
    context,
    approving: proposals && writes && { proposals, writes },
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

/** Whether any write can come to wait for a person: all of them, or those of tokens that may only propose. */
function waits({ confirm, tokens, oauthIssuer }: Config): boolean {
  return confirm === 'approve' || tokens !== undefined || oauthIssuer !== undefined;
}

/** Loaded only where it is used: most servers have no write wait for anybody. */
async function proposalsOf({ proposals, approvers, confirm }: Config): Promise<Proposals> {
  const { openProposals } = await import('./approve/open-proposals.ts');
  const opened = openProposals(proposals, approvers);
  // What is wrong with the file is said at the start, not to the first who approves.
  if (!(await opened.hasApprovers()) && confirm === 'approve') {
    console.error('tracker-mcp: nobody may approve anything yet: tracker-mcp approver add NAME makes an approver.');
  }
  return opened;
}

async function approvedWrites(proposals: Proposals, context: ToolContext): Promise<ApprovedWrites> {
  const { ApprovedWrites } = await import('../tools/proposals/approved-writes.ts');
  return new ApprovedWrites(proposals, context, tellFailure);
}

function tellFailure(error: unknown): void {
  console.error(`tracker-mcp: ${error instanceof Failure ? error.message : `defect: ${error}`}`);
}

function guardOf(
  config: Config,
  auditTrail: AuditTrail | undefined,
  proposals: Proposals | undefined,
  observer: Observer | undefined,
  journal: ChangeJournal | undefined,
): Guard {
  const { readOnly, tools, allowCampaigns, allowPredefined, allowUrlHosts, maxBid, maxPayout, confirm } = config;
  const limits = { campaigns: allowCampaigns, predefined: allowPredefined, urlHosts: allowUrlHosts, maxBid, maxPayout };
  const asked = confirm === 'elicit' || (confirm === 'approve' && 'approve');
  const policy = { readOnly, tools, limits, confirm: asked, proposals, auditTrail, observer } as const;
  return new Guard(policy, undefined, new Changes(auditTrail, journal));
}
