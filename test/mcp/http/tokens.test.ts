import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAuditLog } from '../../../src/guard/read-audit-log.ts';
import { TokenFile } from '../../../src/mcp/http/token-file.ts';
import { openTrail } from '../../support/audit-trail.ts';
import { newFolder } from '../../support/folders.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';
import { startHttp, toolNames } from '../../support/http-server.ts';
import { bearer, clientHeaders, listTools, toolCall } from '../../support/messages.ts';
import { plainAnswers, specifiedTools, validArguments, writingTools } from '../../support/specified.ts';
import { privateModes } from '../../support/system.ts';

const folder = await newFolder();
const path = join(folder, 'tokens.json');
const auditLog = join(folder, 'writes.jsonl');

const tokens = new TokenFile(path);
const reader = await tokens.add({ name: 'reader', access: 'read' });
const proposer = await tokens.add({ name: 'proposer', access: 'propose' });
const writer = await tokens.add({ name: 'ann@example.com', access: 'write' });
const limited = await tokens.add({
  ...{ name: 'limited', access: 'write', campaigns: [7], max_bid: 1, max_payout: 2 },
  tools: ['edit_campaign', 'add_offer', 'list_campaigns'],
});

const tracker = await startForeignTracker(plainAnswers);
const auditTrail = openTrail(auditLog);
const { post, url, logged } = await startHttp(
  { url: tracker.url, policy: { auditTrail } },
  { verifier: new TokenFile(path), sessions: false },
);

const change = { campaign_id: 7, bid: 0.5 };

async function textOf(token: string, name: string, given: object): Promise<string> {
  const { status, body } = await post(toolCall(name, given), bearer(token));
  expect(status).toBe(200);
  return JSON.stringify(body.result);
}

const listed = async (token: string) => toolNames((await post(listTools, bearer(token))).body);

describe('rejects a request with 401', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['without a token', {}],
    ['with an unknown token', bearer(`tmcp_${'x'.repeat(43)}`)],
    ['with the hash instead of the token', bearer('aGFzaA')],
    ['with a different scheme', { authorization: `Basic ${reader}` }],
    ['with two tokens', bearer(`${reader} ${writer}`)],
    ['with an empty token', { authorization: 'Bearer ' }],
  ])('%s', async (_, headers) => {
    const { status, headers: answered, body } = await post(listTools, headers);
    expect(status).toBe(401);
    expect(answered.get('www-authenticate')).toMatch(/^Bearer realm="tracker-mcp"/);
    expect(body).toMatchObject({ error: { code: -32000 } });
  });

  it('with a token only in the URL', async () => {
    const request = { method: 'POST', headers: clientHeaders, body: JSON.stringify(listTools) };
    expect((await fetch(`${url}?access_token=${reader}`, request)).status).toBe(401);
  });

  it('and logs one line without the token', async () => {
    const before = logged.length;
    await post(listTools, bearer(`tmcp_${'w'.repeat(43)}`));
    expect(logged.slice(before)).toEqual(['tracker-mcp: refused a request with 401: The token is unknown.']);
    expect(logged.join()).not.toMatch(/tmcp_/);
  });
});

describe('a token to read', () => {
  it('reads, and lists no writing tool', async () => {
    expect(await textOf(reader, 'list_campaigns', {})).toContain('Seven');
    const names = await listed(reader);
    for (const { name, access } of specifiedTools) expect(names.includes(name), name).toBe(access === 'read');
  });

  it('calls no writing tool, and the error has the reason', async () => {
    for (const tool of writingTools) {
      expect(await textOf(reader, tool.name, validArguments(tool))).toMatch(/the token of reader may only read/);
      expect(await textOf(reader, tool.name, { ...validArguments(tool), dry_run: true })).toMatch(/may only read/);
    }
    expect(tracker.writes()).toEqual([]);
  });
});

it('a token to propose writes nothing if no person can be asked', async () => {
  expect(await listed(proposer)).toContain('edit_campaign');
  expect(await textOf(proposer, 'edit_campaign', change)).toMatch(/not sent.*the token of proposer may only propose/);
  expect(tracker.writes()).toEqual([]);
});

describe('a token with limits', () => {
  it.each<[string, object]>([
    ['edit_campaign', { ...change, campaign_id: 8 }],
    ['edit_campaign', { ...change, bid: 2 }],
    ['add_offer', { name: 'x', url: 'https://example.com', payout: 3 }],
  ])('rejects %s with %j', async (name, given) => {
    expect(await textOf(limited, name, given)).toMatch(/refused, and nothing was sent.*the token of limited/);
    expect(tracker.writes()).toEqual([]);
  });

  it('offers only its tools', async () => {
    expect(await listed(limited)).toEqual(['list_campaigns', 'add_offer', 'edit_campaign']);
    expect(await textOf(limited, 'list_traffic_sources', {})).toMatch(/the token of limited allows only/);
  });

  it('writes within them', async () => {
    expect(await textOf(limited, 'edit_campaign', change)).toContain('"done":true');
  });
});

it('the audit trail names the token’s owner', async () => {
  await textOf(writer, 'edit_campaign', change);
  const { writes } = await readAuditLog(auditLog);
  expect(writes.at(-1)).toMatchObject({ tool: 'edit_campaign', owner: 'ann@example.com', outcome: 'ok' });
});

