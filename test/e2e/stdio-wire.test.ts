import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { catalogue } from '../../src/tools/catalogue.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { greeting, message, toolCall } from './support/clients.ts';
import { startCli } from './support/run-cli.ts';

const foreign = await startForeignTracker({ 'campaign/list': '[{"ID":"1"}]', 'campaign/edit': 'OK' });
const environment = { TRACKER_URL: foreign.url, TRACKER_API_KEY: 'wire-secret-key', TRACKER_CONFIRM: 'elicit' };

interface Line {
  readonly id?: number | null;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Returns every line that a server writes until it ends. `reply` answers a line; null hangs up. */
async function converse(first: string, reply: (line: Line) => string | null | undefined) {
  const server = startCli([], { environment });
  const exited = once(server, 'exit');
  server.stdin.write(first);
  const lines: Line[] = [];
  for await (const text of createInterface(server.stdout)) {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    const answer = reply(line);
    if (answer === null) server.stdin.end();
    else if (answer !== undefined) server.stdin.write(answer);
  }
  expect(await exited).toEqual([0, null]);
  return lines;
}

describe('on the wire', () => {
  test('protocol errors have no prefix, and name an unknown resource', async () => {
    const read = message({ id: 2, method: 'resources/read', params: { uri: 'tracker://nothing' } });
    const call = toolCall(3, 'no_such_tool');
    const lines = await converse(greeting({ elicitation: {} }) + read + call, ({ id }) =>
      id === 3 ? null : undefined,
    );
    const errorOf = (wanted: number) => lines.find(({ id }) => id === wanted)?.error;
    expect(errorOf(2)).toEqual({
      code: -32602,
      message: 'There is no resource “tracker://nothing”.',
      data: { uri: 'tracker://nothing' },
    });
    expect(errorOf(3)).toEqual({ code: -32602, message: 'There is no tool “no_such_tool”.' });
  });

  const nothing = { params: null };
  const list = { name: 'list_campaigns' };
  test.each<[string, object]>([
    ['ping', nothing],
    ['tools/list', nothing],
    ['prompts/list', nothing],
    ['resources/list', nothing],
    ['tools/list', { params: { cursor: null, _meta: null } }],
    ['tools/call', { params: { ...list, arguments: null } }],
    ['tools/call', { params: { ...list, arguments: { status: null, columns: '' }, _meta: { progressToken: null } } }],
    ['prompts/get', { params: { name: 'morning-review', arguments: null } }],
    ['tools/list', { params: [] }],
    ['tools/list', { params: '{}' }],
    ['tools/call', { params: { ...list, _meta: [] } }],
    ...[[], '', 'null', '{"status":"all"}'].map((given): [string, object] => [
      'tools/call',
      { params: { ...list, arguments: given } },
    ]),
  ])('%s with %j is answered, with its ID', async (method, more) => {
    const lines = await converse(greeting({}) + message({ id: 2, method, ...more }), ({ id }) =>
      id === 2 ? null : undefined,
    );
    expect(lines.find(({ id }) => id === 2)).toHaveProperty('result');
  });

  test.each([null, {}, { protocolVersion: null, capabilities: [], clientInfo: { name: null } }])(
    'a client that says nothing of itself is greeted: %j',
    async (params) => {
      const hello = message({ id: 1, method: 'initialize', params });
      const lines = await converse(hello + message({ id: 2, method: 'tools/list' }), ({ id }) =>
        id === 2 ? null : undefined,
      );
      expect(lines.map(({ result }) => result !== undefined)).toEqual([true, true]);
    },
  );

  test('a message after a byte order mark is answered', async () => {
    const lines = await converse(`\ufeff${greeting({})}\ufeff${message({ id: 2, method: 'ping' })}`, ({ id }) =>
      id === 2 ? null : undefined,
    );
    expect(lines.map(({ id }) => id)).toEqual([1, 2]);
  });

  const [prompt, argument] = [
    { type: 'ref/prompt', name: 'x' },
    { name: 'x', value: '' },
  ];
  const wrong: readonly (readonly [method: string, params: unknown, problem: string])[] = [
    ['ping', 5, 'params must be an object, and is a number'],
    ['tools/list', ['x'], 'params must be an object, and is a list'],
    ['tools/call', null, 'name must be text, and is missing'],
    ['tools/call', { name: null }, 'name must be text, and is missing'],
    ['tools/call', { name: 5 }, 'name must be text, and is a number'],
    ['tools/call', { ...list, arguments: 5 }, 'arguments must be an object, and is a number'],
    ['tools/call', { ...list, arguments: false }, 'arguments must be an object, and is true or false'],
    ['tools/call', { ...list, arguments: [{}] }, 'arguments must be an object, and is a list'],
    ['tools/call', { ...list, arguments: 'x' }, 'arguments must be an object, and is text'],
    ['tools/call', { ...list, _meta: 'x' }, '_meta must be an object, and is text'],
    ['prompts/get', {}, 'name must be text, and is missing'],
    ['resources/read', { uri: null }, 'uri must be text, and is missing'],
    ['tools/list', { cursor: 5 }, 'cursor must be text, and is a number'],
    ['tools/call', { ...list, task: 5 }, 'task must be an object, and is a number'],
    ['prompts/get', { name: 'x', arguments: { days: 7 } }, 'arguments.days must be text, and is a number'],
    ['completion/complete', null, 'ref must be an object, and is missing'],
    ['completion/complete', { ref: { type: 'toString' } }, 'ref.type must be ref/prompt or ref/resource'],
    ['completion/complete', { ref: { type: 'ref/resource' } }, 'ref.uri must be text, and is missing'],
    ['completion/complete', { ref: prompt, argument: {} }, 'argument.name must be text, and is missing'],
    ['completion/complete', { ref: prompt, argument, context: 'x' }, 'context must be an object, and is text'],
    ['initialize', { clientInfo: { version: 1 } }, 'clientInfo.version must be text, and is a number'],
    ...[
      ['sampling', true, 'sampling must be an object, and is true or false'],
      ['roots', { listChanged: 'yes' }, 'roots.listChanged must be true or false, and is text'],
      ['tasks', { requests: 5 }, 'tasks.requests must be an object, and is a number'],
      ['experimental', { a: 5 }, 'experimental.a must be an object, and is a number'],
    ].map(
      ([name, value, problem]) =>
        ['initialize', { capabilities: { [String(name)]: value } }, `capabilities.${problem}`] as const,
    ),
    ['initialize', { clientInfo: { icons: [{}] } }, 'clientInfo.icons.0.src must be text, and is missing'],
    ['ping', { _meta: { progressToken: {} } }, '_meta.progressToken must be text or a whole number, and is an object'],
    [
      'some/method',
      { _meta: { progressToken: [] } },
      '_meta.progressToken must be text or a whole number, and is a list',
    ],
    ...[
      ['clientCapabilities', 5, ' must be an object, and is a number'],
      ['clientInfo', { name: 'x' }, '.version must be text, and is missing'],
      ['logLevel', 'loud', ' must be debug, info, notice, warning, error, critical, alert or emergency'],
    ].map(([name, value, problem]) => {
      const version = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
      const path = `io.modelcontextprotocol/${name}`;
      return ['tools/list', { _meta: { ...version, [path]: value } }, `_meta.${path}${problem}`] as const;
    }),
    ['subscriptions/listen', { notifications: 5 }, 'notifications must be an object, and is a number'],
    ['tools/call', { ...list, requestState: 5 }, 'requestState must be text, and is a number'],
    ['tools/call', { ...list, task: { ttl: 'x' } }, 'task.ttl must be a number, and is text'],
  ];

  test('requests that cannot be read are refused in words, with their IDs', async () => {
    const sent = wrong.map(([method, params], index) => message({ id: index + 2, method, params }));
    const lines = await converse(greeting({}) + sent.join(''), ({ id }) =>
      id === wrong.length + 1 ? null : undefined,
    );
    const errors = wrong.map((_, index) => lines.find(({ id }) => id === index + 2)?.error);
    expect(errors).toEqual(
      wrong.map(([, , problem]) => ({ code: -32602, message: `The request was not read: ${problem}.` })),
    );
  });

  test('a message that is no JSON-RPC is refused with its ID', async () => {
    const [wrongMethod, wrongVersion] = [
      '{"jsonrpc":"2.0","id":2,"method":5}\n',
      '{"jsonrpc":"1.0","id":3,"method":"x"}\n',
    ];
    const lines = await converse(greeting({}) + wrongMethod + wrongVersion, ({ id }) => (id === 3 ? null : undefined));
    const refused = { code: -32600, message: 'The message is not JSON-RPC 2.0.' };
    expect([2, 3].map((wanted) => lines.find(({ id }) => id === wanted)?.error)).toEqual([refused, refused]);
  });

  test('an answered question is not cancelled', async () => {
    const edit = toolCall(2, 'edit_campaign', { campaign_id: 1, bid: 1 });
    const lines = await converse(greeting({ elicitation: {} }) + edit, ({ id, method }) => {
      if (method === 'elicitation/create')
        return message({ id, result: { action: 'accept', content: { agree: true } } });
      return id === 2 ? null : undefined;
    });
    expect(lines.map(({ method }) => method).filter(Boolean)).toEqual(['elicitation/create']);
    expect(foreign.writes()).toHaveLength(1);
  });
});

test.each(['auto', { pin: '2026-07-28' }] as const)(
  'a newer client with the negotiation %j is served',
  async (mode) => {
    const options = { capabilities: { elicitation: {} }, versionNegotiation: { mode } };
    const client = new Client({ name: 'newer', version: '1' }, options);
    onTestFinished(() => client.close());
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { agree: true } }));
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: ['dist/cli.js'], env: environment }),
    );
    expect(client.getProtocolEra()).toBe('modern');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(catalogue.map(({ name }) => name));
    const edited = await client.callTool({ name: 'edit_campaign', arguments: { campaign_id: 1, bid: 1 } });
    expect(edited.isError).toBeFalsy();
    expect(foreign.writes()).toHaveLength(1);
  },
);
