import { Client, type ElicitResult } from '@modelcontextprotocol/client';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  InMemoryTransport,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { catalogue } from '../../src/tools/catalogue.ts';
import { type ConnectOptions, serversFor } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers } from '../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);
const asking: ConnectOptions = { url: tracker.url, policy: { confirm: true } };
afterEach(() => void vi.useRealTimers());

/** A connection to a server of this project. */
function link(options: ConnectOptions): InMemoryTransport {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const { create } = serversFor(options, (error) => expect.unreachable(String(error)));
  serveStdio(create, { transport: theirs });
  return ours;
}

async function stockClient(options: ConnectOptions, answer?: ElicitResult) {
  const asked: string[] = [];
  const client = new Client(
    { name: 'newer', version: '1' },
    { capabilities: answer ? { elicitation: {} } : {}, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  if (answer) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return answer;
    });
  }
  await client.connect(link(options));
  return { client, asked };
}

interface Reply {
  readonly id: number;
  readonly result?: {
    readonly resultType?: string;
    readonly requestState?: string;
    readonly isError?: boolean;
    readonly content?: readonly { readonly text: string }[];
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A client that sends anything. */
async function rawClient(options: ConnectOptions, capabilities: object = { elicitation: {} }) {
  const transport = link(options);
  const waiting = new Map<number, (reply: Reply) => void>();
  transport.onmessage = (message) => {
    if ('id' in message && !('method' in message)) waiting.get(message.id as number)?.(message as unknown as Reply);
  };
  await transport.start();
  let lastId = 0;
  const request = (method: string, params: object): Promise<Reply> => {
    lastId += 1;
    const id = lastId;
    const meta = {
      [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
      [CLIENT_INFO_META_KEY]: { name: 'raw', version: '1' },
      [CLIENT_CAPABILITIES_META_KEY]: capabilities,
    };
    const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } };
    return new Promise((resolve) => {
      waiting.set(id, resolve);
      transport.send(message as JSONRPCMessage).catch(() => undefined);
    });
  };
  const call = (name: string, given: object, answered: object = {}) =>
    request('tools/call', { name, arguments: given, ...answered });
  return { request, call };
}

const agreed: ElicitResult = { action: 'accept', content: { agree: true } };
const change = { campaign_id: 1, bid: 2 };
/** A client that was asked about the change, its call, and the answer that agrees. */
async function askedClient() {
  const { call } = await rawClient(asking);
  const { result } = await call('edit_campaign', change);
  return { call, result, answered: agreeing(result?.requestState) };
}
const agreeing = (requestState: string | undefined) => ({ inputResponses: { agree: agreed }, requestState });
function expectStale({ error }: Reply): void {
  const message = expect.stringContaining('belongs to no open question');
  expect(error).toEqual({ code: -32602, message, data: { reason: 'invalid_request_state' } });
}
const textOf = ({ result }: Reply) => result?.content?.[0]?.text ?? '';

it('serves the stock client of the newer protocol', async () => {
  const { client } = await stockClient({ url: tracker.url });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(catalogue.map(({ name }) => name));
  expect((await client.callTool({ name: 'list_campaigns' })).isError).toBeFalsy();
  expect((await client.listResources()).resources).not.toEqual([]);
  expect((await client.getPrompt({ name: 'campaign-review', arguments: { campaign: '1' } })).messages).toHaveLength(1);
  expect(client.getServerCapabilities()).toMatchObject({ tools: {}, completions: {} });
});

it('lets the client alone cache lists, for five minutes', async () => {
  const { request } = await rawClient({ url: tracker.url });
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
    expect((await request(method, {})).result, method).toMatchObject({ ttlMs: 300_000, cacheScope: 'private' });
  }
});

it('names an unknown resource in the data of an error that has no prefix', async () => {
  const { request } = await rawClient({ url: tracker.url });
  const { error } = await request('resources/read', { uri: 'tracker://nothing' });
  const message = 'There is no resource “tracker://nothing”.';
  expect(error).toEqual({ code: -32602, message, data: { uri: 'tracker://nothing' } });
});

