import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { appendFile, chmod, mkdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AuditLine } from '../../src/guard/audit-trail.ts';
import type { Policy } from '../../src/guard/guard.ts';
import { readAuditLog } from '../../src/guard/read-audit-log.ts';
import { openTrail } from '../support/audit-trail.ts';
import { apiKey, connect, textOf } from '../support/connect.ts';
import { newFolder } from '../support/folders.ts';
import { type ForeignAnswer, startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers, specifiedTools, validArguments, writingTools } from '../support/specified.ts';
import { privateModes, writableModes } from '../support/system.ts';

const folder = await newFolder();
const path = join(folder, 'audit.log');
const trail = openTrail(path);
const tracker = await startForeignTracker(plainAnswers);
type Options = Readonly<{ url?: string; timeoutMs?: number }>;
const connected = (policy: Partial<Policy> = {}, options: Options = {}) =>
  connect({ url: tracker.url, ...options, policy: { auditTrail: trail, ...policy } });
const { data, refusal } = await connected();

beforeEach(async () => {
  await trail.open();
  await writeFile(path, '');
});

function linesOf(file = path): AuditLine[] {
  const text = readFileSync(file, 'utf8');
  expect(text === '' || text.endsWith('\n'), 'lines are whole').toBe(true);
  expect(text).not.toContain(apiKey);
  expect(text).not.toContain(encodeURIComponent(apiKey));
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AuditLine);
}

const change = { campaign_id: '7', bid: 0.5 };

describe('a write leaves two lines', () => {
  it.each(writingTools)('$name', async (tool) => {
    const given = validArguments(tool);
    await data(tool.name, given);
    const [begin, end, ...others] = linesOf();
    expect(others).toEqual([]);
    const uuid = expect.stringMatching(/^[\da-f-]{36}$/);
    const about = { time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), run: uuid, operation: uuid };
    expect(begin).toEqual({
      ...{ ...about, event: 'begin', tool: tool.name, act: tool.name, client: 'test-client', before: {} },
      arguments: given,
      sent: expect.objectContaining({ key: '***', format: 'json' }),
      change: expect.stringMatching(/^[\da-f]{12}$/),
    });
    const { run, operation } = begin ?? {};
    expect(end).toMatchObject({ ...about, run, operation, event: 'end', tool: tool.name, outcome: 'ok' });
    expect(end?.event === 'end' && end.duration_ms).toBeGreaterThanOrEqual(0);
  });

  it('with the first on disk before the request arrives', async () => {
    let early: AuditLine[] = [];
    tracker.answer('campaign/edit', () => {
      early = linesOf();
      return { body: 'OK' };
    });
    await data('edit_campaign', change);
    const sent = { key: '***', campaignid: '7', bid: '0.5' };
    expect(early).toMatchObject([{ event: 'begin', tool: 'edit_campaign', sent }]);
    expect(linesOf()).toHaveLength(2);
  });

  it('with an operation ID for each write and one run ID', async () => {
    await Promise.all([data('edit_campaign', change), data('edit_campaign', change)]);
    const lines = linesOf();
    expect(lines).toHaveLength(4);
    expect(new Set(lines.map(({ operation }) => operation)).size).toBe(2);
    expect(new Set(lines.map(({ run }) => run)).size).toBe(1);
  });

  it('with the ID that the tracker returned', async () => {
    await data('add_offer', { name: 'Gym', url: 'https://example.com' });
    expect(linesOf()[1]).toMatchObject({ outcome: 'ok', id: '22' });
  });
});

