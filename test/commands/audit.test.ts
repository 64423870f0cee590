import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { AuditTrail } from '../../src/guard/audit-trail.ts';
import { runCommand } from '../e2e/support/run-command.ts';
import { newFolder } from '../support/folders.ts';

let folder: string;
let log: string;
beforeAll(async () => {
  folder = await newFolder();
  log = join(folder, 'writes.jsonl');
  const trail = new AuditTrail(log);
  const operation = { sent: { key: '***' }, client: 'a client', change: 'c0ffee', act: 'test', before: {} };
  const done = await trail.begin({ tool: 'edit_campaign', arguments: { campaign_id: 4, bid: 0.3 }, ...operation });
  await done({ outcome: 'ok', id: null });
  const refused = await trail.begin({ tool: 'add_offer', arguments: { name: 'A\u202e' }, ...operation });
  await refused({ outcome: 'refused', message: 'no such source' });
  await trail.begin({ tool: 'edit_campaign_page', arguments: { page_id: 9 }, ...operation });
  await trail.close();
  await appendFile(log, '{"time":"2026-11-');
});

it('prints each write once with its outcome, then the writes with an unknown outcome', async () => {
  const { code, stdout } = await runCommand(['audit', log]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/edit_campaign\s+ok/);
  expect(stdout).toMatch(/add_offer\s+refused/);
  expect(stdout).toContain('Lines that could not be read: 1.');
  expect(stdout.split('Outcome unknown')[1]).toMatch(/edit_campaign_page {2}page_id=9/);
  expect(stdout).not.toContain('\u202e');
});

it('prints JSON, of the file that the environment names', async () => {
  const { stdout } = await runCommand(['audit', '--json'], { environment: { TRACKER_AUDIT_LOG: log } });
  const { writes, unknown, unreadable } = JSON.parse(stdout);
  expect(writes.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['ok', 'refused', 'unknown']);
  expect(unknown).toEqual([writes[2].operation]);
  expect(unreadable).toBe(1);
});

it.each([[['--audit-log', 'FILE', 'audit']], [['audit', '--audit-log', 'FILE']]])(
  'takes the file as its setting: %j',
  async (words) => {
    const { code, stdout } = await runCommand(words.map((word) => (word === 'FILE' ? log : word)));
    expect(code).toBe(0);
    expect(stdout).toMatch(/edit_campaign\s+ok/);
  },
);

it('counts lines that are not of a trail, and prints no invisible characters', async () => {
  const odd = join(folder, 'odd.jsonl');
  const hidden = 'a\u001b[31m\u009b31m\u202e';
  const begin = { event: 'begin', time: hidden, run: hidden, operation: 'o', tool: hidden, client: hidden };
  const lines = [
    { operation: 'x', event: 'begin' },
    { operation: 'x', event: 'end', outcome: 5 },
    [],
    null,
    { ...begin, arguments: { [hidden]: hidden } },
    { event: 'end', operation: 'o', outcome: hidden, id: hidden },
    { ...begin, operation: 'p', arguments: {} },
  ];
  await writeFile(odd, lines.map((line) => JSON.stringify(line)).join('\n'));
  const { code, stdout, stderr } = await runCommand(['audit', odd]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('Lines that could not be read: 4.');
  const json = await runCommand(['audit', odd, '--json']);
  const [write] = JSON.parse(json.stdout).writes;
  expect([write.tool, write.arguments]).toEqual(['a', { a: hidden }]);
  expect(stdout + json.stdout).not.toMatch(/[\u001b\u009b\u202e]/);
});

it('fails if the file that is named cannot be read', async () => {
  const { code, stdout, stderr } = await runCommand(['audit', 'no/such/file']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/cannot be read \(ENOENT\)/);
});

it('reads the change logs if no file is named, which may be none', async () => {
  expect(await runCommand(['audit'])).toMatchObject({ code: 0, stdout: expect.stringContaining('No writes.') });
});

it('says that there was no write only if every line could be read', async () => {
  const file = join(await newFolder(), 'broken.jsonl');
  await writeFile(file, '[{"event":"begin"}]\n');
  const { stdout } = await runCommand(['audit', file]);
  expect(stdout).toContain('No write could be read.\n\nLines that could not be read: 1.');
  expect(stdout).toContain('No write that could be read has an unknown outcome.');
});
