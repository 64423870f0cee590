import { createInterface } from 'node:readline';
import type { Home } from './home.ts';

/** What Codex found of a server. */
interface ServerStatus {
  readonly name: string;
  readonly serverInfo: { readonly name: string } | null;
  readonly tools: Readonly<Record<string, unknown>>;
}

/**
 * Has Codex start its servers, which its `mcp list` does not, and asks it what they are: `codex app-server` is what editors talk
 * to, in JSON-RPC by line, and needs no login for that.
 */
export async function askCodex({ start }: Home): Promise<readonly ServerStatus[]> {
  const { stdin, stdout, stderr } = start(['app-server'], 'pipe');
  if (!stdin || !stdout || !stderr) throw new TypeError('its streams are pipes');
  stderr.resume();
  // Where it has ended, it answers nothing, which is told below.
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