describe('the outcome is', () => {
  const outcome = async (options: Options) => {
    const connection = await connected({}, options);
    const { content, isError, _meta } = await connection.call('edit_campaign', change);
    const text = textOf({ content });
    expect(isError).toBe(true);
    const [begin, end, ...others] = linesOf();
    expect(begin?.event).toBe('begin');
    expect(others).toEqual([]);
    if (end?.event !== 'end') throw new Error('no end');
    // The change is named, so that it can be looked up and undone.
    const change_id = begin?.event === 'begin' && begin.change;
    const undo = end.outcome === 'unknown' ? ' The bid before is not known, so undo_change cannot restore it.' : '';
    expect(text).toBe(`${end.message}${undo}\nIt is change ${change_id}: list_changes shows it.`);
    expect(_meta).toEqual({ 'tracker-mcp/change': change_id });
    return end.outcome;
  };

  it.each<[expected: string, cause: string, answer: ForeignAnswer, options?: Options]>([
    ['refused', 'the tracker refuses', '{"error":"Unknown campaign"}'],
    ['refused', 'the tracker repeats the key', JSON.stringify({ error: `Invalid API key ${apiKey}` })],
    ['unknown', 'the tracker fails', () => ({ status: 500, body: '' })],
    // Long enough for the write to leave on a busy machine.
    ['unknown', 'the answer does not come in time', () => new Promise(() => {}), { timeoutMs: 2000 }],
    ['not-sent', 'the tracker cannot be reached', 'OK', { url: 'http://127.0.0.1:9' }],
  ])('%s if %s', async (expected, _, answer, options = {}) => {
    tracker.answer('campaign/edit', answer);
    expect(await outcome(options)).toBe(expected);
  });

  it('logged even if the caller cancels a write that was sent', async () => {
    const controller = new AbortController();
    const { client } = await connected();
    tracker.answer('campaign/edit', async () => {
      controller.abort();
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { body: 'OK' };
    });
    const { signal } = controller;
    const called = client.callTool({ name: 'edit_campaign', arguments: change }, undefined, { signal });
    await expect(called).rejects.toThrow();
    await expect.poll(() => linesOf().length).toBe(2);
    expect(['unknown', 'cancelled']).toContain((linesOf()[1] as { outcome: string }).outcome);
    tracker.answer('campaign/edit', 'OK');
  });
});

describe('no line is written for', () => {
  it('reads, dry runs and refused arguments', async () => {
    for (const tool of specifiedTools.filter(({ access }) => access === 'read')) {
      await data(tool.name, validArguments(tool));
    }
    for (const tool of writingTools) await data(tool.name, { ...validArguments(tool), dry_run: true });
    await refusal('edit_campaign', { campaign_id: 7 });
    expect(linesOf()).toEqual([]);
  });

  it.each<[string, Partial<Policy>]>([
    ['a limit refuses', { limits: { maxBid: 0.1 } }],
    ['a person declines', { confirm: true }],
  ])('a write that %s', async (_, policy) => {
    await (await connected(policy)).refusal('edit_campaign', change);
    expect(linesOf()).toEqual([]);
  });
});

it('with a log that cannot be written, writes are refused and name the setting; reads and dry runs work', async () => {
  for (const log of [join(folder, 'nowhere', 'audit.log'), folder]) {
    const auditTrail = openTrail(log);
    const unwritable = await connected({ auditTrail });
    const message = /audit log.*cannot be written.*TRACKER_AUDIT_LOG/;
    expect(await unwritable.refusal('edit_campaign', change)).toMatch(message);
    expect(tracker.writes()).toEqual([]);
    await unwritable.data('edit_campaign', { ...change, dry_run: true });
    expect(tracker.writes()).toEqual([]);
    await unwritable.data('list_campaigns');
    expect(tracker.taken()).toHaveLength(1);
  }
});

it('an existing log is continued, and a new one is readable only by its owner', async () => {
  const file = join(folder, 'kept.log');
  await writeFile(file, '{"before":true}\n');
  const auditTrail = openTrail(file);
  await (await connected({ auditTrail })).data('edit_campaign', change);
  expect((await readFile(file, 'utf8')).split('\n')[0]).toBe('{"before":true}');
  expect(linesOf(file)).toHaveLength(3);
  const { mode } = await stat(path);
  expect(privateModes.map(() => mode & 0o777)).toEqual(privateModes);
});