describe('a write that needs a yes', () => {
  it('is sent once the person agreed to the question of the server', async () => {
    const { client, asked } = await stockClient(asking, agreed);
    const { isError } = await client.callTool({ name: 'edit_campaign', arguments: change });
    expect(isError).toBeFalsy();
    expect(asked).toEqual([expect.stringContaining('- bid: 2')]);
    expect(tracker.writes()).toHaveLength(1);
  });

  it.each<[string, ElicitResult]>([
    ['declines', { action: 'decline' }],
    ['cancels', { action: 'cancel' }],
    ['accepts without agreeing', { action: 'accept', content: { agree: false } }],
  ])('is not sent if the person %s', async (_, answer) => {
    const { client } = await stockClient(asking, answer);
    const { isError, content } = await client.callTool({ name: 'edit_campaign', arguments: change });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toMatch(/not sent.*Ask the person what they want/);
    expect(tracker.writes()).toEqual([]);
  });

  it.each([{}, { elicitation: { url: {} } }])('is rejected if the client has the capabilities %j', async (given) => {
    const { call } = await rawClient(asking, given);
    expect(textOf(await call('edit_campaign', change))).toMatch(/cannot ask its user/);
  });

  it.each<[string, object]>([
    ['an unknown action', { agree: { ...agreed, action: 'yes' } }],
    ['a text instead of true', { agree: { action: 'accept', content: { agree: 'true' } } }],
    ['nothing', {}],
  ])('is rejected without a second question if the client answers %s', async (_, inputResponses) => {
    const { call, answered } = await askedClient();
    const second = await call('edit_campaign', change, { ...answered, inputResponses });
    expect(textOf(second)).toMatch(/neither yes nor no/);
    expect(tracker.writes()).toEqual([]);
  });

  it('is for the campaign that had the name when the person was asked', async () => {
    const campaigns = [{ ID: '1', Name: 'Search' }];
    tracker.answer('campaign/list', () => ({ body: JSON.stringify(campaigns) }));
    const { call } = await rawClient(asking);
    const byName = { campaign_id: 'search', bid: 2 };
    const answerTo = async ({ result }: Reply) => call('edit_campaign', byName, agreeing(result?.requestState));
    vi.useFakeTimers({ toFake: ['performance'] });
    const [first, second] = [await call('edit_campaign', byName), await call('edit_campaign', byName)];
    vi.advanceTimersByTime(4 * 60_000);
    expect((await answerTo(first)).result?.isError).toBeFalsy();
    expect(tracker.writes()).toHaveLength(1);
    vi.advanceTimersByTime(61_000);
    campaigns[0] = { ID: '2', Name: 'Search' };
    expectStale(await answerTo(second));
    expect(tracker.writes()).toEqual([]);
    tracker.answer('campaign/list', plainAnswers['campaign/list'] ?? '');
  });

  it('is sent once, even if the answer is replayed', async () => {
    const { call, result, answered } = await askedClient();
    expect(result?.resultType).toBe('input_required');
    expect((await call('edit_campaign', change, answered)).result?.isError).toBeFalsy();
    for (let replay = 0; replay < 3; replay += 1) expectStale(await call('edit_campaign', change, answered));
    expect(tracker.writes()).toHaveLength(1);
  });

  it('is not sent with the answer to a different question', async () => {
    const { call, answered } = await askedClient();
    expectStale(await call('edit_campaign', { ...change, bid: 200 }, answered));
    expectStale(await call('edit_campaign', { ...change, campaign_id: 2 }, answered));
    expectStale(await call('edit_campaign_page', { campaign_id: 1, page_id: 1, share: 100 }, answered));
    expect(tracker.writes()).toEqual([]);
    // The arguments in another order are the same call.
    expect((await call('edit_campaign', { bid: 2, campaign_id: 1 }, answered)).result?.isError).toBeFalsy();
  });

  it('is not sent by a server that did not ask', async () => {
    const { answered } = await askedClient();
    const { call } = await rawClient(asking);
    expectStale(await call('edit_campaign', change, answered));
    expect(tracker.writes()).toEqual([]);
  });

  it.each(['', '.', 'e30.e30', 'eyJpZCI6IjEiLCJ1bnRpbCI6OTk5OTk5OTk5OTk5OX0.AAAA'])(
    'is not sent with the forged state %j',
    async (requestState) => {
      const { call } = await rawClient(asking);
      expectStale(await call('edit_campaign', change, agreeing(requestState)));
      expect(tracker.writes()).toEqual([]);
    },
  );

  it('needs a question first, even if the call brings an answer', async () => {
    const { call } = await rawClient(asking);
    const { inputResponses } = agreeing('');
    expect((await call('edit_campaign', change, { inputResponses })).result?.resultType).toBe('input_required');
    expect(tracker.writes()).toEqual([]);
  });

  it('is not sent if the answer comes after five minutes', async () => {
    const { call, answered } = await askedClient();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 60_000 + 1 });
    expect(textOf(await call('edit_campaign', change, answered))).toMatch(/did not answer the question in time/);
    expect(tracker.writes()).toEqual([]);
  });
});
