import { TrackerClient } from '../client/tracker-client.ts';
import type { Config } from '../config.ts';
import { AuditTrail } from '../guard/audit-trail.ts';
import { Guard } from '../guard/guard.ts';
import type { ToolContext } from '../tools/define-tool.ts';

/** What a command works with, and how it is given back. */
export interface OpenTracker {
  readonly context: ToolContext;
  close(): Promise<void>;
}

/**
 * Makes the client of the tracker that the configuration names. The embedded tracker is loaded and started at the first
 * call, so that a server answers its client at once.
 */
export function openTracker(config: Config): OpenTracker {
  const { tracker } = config;
  let sandbox: Promise<{ url: string; apiKey: string; close(): Promise<void> }> | undefined;
  const startSandbox = async () => {
    const { startSandbox } = await import('../sandbox/sandbox.ts');
    return startSandbox({});
  };
  const client = new TrackerClient({
    tracker: async () => {
      if (tracker !== 'sandbox') return tracker;
      sandbox ??= startSandbox();
      return sandbox;
    },
    method: config.method,
    format: config.format,
    timeoutMs: config.timeout,
  });
  const auditTrail = config.auditLog === undefined ? undefined : new AuditTrail(config.auditLog);
  const guard = new Guard({
    readOnly: config.readOnly,
    tools: config.tools,
    limits: {
      campaigns: config.allowCampaigns,
      urlHosts: config.allowUrlHosts,
      maxBid: config.maxBid,
      maxPayout: config.maxPayout,
    },
    confirm: config.confirm === 'elicit',
    auditTrail,
  });
  // A log that cannot be opened is told at the start; it refuses writes, not reads.
  auditTrail?.open().catch((error: Error) => console.error(`tracker-mcp: ${error.message}`));
  return {
    context: { client, guard, timeZone: config.timezone, now: () => new Date() },
    close: async () => {
      await auditTrail?.close();
      await (await sandbox)?.close();
    },
  };
}