it.each(writableModes)('half a line left by a crash corrupts no other line, in a log of mode %o', async (mode) => {
  const file = join(folder, `torn-${mode}.log`);
  await writeFile(file, '{"time":"x","oper');
  await chmod(file, mode);
  const auditTrail = openTrail(file);
  const begin = (tool: string) =>
    auditTrail.begin({ tool, arguments: {}, sent: {}, client: 'test', change: 'c0ffee', act: 'test', before: {} });
  await begin('add_offer');
  // A full disk leaves half lines while the server is running.
  await appendFile(file, '{"time":"y"');
  await begin('edit_campaign');
  await chmod(file, 0o600);
  const { writes, unreadable } = await readAuditLog(file);
  const outcomes = writes.map(({ tool, outcome }) => `${tool} ${outcome}`);
  expect(outcomes).toEqual(['add_offer unknown', 'edit_campaign unknown']);
  expect(unreadable).toBe(2);
});

describe('a log that disappears while the server runs', () => {
  const logOf = async (name: string) => {
    const file = join(folder, name);
    const auditTrail = openTrail(file);
    return { file, ...(await connected({ auditTrail })) };
  };

  it('is reopened after it was deleted, renamed, replaced or truncated', async () => {
    const { file, data } = await logOf('rotated.log');
    const replace = () => writeFile(`${file}.new`, '').then(() => rename(`${file}.new`, file));
    for (const disturb of [() => rm(file), () => rename(file, `${file}.1`), replace, () => truncate(file)]) {
      await data('edit_campaign', change);
      await disturb();
      await data('edit_campaign', change);
      expect(linesOf(file).map(({ event }) => event)).toEqual(['begin', 'end']);
      await rm(file);
    }
    expect(linesOf(`${file}.1`).map(({ event }) => event)).toEqual(['begin', 'end']);
  });

  it('between the two lines of a write gets the second in the new file', async () => {
    const { file, data } = await logOf('between.log');
    tracker.answer('campaign/edit', async () => {
      await rename(file, `${file}.1`);
      return { body: 'OK' };
    });
    await data('edit_campaign', change);
    tracker.answer('campaign/edit', 'OK');
    expect([linesOf(`${file}.1`), linesOf(file)]).toMatchObject([[{ event: 'begin' }], [{ event: 'end' }]]);
    const { writes } = await readAuditLog(file);
    expect(writes).toMatchObject([{ tool: 'edit_campaign', outcome: 'ok' }]);
  });

  it('during many concurrent writes loses no line', async () => {
    const { file, data } = await logOf('many.log');
    await data('edit_campaign', change);
    await rm(file);
    await Promise.all(Array.from({ length: 8 }, () => data('edit_campaign', change)));
    expect(linesOf(file)).toHaveLength(16);
  });

  it('and cannot be created again stops all writes', async () => {
    const { file, data, refusal } = await logOf(join('gone', 'writes.log'));
    await mkdir(dirname(file), { recursive: true });
    await data('edit_campaign', change);
    await rm(dirname(file), { recursive: true });
    tracker.taken();
    expect(await refusal('edit_campaign', change)).toContain('no write is sent');
    expect(tracker.writes()).toEqual([]);
  });
});

it('a process that is killed between the two lines leaves the first', async () => {
  const file = join(folder, 'killed.log');
  const program = join(folder, 'program.mjs');
  const here = dirname(fileURLToPath(import.meta.url));
  await build({
    stdin: {
      contents: `
        import { AuditTrail } from '../../src/guard/audit-trail.ts';
        import { Guard } from '../../src/guard/guard.ts';
        const guard = new Guard({ readOnly: false, limits: {}, confirm: false, auditTrail: new AuditTrail(process.argv[2]) });
        const send = () => { console.log('sent'); return new Promise(() => setInterval(() => {}, 1000)); };
        const endpoint = { name: 'edit_campaign', parameters: {} };
        const request = { endpoint, arguments: { bid: 0.5 }, shown: { key: '***' } };
        await guard.execute({ tool: 'edit_campaign', steps: [{ request }], consent: '' }, { client: 'test', send });`,
      loader: 'ts',
      resolveDir: here,
    },
    ...{ bundle: true, platform: 'node', format: 'esm', outfile: program },
  });
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  // Also on exit, so that a failing program does not block the test.
  expect(String(await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]))).toContain('sent');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(linesOf(file)).toMatchObject([{ event: 'begin', tool: 'edit_campaign', arguments: { bid: 0.5 } }]);
});
