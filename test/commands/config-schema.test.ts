import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { describe, expect, test } from 'vitest';
import { readSharedSettings } from '../../src/config.ts';
import { newFolder } from '../support/folders.ts';

const folder = await newFolder();
const path = join(folder, 'trackers.json');

const schema = JSON.parse(await readFile('docs/config.schema.json', 'utf8'));
const validate = new AjvJsonSchemaValidator().getValidator<unknown>(schema);
const [, example = ''] = /```json\n([\s\S]+?)\n```/.exec(await readFile('docs/config-file.md', 'utf8')) ?? [];

/** Whether the schema and the reader accept a file. */
async function verdicts(content: unknown): Promise<{ schema: boolean; reader: boolean }> {
  await writeFile(path, JSON.stringify(content), { mode: 0o600 });
  const reader = await readSharedSettings({ config: path }, {}).then(
    () => true,
    () => false,
  );
  return { schema: validate(content).valid, reader };
}

const trackers = (settings: object) => ({
  trackers: { main: { url: 'https://a.example.com', key_file: 'k', ...settings } },
});

test('the published schema and the reader accept the example of the documentation', async () => {
  expect(await verdicts(JSON.parse(example))).toEqual({ schema: true, reader: true });
});

describe('the published schema and the reader agree on', () => {
  test.each([
    ['all forms', trackers({ max_bid: 0.5, read_only: true, tools: ['get_stats'], allow_campaigns: [1] }), true],
    ['a sandbox', { trackers: { a: { sandbox: true }, b: { sandbox: true, read_only: true } }, default: 'a' }, true],
    ['a setting of the server at the top', { mcp_port: 80, ...trackers({}) }, true],
    ['an unknown setting', trackers({ max_bids: 1 }), false],
    ['an unknown setting at the top', { timezon: 'UTC', ...trackers({}) }, false],
    ['a URL at the top', { url: 'https://b.example.com', ...trackers({}) }, false],
    ['a setting of the server in a tracker', trackers({ mcp_port: 80 }), false],
    ['text for a number', trackers({ max_bid: '0.5' }), false],
    ['text for a switch', trackers({ read_only: 'true' }), false],
    ['text for a list', trackers({ tools: 'get_stats' }), false],
    ['text in a list of numbers', trackers({ allow_campaigns: ['1'] }), false],
    ['no key', { trackers: { main: { url: 'https://a.example.com' } } }, false],
    ['no URL', { trackers: { main: { key_file: 'k' } } }, false],
    ['a URL and a sandbox', trackers({ sandbox: true }), false],
    ['no trackers', { trackers: {} }, false],
    ['a wrong name', { trackers: { 'a b': { sandbox: true } } }, false],
  ])('%s', async (_, content, isTaken) => {
    expect(await verdicts(content)).toEqual({ schema: isTaken, reader: isTaken });
  });
});
