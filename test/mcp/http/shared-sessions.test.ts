import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import type { TokenVerifier } from '../../../src/mcp/http/gate.ts';
import type { SharedSessions } from '../../../src/mcp/http/older-clients.ts';
import { closeAfterTests } from '../../support/closing.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';
import { startHttp } from '../../support/http-server.ts';
import { bearer, listTools } from '../../support/messages.ts';
import { plainAnswers } from '../../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);
/** Each token is its holder's name. */
const verifier: TokenVerifier = { verify: async (name) => ({ name, access: 'write', limits: {} }) };
const startById = new Map<string, string>();
const sharedSessions: SharedSessions = {
  keep: async (id, start) => void startById.set(id, start),
  find: async (id) => startById.get(id),
  forget: async (id) => void startById.delete(id),
};
const options = { url: tracker.url, policy: { confirm: true } };
const replica = () => startHttp(options, { sessions: true, sharedSessions, verifier });
const [first, second] = [await replica(), await replica()];

const greeting = (name: string) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name, version: '1' } },
});

/** A client whose requests go to a replica of choice. */
async function connect() {
  let at = first.url;
  const client = new Client({ name: 'older', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { agree: true } }));
  const transport = new StreamableHTTPClientTransport(new URL(first.url), {
    requestInit: { headers: bearer('ann') },
    fetch: (_, init) => fetch(at, init),
  });
  await client.connect(transport as Transport);
  closeAfterTests(() => client.close());
  const moveTo = (url: string) => {
    at = url;
  };
  return { client, transport, moveTo, session: transport.sessionId ?? '' };
}

const listWith = (session: string, token: string, server = second) =>
  server.post(listTools, { ...bearer(token), 'mcp-session-id': session });

it('a session goes on at another replica, which knows the client and can ask its user', async () => {
  const { client, moveTo } = await connect();
  moveTo(second.url);
  const calls = [1, 2, 3].map((bid) => client.callTool({ name: 'edit_campaign', arguments: { campaign_id: 1, bid } }));
  for (const { isError } of await Promise.all(calls)) expect(isError).toBeFalsy();
  expect(tracker.writes()).toHaveLength(3);
});

it('a session is no use to the holder of another token, at any replica', async () => {
  const { session } = await connect();
  expect((await listWith(session, 'eve')).status).toBe(404);
  expect((await listWith(session, 'ann')).status).toBe(200);
  expect((await listWith(session, 'eve')).status).toBe(404);
  expect((await listWith(session, 'eve', first)).status).toBe(404);
});

it('a session that its client ended goes on nowhere, nor one with a start that cannot be read', async () => {
  const { transport, session } = await connect();
  await transport.terminateSession();
  expect((await listWith(session, 'ann')).status).toBe(404);
  for (const start of ['', 'no JSON', '{}', '{"owner":"ann"}', '{"owner":"ann","greeting":{"method":"tools/list"}}']) {
    startById.set('planted', start);
    expect((await listWith('planted', 'ann')).status).toBe(404);
  }
});

it('one token takes a bounded room of what replicas share, however often its clients begin', async () => {
  startById.clear();
  const greet = (name: string) => first.post(greeting(name), bearer('mallory'));
  for (let count = 0; count < 120; count += 1) expect((await greet('client')).status).toBe(200);
  expect(startById.size).toBe(100);
  expect((await greet('x'.repeat(100_000))).status).toBe(200);
  expect(Math.max(...[...startById.values()].map((start) => start.length))).toBeLessThan(10_000);
});
