import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type CallToolResult, CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { closeAfterTests } from '../../support/closing.ts';
import { environmentOf, startCli } from './run-cli.ts';

type Environment = Readonly<Record<string, string>>;

/** Starts a server over stdio, by default the built one, with a stock client. Both end with the tests of the file. */
export async function startClient(
  environment: Environment,
  { args = ['dist/cli.js'], cwd = process.cwd() }: { readonly args?: readonly string[]; readonly cwd?: string } = {},
) {
  const client = new Client({ name: 'test', version: '1' });
  const server = { command: process.execPath, args: [...args], env: environmentOf(environment), cwd };
  const transport = new StdioClientTransport({ ...server, stderr: 'ignore' });
  await client.connect(transport);
  closeAfterTests(() => client.close());
  const call = async (name: string, given: Record<string, unknown> = {}): Promise<CallToolResult> =>
    CallToolResultSchema.parse(await client.callTool({ name, arguments: given }, undefined, { timeout: 120_000 }));
  return { client, transport, call };
}

/** Starts the built server over HTTP, and waits until it listens. */
export async function startHttpServer(given: readonly string[], environment: Environment) {
  const server = startCli(['http', ...given], { environment: { TRACKER_MCP_PORT: '0', ...environment } });
  const exited = once(server, 'exit');
  closeAfterTests(async () => {
    server.kill('SIGKILL');
    await exited;
  });
  const lines: string[] = [];
  for await (const line of createInterface(server.stderr)) {
    lines.push(line);
    const url = /serving MCP at (\S+?\/mcp)/.exec(line)?.[1];
    if (url !== undefined) return { server, exited, url, stderr: lines.join('\n') };
  }
  throw new Error(`it ended: ${lines.join('\n')}`);
}

/** A message of a client over stdio. */
export const message = (body: object) => `${JSON.stringify({ jsonrpc: '2.0', ...body })}\n`;

/** The first messages of a client; the request has the ID 1. */
export const greeting = (capabilities: object = {}) =>
  message({
    ...{ id: 1, method: 'initialize' },
    params: { protocolVersion: '2025-06-18', capabilities, clientInfo: { name: 'test', version: '1' } },
  }) + message({ method: 'notifications/initialized' });

/** A call of a tool. */
export const toolCall = (id: number, name: string, given: object = {}) =>
  message({ id, method: 'tools/call', params: { name, arguments: given } });
