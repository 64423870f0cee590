import { parse } from '@decimalturn/toml-patch';
import { parse as parseJson } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { findEntry } from '../../../src/commands/install/client-file.ts';
import { type Client, clientsOn } from '../../../src/commands/install/clients.ts';

const entry = { command: 'node', args: ['/a b/cli.js'], env: { TRACKER_SANDBOX: 'true' } };
const other = { command: 'other', args: ['"quoted"', 'C:\\path'], env: { ONE: '1' } };

function clientCalled(wanted: string): Client {
  const client = clientsOn({ platform: 'linux', home: '/home', environment: {} }).find(({ id }) => id === wanted);
  if (!client) throw new TypeError(wanted);
  return client;
}

const [cursor, codex] = [clientCalled('cursor'), clientCalled('codex')];
const write = (client: Client, text: string, value?: Readonly<Record<string, unknown>>) =>
  findEntry(client, text, 'tracker', 'file').write(value);

describe('adding and removing an entry restores the file, comments and spaces included', () => {
  const neighbours = '"other": { "command": "x" }';
  test.each([
    `{\n  // mine\n  "mcpServers": {\n    // about other\n    ${neighbours}, // keep\n  },\n}\n`,
    `{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t${neighbours}\n\t}\n}\n`,
    `{"mcpServers":{${neighbours}}}`,
    `{\r\n  "mcpServers": {\r\n    ${neighbours}\r\n  }\r\n}\r\n`,
  ])('JSON: %j', (text) => {
    const added = write(cursor, text, entry);
    expect(parseJson(added).mcpServers).toEqual({ tracker: entry, other: { command: 'x' } });
    expect(added.replaceAll('\r\n', '')).not.toMatch(text.includes('\r\n') ? /\n/ : /\r/);
    for (const comment of text.match(/.*\/\/.*/g) ?? []) expect(added.split('\n')).toContain(comment);
    expect(write(cursor, added)).toBe(text);
  });

  test.each([
    'model = "best" # mine\n',
    '# mine\nmodel = "best"\n\n[mcp_servers.other] # keep\ncommand = "x"\nargs = [\n  "a", # one\n]\n\n[profiles.fast]\nmodel = "small"\n',
  ])('TOML: %j', (text) => {
    const added = write(codex, text, entry);
    expect(added.startsWith(text)).toBe(true);
    expect(parse(added)).toMatchObject({ ...parse(text), mcp_servers: { tracker: entry } });
    expect(write(codex, added).trimEnd()).toBe(text.trimEnd());
  });
});

test.each([
  ['an empty file', ''],
  ['an object of nothing', '{}'],
  ['an empty list of servers', '{\n  "mcpServers": {\n  }\n}\n'],
  ['other settings', '{\n  "theme": "dark"\n}\n'],
])('%s gets an indented list of servers', (_, text) => {
  const added = write(cursor, text, entry);
  expect(parseJson(added)).toMatchObject({ ...parseJson(text || '{}'), mcpServers: { tracker: entry } });
  expect(added).toMatch(/^ {2}"mcpServers": \{\n {4}"tracker": \{\n {6}"command"/m);
});

test('an existing entry is replaced', () => {
  for (const client of [cursor, codex]) {
    const replaced = write(client, write(client, '', entry), other);
    expect(findEntry(client, replaced, 'tracker', 'file').value).toEqual(other);
  }
});

test('TOML with its servers on one line gets one more on that line', () => {
  const added = write(codex, 'mcp_servers = { other = { command = "x" } }\n', entry);
  expect(parse(added)).toEqual({ mcp_servers: { other: { command: 'x' }, tracker: entry } });
});

test.each([
  [cursor, '{"mcpServers": {'],
  [cursor, '[]'],
  [cursor, '{"mcpServers": ["a"]}'],
  [codex, 'model = '],
  [codex, 'mcp_servers = 3'],
])('the file of %o is refused by name if it cannot be read: %j', (client, text) => {
  expect(() => findEntry(client, text, 'tracker', '/some/file')).toThrow(/cannot be read: \/some\/file\./);
});
