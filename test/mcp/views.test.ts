import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { expect, test } from 'vitest';
import { closeAfterTests } from '../support/closing.ts';
import { type ConnectOptions, connect, serversFor } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { startHttp } from '../support/http-server.ts';

const ui = 'io.modelcontextprotocol/ui';
const viewUri = 'ui://tracker-mcp/report';
const mimeTypes = ['text/html;profile=mcp-app'];

const stats = { Status: 'OK', Reports: { campaign: [{ Campaign: 'Seven', Views: '9', Revenue: '3.00' }] } };
const tracker = await startForeignTracker({
  stats: JSON.stringify(stats),
  'campaign/list': '[{"ID":"7","Name":"Seven"}]',
});
const given = { campaign_id: 7, reports: ['campaign'], period: 'yesterday' };

/** A connected client of either SDK. */
type AnyClient = Pick<Client, 'listTools' | 'listResources' | 'readResource' | 'callTool' | 'getServerCapabilities'>;

async function newerClient(options: ConnectOptions): Promise<AnyClient> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const { create } = serversFor({ url: tracker.url, ...options }, (error) => expect.unreachable(String(error)));
  serveStdio(create, { transport: theirs });
  const capabilities = (options.capabilities ?? {}) as ClientCapabilities;
  const about = { name: 'newer', version: '1' };
  const client = new Client(about, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } });
  await client.connect(ours);
  return client;
}

const clients = {
  older: async (options: ConnectOptions) =>
    (await connect({ url: tracker.url, ...options })).client as unknown as AnyClient,
  newer: newerClient,
};
const versions = ['older', 'newer'] as const;

/** What a client hears of views: the tools that name one, and the addresses that are listed. */
async function viewsIn(client: AnyClient) {
  const { tools } = await client.listTools();
  const { resources } = await client.listResources();
  return {
    tools: tools.filter(({ _meta }) => (_meta?.['ui'] as { resourceUri?: string })?.resourceUri === viewUri).length,
    resources: resources.filter(({ uri }) => uri.startsWith('ui:')).map(({ uri, mimeType }) => [uri, mimeType]),
  };
}

const listed = { tools: 7, resources: [[viewUri, mimeTypes[0]]] };
const none = { tools: 0, resources: [] };

test.each(
  versions.flatMap((version) => [
    [version, 'declares no extensions', {}],
    [version, 'declares MCP Apps', { extensions: { [ui]: { mimeTypes } } }],
    [version, 'declares MCP Apps without types of pages', { extensions: { [ui]: {} } }],
  ]),
)('a client of the %s protocol that %s is offered views and can read them', async (version, _what, capabilities) => {
  const client = await clients[version as 'older']({ capabilities });
  expect(await viewsIn(client)).toEqual(listed);
  const { contents } = await client.readResource({ uri: viewUri });
  expect(contents).toMatchObject([{ uri: viewUri, mimeType: mimeTypes[0], text: expect.stringContaining('<html') }]);
});

test.each(
  versions.flatMap((version) => [
    [version, 'other extensions', { extensions: { 'io.modelcontextprotocol/skills': {} } }],
    [version, 'pages of another type', { extensions: { [ui]: { mimeTypes: ['text/uri-list'] } } }],
  ]),
)('a client of the %s protocol that declares %s is offered no views', async (version, _what, capabilities) => {
  const client = await clients[version as 'older']({ capabilities });
  expect(await viewsIn(client)).toEqual(none);
});

test.each(versions)('the server declares MCP Apps to clients of the %s protocol', async (version) => {
  const client = await clients[version]({});
  expect(client.getServerCapabilities()?.extensions).toMatchObject({ [ui]: { mimeTypes } });
});

test.each(versions)('with views off, a client of the %s protocol hears of none', async (version) => {
  const client = await clients[version]({ hasViews: false, capabilities: { extensions: { [ui]: { mimeTypes } } } });
  expect(await viewsIn(client)).toEqual(none);
  expect(client.getServerCapabilities()?.extensions).not.toHaveProperty([ui]);
  await expect(client.readResource({ uri: viewUri })).rejects.toThrow(/no resource/);
});

test('over HTTP without sessions, where calls carry no declaration, results for older clients have what views need', async () => {
  const { url } = await startHttp({ url: tracker.url });
  const client = new Client({ name: 'older', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  closeAfterTests(() => client.close());
  expect(await viewsIn(client)).toEqual(listed);
  const { _meta } = await client.callTool({ name: 'get_stats', arguments: given });
  expect(_meta).toMatchObject({ 'tracker-mcp/campaign': 'Seven' });
});
