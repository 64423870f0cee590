import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getMcpConfigForManifest, type McpbManifestAny, unpackExtension } from '@anthropic-ai/mcpb';
import { describe, expect, test } from 'vitest';
import { newFolder } from '../support/folders.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { startClient } from './support/clients.ts';

type Filled = Readonly<Record<string, string | number | boolean>>;

const foreign = await startForeignTracker({ 'campaign/list': '[{"ID":"7","Name":"Seven"}]', 'campaign/edit': 'OK' });
const tracker = { url: foreign.url, api_key: 'key-in-the-keychain' };

const folder = await newFolder();
const [bundle, unpacked] = [join(folder, 'tracker.mcpb'), join(folder, 'unpacked')];
await promisify(execFile)(process.execPath, ['build/run.js', 'build/packages/pack-desktop-bundle.ts', bundle]);
await unpackExtension({ mcpbPath: bundle, outputDir: unpacked, silent: true });
const manifest: McpbManifestAny = JSON.parse(await readFile(join(unpacked, 'manifest.json'), 'utf8'));

/** The command of a desktop program with these settings; undefined if required ones are missing. */
function commandFor(userConfig: Filled) {
  const system = { systemDirs: {}, pathSeparator: '/' };
  return getMcpConfigForManifest({ manifest, extensionPath: unpacked, userConfig: { ...userConfig }, ...system });
}

/** Starts the server as a desktop program would, in an empty folder. */
async function connect(userConfig: Filled) {
  const started = await commandFor(userConfig);
  if (!started) throw new Error('the program would not start the server');
  const cwd = await mkdtemp(join(folder, 'home-'));
  const { command, args = [], env = {} } = started;
  // Programs bring a Node of their own, which here is the one that the tests run under.
  expect(command).toBe('node');
  const { client } = await startClient(env, { args, cwd });
  return { client, cwd };
}

test('the unpacked bundle runs with only a URL and a key', async () => {
  const { client, cwd } = await connect(tracker);
  const { version, homepage: websiteUrl } = JSON.parse(await readFile('package.json', 'utf8'));
  const icons = [{ src: expect.stringMatching(/^https:.*\.png$/), mimeType: 'image/png' }];
  expect(client.getServerVersion()).toMatchObject({ version, websiteUrl, icons });
  expect(await client.callTool({ name: 'list_campaigns' })).toMatchObject({
    structuredContent: { tables: [{ rows: [[7, 'Seven']] }] },
  });
  // An unfilled placeholder could have become the name of a file.
  expect(await readdir(cwd)).toEqual([]);
});

test('with nothing filled in, the server lists its tools, and each call says what to set', async () => {
  const { client } = await connect({});
  const { client: filled } = await connect(tracker);
  expect(await client.listTools()).toEqual(await filled.listTools());
  const answer = await client.callTool({ name: 'list_campaigns' });
  expect(answer.isError).toBe(true);
  expect(JSON.stringify(answer.content)).toContain('TRACKER_API_KEY');
});

test('settings limit the server', async () => {
  const { client } = await connect({ ...tracker, read_only: true, max_bid: 0.5 });
  const { tools } = await client.listTools();
  expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).not.toContain(false);
  const limited = await connect({ ...tracker, max_bid: 0.5 });
  const answer = await limited.client.callTool({ name: 'edit_campaign', arguments: { campaign_id: 7, bid: 0.6 } });
  expect(JSON.stringify(answer)).toContain('0.5');
  expect(answer.isError).toBe(true);
});

describe('the manifest', () => {
  test('passes every setting to the server by its variable, and marks the key as secret', () => {
    const { user_config: asked = {}, server } = manifest;
    const given = Object.values(server.mcp_config.env ?? {});
    expect(given).toEqual(Object.keys(asked).map((name) => `\${user_config.${name}}`));
    const secret = Object.entries(asked).filter(([, { sensitive }]) => sensitive);
    expect(secret.map(([name]) => name)).toEqual(['api_key']);
  });

  test('names every tool that the server lists, and says that query_report needs DuckDB', async () => {
    const { client } = await connect(tracker);
    const { tools } = await client.listTools();
    const listed = tools.map(({ name }) => name);
    const named = (manifest.tools ?? []).map(({ name }) => name);
    expect(listed.filter((name) => !named.includes(name))).toEqual([]);
    expect([...listed, ...named]).not.toContain('query_report');
    expect(manifest.long_description).toContain('query_report');
    expect(manifest.user_config).not.toHaveProperty('sandbox');
    expect(manifest).toMatchObject({ privacy_policies: [expect.stringMatching(/docs\/privacy\.md$/)] });
  });
});

test('the bundle contains the program and its licences, no sources and no other packages', async () => {
  expect((await readdir(unpacked)).sort()).toEqual(['LICENSE', 'dist', 'icon.png', 'manifest.json', 'package.json']);
  expect(await readdir(join(unpacked, 'dist'))).toEqual(expect.arrayContaining(['cli.js', 'THIRD-PARTY-LICENSES.txt']));
});
