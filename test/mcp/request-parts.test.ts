import { type SpecTypeName, specTypeSchemas } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { wrongPart } from '../../src/mcp/request-parts.ts';

type Params = Readonly<Record<string, unknown>>;

const own = 'io.modelcontextprotocol';
const client = {
  ...{ name: 'x', version: '1', title: 'X', websiteUrl: 'https://x.example', description: 'x' },
  icons: [{ src: 'https://x.example/i', mimeType: 'image/png', sizes: ['48x48'], theme: 'light' }],
};
const capabilities = {
  experimental: { own: {} },
  extensions: { own: {} },
  sampling: { context: {}, tools: {} },
  elicitation: { form: { applyDefaults: true }, url: {} },
  roots: { listChanged: true },
  tasks: {
    ...{ list: {}, cancel: {} },
    requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
  },
};
const ofAll = { progressToken: 1, [`${own}/related-task`]: { taskId: 'x' } };
const _meta = ofAll;
const argument = { name: 'x', value: '' };
const context = { arguments: { x: '' } };

/** A request of each method with all its parts. */
const requests: readonly (readonly [method: string, SpecTypeName, Params])[] = [
  ['initialize', 'InitializeRequest', { protocolVersion: '2025-11-25', capabilities, clientInfo: client, _meta }],
  ['ping', 'PingRequest', { _meta }],
  ['tools/list', 'ListToolsRequest', { cursor: 'x', _meta }],
  ['prompts/list', 'ListPromptsRequest', { cursor: 'x', _meta }],
  ['resources/list', 'ListResourcesRequest', { cursor: 'x', _meta }],
  ['resources/templates/list', 'ListResourceTemplatesRequest', { cursor: 'x', _meta }],
  ['tools/call', 'CallToolRequest', { name: 'x', arguments: { x: 1 }, task: { ttl: 1 }, _meta }],
  ['prompts/get', 'GetPromptRequest', { name: 'x', arguments: { x: '' }, _meta }],
  ['resources/read', 'ReadResourceRequest', { uri: 'x', _meta }],
  ['completion/complete', 'CompleteRequest', { ref: { type: 'ref/prompt', name: 'x' }, argument, context, _meta }],
  ['completion/complete', 'CompleteRequest', { ref: { type: 'ref/resource', uri: 'x' }, argument, context, _meta }],
  [
    'subscriptions/listen',
    'SubscriptionsListenRequest',
    {
      notifications: {
        ...{ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
        resourceSubscriptions: ['x'],
      },
      _meta,
    },
  ],
];

const wrongValues = [undefined, 5, 1.5, true, 'x', '', {}, [], [5], { x: 5 }];

/** The value with one of its parts replaced or left out, for each part and each wrong value, as JSON has it. */
const variants = (value: unknown): unknown[] =>
  replaced(value)
    .filter((one) => one !== undefined)
    .map((one) => JSON.parse(JSON.stringify(one)));

function replaced(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [...wrongValues];
  const put = (name: string, inner: unknown) =>
    Array.isArray(value)
      ? value.map((item, index) => (String(index) === name ? inner : item))
      : { ...value, [name]: inner };
  const inside = Object.entries(value).flatMap(([name, inner]) => replaced(inner).map((one) => put(name, one)));
  return [...wrongValues, ...inside];
}

const isRefused = (schema: SpecTypeName, request: unknown) =>
  Boolean(specTypeSchemas[schema]['~standard'].validate(request).issues);

describe('each request that the schema of the SDK refuses is refused in words, and no other', () => {
  it.each(requests)('%s by %s', (method, schema, params) => {
    expect(wrongPart({ method, params })).toBeUndefined();
    const differing = variants(params).filter((one) => {
      const wrong = wrongPart({ method, params: one });
      return isRefused(schema, { method, params: one }) !== (wrong !== undefined);
    });
    expect(differing).toEqual([]);
  });

  it.each([
    ['clientInfo', 'Implementation', client],
    ['clientCapabilities', 'ClientCapabilities', capabilities],
    ['logLevel', 'LoggingLevel', 'debug'],
  ] as const)('what newer clients say of themselves: %s', (name, schema, right) => {
    const wrongIn = (value: unknown) =>
      wrongPart({
        method: 'tools/list',
        params: { _meta: { [`${own}/protocolVersion`]: '2026-07-28', [`${own}/${name}`]: value } },
      });
    expect(wrongIn(right)).toBeUndefined();
    const differing = variants(right).filter((one) => isRefused(schema, one) !== (wrongIn(one) !== undefined));
    expect(differing).toEqual([]);
  });
});
