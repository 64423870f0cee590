import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startCli } from '../../e2e/support/run-cli.ts';
import { closeAfterTests } from '../../support/closing.ts';

const apiKey = 'replicas-secret-key';

/** Starts the built server with these settings, and waits for its address. */
export async function startReplica(settings: Readonly<Record<string, string>>) {
  const environment = { TRACKER_API_KEY: apiKey, TRACKER_MCP_PORT: '0', ...settings };
  const server = startCli(['http'], { environment });
  closeAfterTests(() => end(server));
  const log: string[] = [];
  const lines = createInterface(server.stderr);
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      log.push(line);
      const found = /serving MCP at (\S+?\/mcp)/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    server.once('exit', () => reject(new Error(`it ended: ${log.join('\n')}`)));
  });
  return {
    url,
    /** The lines on stderr so far. */
    log: log as readonly string[],
    kill: () => end(server),
    /** Ends it as a process manager does. */
    stop: async () => {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
    },
    /** Whether Redis is up, by /metrics. */
    redisUp: async () => {
      const response = await fetch(new URL('/metrics', url));
      return /^tracker_mcp_redis_up (\d)$/m.exec(await response.text())?.[1];
    },
    /** The answer of /readyz. */
    readiness: async () => {
      const response = await fetch(new URL('/readyz', url));
      return { code: response.status, ...((await response.json()) as { status: string; redis?: string }) };
    },
  };
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
}