it('the audit trail names the program of a client without a session, by its User-Agent', async () => {
  await post(toolCall('edit_campaign', change), { ...bearer(writer), 'user-agent': 'claude-code/2.1.330 (cli)' });
  const { writes } = await readAuditLog(auditLog);
  expect(writes.at(-1)).toMatchObject({ client: 'claude-code' });
});

it('a token cannot query the tables of another token', async () => {
  await textOf(writer, 'list_campaigns', {});
  expect(await textOf(writer, 'query_report', { sql: 'SELECT * FROM r1' })).toContain('Seven');
  expect(await textOf(proposer, 'query_report', { sql: 'SELECT * FROM r1' })).not.toContain('Seven');
});

describe('the file', () => {
  it('is read again when it changes: new tokens work, removed ones do not', async () => {
    const passing = await tokens.add({ name: 'passing', access: 'read' });
    expect(await listed(passing)).toContain('list_campaigns');
    await tokens.remove('passing');
    expect((await post(listTools, bearer(passing))).status).toBe(401);
    expect(await listed(reader)).toContain('list_campaigns');
  });

  it('contains no token, and only its owner can read it', async () => {
    const text = await readFile(path, 'utf8');
    for (const token of [reader, proposer, writer, limited]) expect(text).not.toContain(token.slice('tmcp_'.length));
    expect((await stat(path)).mode & 0o077).toBe(0);
  });

  it.each<[string, string, RegExp]>([
    ['not JSON', '{', /is not JSON/],
    ['a token without access', '{"tokens":[{"name":"x"}]}', /tokens\.0\.access/],
    ['an unknown setting', '{"tokens":[],"more":1}', /more/],
  ])('admits no caller if it has a problem: %s', async (_, content, error) => {
    const broken = join(folder, 'broken.json');
    await writeFile(broken, content);
    const server = await startHttp({ url: tracker.url }, { verifier: new TokenFile(broken) });
    const { status, body } = await server.post(listTools, bearer(reader));
    expect([status, body.error?.message]).toEqual([503, expect.stringContaining('who may call')]);
    await expect(new TokenFile(broken).check()).rejects.toThrow(error);
  });

  it('takes no name twice, and none that would break a log', async () => {
    await expect(tokens.add({ name: 'reader', access: 'read' })).rejects.toThrow(/already/);
    await expect(tokens.add({ name: 'a b\n', access: 'read' })).rejects.toThrow(/letters/);
    await expect(tokens.remove('unknown')).rejects.toThrow(/no token of unknown/);
  });
});

describe('other users cannot', () => {
  it.each(privateModes)('write the file', async (mode) => {
    const open = join(folder, 'open.json');
    await writeFile(open, '{"tokens":[]}');
    for (const others of [0o020, 0o002]) {
      await chmod(open, mode | others);
      const reason = /written by others, who could make a token.*chmod go-w/;
      await expect(new TokenFile(open).check()).rejects.toThrow(reason);
      await expect(new TokenFile(open).add({ name: 'x', access: 'read' })).rejects.toThrow(/written by others/);
    }
  });

  it.each(privateModes)('replace it', async () => {
    const shared = join(folder, 'shared');
    await mkdir(shared);
    const check = () => new TokenFile(join(shared, 'tokens.json')).check();
    await new TokenFile(join(shared, 'tokens.json')).add({ name: 'x', access: 'read' });
    await chmod(shared, 0o777);
    await expect(check()).rejects.toThrow(/folder that everyone can write to/);
    await chmod(shared, 0o1777);
    await expect(check()).resolves.toBeUndefined();
  });

  it.each(privateModes)('read it without a warning at the start', async (mode) => {
    const lines: string[] = [];
    await chmod(path, mode | 0o044);
    await new TokenFile(path, (line) => lines.push(line)).check();
    await chmod(path, mode);
    await new TokenFile(path, (line) => lines.push(line)).check();
    expect(lines).toEqual([expect.stringContaining('can be read by others')]);
  });
});

it('a token expires, and its last use is known', async () => {
  let now = Date.parse('2026-11-23T10:00:00Z');
  const file = new TokenFile(join(folder, 'ending.json'), undefined, () => now);
  const token = await file.add({ name: 'ann', access: 'read', expires: '2026-11-24T10:00:00Z' });
  expect(await file.lastUse('ann')).toBeUndefined();
  expect(await file.verify(token)).toMatchObject({ name: 'ann', access: 'read' });
  expect(await file.lastUse('ann')).toBeInstanceOf(Date);
  now += 24 * 60 * 60_000;
  expect(await file.verify(token)).toMatchObject({ error: 'invalid_token', description: 'The token has expired.' });
  expect(await file.holderNamed('ann')).toBeUndefined();
  await expect(file.add({ name: 'bob', access: 'read', expires: 'soon' })).rejects.toThrow(/expires is not a time/);
});

it('the sessions of one token do not end those of another', async () => {
  const server = await startHttp({ url: tracker.url }, { verifier: new TokenFile(path), sessions: true });
  const begin = async (token: string) => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const { headers } = await server.post({ ...listTools, method: 'initialize', params }, bearer(token));
    return headers.get('mcp-session-id') ?? '';
  };
  const statusOf = async (token: string, session: string) =>
    (await server.post(listTools, { ...bearer(token), 'mcp-session-id': session })).status;
  const [writing, reading] = [await begin(writer), await begin(reader)];
  for (let more = 0; more < 100; more += 1) await begin(reader);
  expect(await statusOf(reader, reading)).toBe(404);
  expect(await statusOf(writer, writing)).toBe(200);
});
