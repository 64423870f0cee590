import { createInterface } from 'node:readline';
import type { Home } from './home.ts';

interface ServerStatus {
  readonly name: string;
  readonly serverInfo: { readonly name: string } | null;
  readonly tools: Readonly<Record<string, unknown>>;
}

/**
 * Lets Codex start its servers, which `mcp list` does not do, and lists them. `codex app-server` speaks JSON-RPC by line with
 * editors, and needs no login.
 */
export async function askCodex({ start }: Home): Promise<readonly ServerStatus[]> {
  const { stdin, stdout, stderr } = start(['app-server'], 'pipe');
  if (!stdin || !stdout || !stderr) throw new TypeError('its streams are pipes');
  stderr.resume();
  // If Codex has ended, the error below reports it.
  stdin.on('error', () => undefined);
  const send = (message: object) => stdin.write(`${JSON.stringify(message)}\n`);
  send({ id: 1, method: 'initialize', params: { clientInfo: { name: 'test', title: 'Test', version: '1' } } });
  for await (const line of createInterface(stdout)) {
    const { id, result } = JSON.parse(line);
    if (id === 1) {
      send({ method: 'initialized' });
      send({ id: 2, method: 'mcpServerStatus/list', params: {} });
    }
    if (id === 2) {
      stdin.end();
      return result.data;
    }
  }
  throw new Error('Codex ended before it answered.');
}
