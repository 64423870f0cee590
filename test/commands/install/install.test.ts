import { chmod, copyFile, cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join, posix, resolve, win32 } from 'node:path';
import { parse } from '@decimalturn/toml-patch';
import { beforeEach, describe, expect, test } from 'vitest';
import { clientsOn } from '../../../src/commands/install/clients.ts';
import { OAuthVerifier } from '../../../src/mcp/http/oauth.ts';
import { runCli, sharedSandbox } from '../../e2e/support/run-cli.ts';
import { terminals } from '../../e2e/support/terminal.ts';
import { newFolder } from '../../support/folders.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';
import { startHttp } from '../../support/http-server.ts';
import { openModes, privateModes } from '../../support/system.ts';
import { token, verifier } from '../../support/team-token.ts';

let home: string;
beforeEach(async () => {
  home = await newFolder();
});

const homes = () => ({ HOME: home, USERPROFILE: home, APPDATA: home, XDG_CONFIG_HOME: join(home, 'config') });

const install = (given: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  runCli(given, { environment: { ...homes(), ...more } });

const started = { command: process.execPath, args: [resolve('dist/cli.js')] };

async function put(path: string, text: string): Promise<string> {
  const file = join(home, path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

test('every installed client gets an entry in its own form, and uninstall removes it', async () => {
  const cursor = await put('.cursor/mcp.json', '{\n  "mcpServers": { "other": { "command": "x" } } // mine\n}\n');
  const codex = await put('.codex/config.toml', '# mine\nmodel = "best"\n');
  const opencode = await put('config/opencode/opencode.jsonc', '{\n  // mine\n  "theme": "dark"\n}\n');
  const contents = () => Promise.all([cursor, codex].map(async (file) => (await readFile(file, 'utf8')).trimEnd()));
  const before = await contents();
  const { code, stdout } = await install(['install', '--yes', '--sandbox', '--read-only']);
  expect(code).toBe(0);
  expect(stdout.match(/^\w+: done\./gm)).toEqual(['Cursor: done.', 'Codex: done.', 'opencode: done.']);
  const env = { TRACKER_SANDBOX: 'true', TRACKER_READ_ONLY: 'true' };
  const codexSettings = parse(await readFile(codex, 'utf8'));
  expect(codexSettings).toEqual({ model: 'best', mcp_servers: { tracker: { ...started, env } } });
  const opencodeSettings = JSON.parse((await readFile(opencode, 'utf8')).replace('// mine', ''));
  const command = [started.command, ...started.args];
  expect(opencodeSettings.mcp.tracker).toEqual({ type: 'local', command, environment: env, enabled: true });
  expect(await readFile(cursor, 'utf8')).toContain('"other": { "command": "x" }');
  const again = await install(['install', '--yes', '--sandbox', '--read-only']);
  expect(again.stdout).toMatch(/^Cursor: .* there already\.$/m);
  expect((await install(['uninstall', '--yes'])).code).toBe(0);
  expect(await contents()).toEqual(before);
  expect(await readFile(opencode, 'utf8')).not.toContain('tracker');
});

test.each(privateModes)('a file that gets a key, and its copy, are only for their owner: %i', async (mode) => {
  const file = await put('.cursor/mcp.json', '{}\n');
  await chmod(file, mode | 0o044);
  const tracker = sharedSandbox();
  await install(['install', 'cursor', '--yes', '--with-key'], tracker);
  expect(await readFile(file, 'utf8')).toContain(tracker['TRACKER_API_KEY']);
  for (const name of await readdir(join(home, '.cursor'))) {
    expect((await stat(join(home, '.cursor', name))).mode & 0o777).toBe(mode);
  }
});

test('it says which programs it looked for, and what one of them still needs', async () => {
  await put('.gemini/settings.json', '{}\n');
  const { stdout } = await install(['install', '--yes', '--sandbox']);
  expect(stdout).toMatch(/^Found: Gemini CLI\. Looked for and not found: Claude Desktop, .*opencode\.$/m);
  expect(stdout).toMatch(/^Gemini CLI: .*\/permissions trust/m);
  const named = await install(['install', 'cursor', '--yes', '--sandbox']);
  expect(named.stdout).not.toMatch(/not found|trust/);
});

test('a path in the cache of npx is warned of', async () => {
  await put('.cursor/mcp.json', '{}\n');
  await mkdir(join(home, '_npx/1a2b'), { recursive: true });
  await cp('dist', join(home, '_npx/1a2b/dist'), { recursive: true });
  await copyFile('package.json', join(home, '_npx/1a2b/package.json'));
  const cli = join(home, '_npx/1a2b/dist/cli.js');
  const { code, stderr } = await runCli(['install', 'cursor', '--yes', '--sandbox'], { environment: homes(), cli });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('cache of npx') });
});

test('a copy of the old file is kept next to it, and older copies are removed', async () => {
  const text = '{ "mcpServers": {} } // mine\n';
  const file = await put('.cursor/mcp.json', text);
  await put('.cursor/mcp.json.mine.bak', 'not made by install');
  await install(['install', 'cursor', '--yes', '--sandbox']);
  const backups = async () => (await readdir(join(home, '.cursor'))).filter((name) => /Z\.bak$/.test(name));
  const [backup = ''] = await backups();
  expect(await readFile(join(home, '.cursor', backup), 'utf8')).toBe(text);
  const installed = await readFile(file, 'utf8');
  expect(installed).toContain('tracker');
  await install(['install', 'cursor', '--yes', '--sandbox', '--read-only']);
  const [newer = '', ...others] = await backups();
  expect({ text: await readFile(join(home, '.cursor', newer), 'utf8'), others }).toEqual({
    text: installed,
    others: [],
  });
  expect(await readdir(join(home, '.cursor'))).toContain('mcp.json.mine.bak');
});

test.each(privateModes)('a file keeps its mode %i, a new file gets it, and a link remains a link', async (mode) => {
  const real = await put('settings/mcp.json', '{}\n');
  await mkdir(join(home, '.cursor'));
  await symlink(real, join(home, '.cursor', 'mcp.json'));
  await install(['install', 'cursor', '--yes', '--sandbox']);
  await install(['install', 'windsurf', '--yes', '--sandbox']);
  expect(await readFile(real, 'utf8')).toContain('tracker');
  for (const file of [real, join(home, '.codeium/windsurf/mcp_config.json')]) {
    expect((await stat(file)).mode & 0o777).toBe(mode);
  }
});

test.each(openModes)('a file that others can read keeps its mode %i', async (mode) => {
  const file = await put('.cursor/mcp.json', '{}\n');
  await chmod(file, mode);
  await install(['install', 'cursor', '--yes', '--sandbox']);
  expect(await readFile(file, 'utf8')).toContain('tracker');
  expect((await stat(file)).mode & 0o777).toBe(mode);
});

test('a broken file or an entry of another program remains, makes the exit code 1, and does not stop the others', async () => {
  const broken = await put('.claude.json', '{"mcpServers": [');
  const taken = await put('.cursor/mcp.json', '{"mcpServers":{"tracker":{"command":"gps"}}}');
  await put('.gemini/settings.json', '{}\n');
  const codex = await put('.codex/config.toml', '');
  for (const given of [['install', '--sandbox'], ['uninstall']]) {
    const { code, stdout, stderr } = await install([...given, '--yes']);
    expect(code).toBe(1);
    expect(stdout.match(/^[\w ]+: done\./gm)).toEqual(['Codex: done.', 'Gemini CLI: done.']);
    expect(stderr).toMatch(/Claude Code cannot be read[\s\S]*Cursor has an entry tracker that starts another program/);
    const entries = given[0] === 'install' ? { mcp_servers: { tracker: expect.anything() } } : {};
    expect(parse(await readFile(codex, 'utf8'))).toEqual(entries);
  }
  expect(await readFile(broken, 'utf8')).toBe('{"mcpServers": [');
  expect(await readFile(taken, 'utf8')).toBe('{"mcpServers":{"tracker":{"command":"gps"}}}');
});

describe('a server for a team, with --url-of-server', () => {
  const serve = async () => (await startHttp({ url: sharedSandbox()['TRACKER_URL'] ?? '' }, { verifier })).url;
  const enter = (url: string, typed: string, ...given: readonly string[]) =>
    runCli(['install', ...given, '--yes', '--url-of-server', url], { environment: homes(), input: typed });
  const headers = { Authorization: `Bearer ${token}` };

  test('is entered in the form of each program, with the token, and removed', async () => {
    const url = await serve();
    for (const { traces } of clientsOn({ platform: process.platform, home, environment: homes() })) {
      await mkdir(traces[0] ?? '', { recursive: true });
    }
    const { code, stdout } = await enter(url, `${token}\n`);
    expect({ code, secret: stdout.includes(token) }).toEqual({ code: 0, secret: false });
    expect(stdout).toMatch(/^Claude Desktop: it takes servers over HTTP only in its settings/m);
    const entryIn = async (file: string, at = 'mcpServers') =>
      JSON.parse(await readFile(join(home, file), 'utf8'))[at].tracker;
    expect(await entryIn('.claude.json')).toEqual({ type: 'http', url, headers });
    expect(await entryIn('.cursor/mcp.json')).toEqual({ url, headers });
    expect(await entryIn('.gemini/settings.json')).toEqual({ httpUrl: url, headers });
    expect(await entryIn('.codeium/windsurf/mcp_config.json')).toEqual({ serverUrl: url, headers });
    expect(await entryIn('.copilot/mcp-config.json')).toEqual({ type: 'http', url, headers, tools: ['*'] });
    expect(await entryIn('config/opencode/opencode.json', 'mcp')).toEqual({
      type: 'remote',
      enabled: true,
      url,
      headers,
    });
    const codex = parse(await readFile(join(home, '.codex/config.toml'), 'utf8'));
    expect(codex).toEqual({ mcp_servers: { tracker: { url, http_headers: headers } } });
    expect((await enter(url, `${token}\n`)).stdout).toMatch(/^Cursor: .* there already\.$/m);
    expect((await install(['uninstall', 'cursor', '--yes'])).code).toBe(1);
    expect((await install(['uninstall', '--yes', '--url-of-server', url])).code).toBe(0);
    expect(await readFile(join(home, '.cursor/mcp.json'), 'utf8')).not.toContain('tracker');
  });

  test.each(privateModes)('makes the file that holds the token private: %i', async (mode) => {
    const file = await put('.cursor/mcp.json', '{}\n');
    await chmod(file, mode | 0o044);
    await enter(await serve(), token, 'cursor');
    expect((await stat(file)).mode & 0o777).toBe(mode);
  });

  test.each([
    ['a wrong token', 'tmcp_wrong', /401: The token is unknown/],
    ['no token where one is needed', '', /401: A bearer token is needed/],
    ['two words', 'two words', /no token/],
  ])('is not entered with %s', async (_, typed, message) => {
    const file = await put('.cursor/mcp.json', '{}\n');
    const { code, stderr } = await enter(await serve(), typed, 'cursor');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(message) });
    expect(await readFile(file, 'utf8')).toBe('{}\n');
  });

  test('is not entered if it cannot be reached, with a setting, or in a program that has no place for it', async () => {
    await put('.cursor/mcp.json', '{}\n');
    expect(await enter('http://127.0.0.1:59999', token, 'cursor')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('127.0.0.1:59999/mcp cannot be reached (ECONNREFUSED)'),
    });
    expect((await enter('http://127.0.0.1:59999', token, 'cursor', '--read-only')).code).toBe(2);
    expect((await enter('ftp://127.0.0.1', token, 'cursor')).code).toBe(2);
    expect((await enter('http://127.0.0.1:59999', token, 'claude-desktop')).code).toBe(1);
  });

  test('is entered without a token if the program has to sign in', async () => {
    const signingIn = new OAuthVerifier('https://id.example.com', 'https://mcp.example.com/mcp');
    const { url } = await startHttp({ url: 'http://127.0.0.1:59999' }, { verifier: signingIn });
    const file = await put('.cursor/mcp.json', '{}\n');
    expect((await enter(url, '', 'cursor')).code).toBe(0);
    expect(JSON.parse(await readFile(file, 'utf8')).mcpServers.tracker).toEqual({ url });
  });
});

describe.each(terminals)('a person at a terminal', (onTerminal) => {
  const environment = () => ({ HOME: home, XDG_CONFIG_HOME: join(home, 'config'), TZ: 'Asia/Tokyo' });
  const { TRACKER_URL = '', TRACKER_API_KEY = '' } = sharedSandbox();
  const entry = async () => JSON.parse(await readFile(join(home, '.cursor/mcp.json'), 'utf8')).mcpServers.tracker.env;
  const url = /Base URL of your tracker[^\n]*: $/;
  const key = /API key[^\n]*: $/;
  const zone = /Time zone[^\n]*\[Asia\/Tokyo\]: $/;
  const currency = /Currency[^\n]*: $/;
  const mask = /Mask visitors\?[^\n]*\[y\/N\] $/;
  const readOnly = /read-only\?[^\n]*\[Y\/n\] $/;

  test('is asked for the tracker, its zone and currency, and begins read-only', async () => {
    await put('.cursor/mcp.json', '{}\n');
    const { code, shown } = await onTerminal(['install'], environment(), [
      [url, TRACKER_URL],
      [key, TRACKER_API_KEY],
      [zone, ''],
      [currency, 'dollars'],
      [/that must be the ISO 4217[\s\S]*Currency[^\n]*: $/, 'eur'],
      [mask, 'y'],
      [readOnly, ''],
      [/Write these 3 files\? \[y\/N\] $/, 'y'],
    ]);
    expect(shown).not.toContain(TRACKER_API_KEY);
    expect(shown).toMatch(/ok +key[\s\S]*Cursor: done\./);
    expect(code).toBe(0);
    const { TRACKER_API_KEY_FILE, ...env } = await entry();
    expect(env).toEqual({
      TRACKER_URL,
      TRACKER_TIMEZONE: 'Asia/Tokyo',
      TRACKER_CURRENCY: 'eur',
      TRACKER_MASK_VISITORS: 'true',
      TRACKER_READ_ONLY: 'true',
    });
    expect(await readFile(TRACKER_API_KEY_FILE, 'utf8')).toBe(`${TRACKER_API_KEY}\n`);
  });

  test('who wants changes sets their limits, and is offered everything again the next time', async () => {
    await put('.cursor/mcp.json', '{}\n');
    const first = await onTerminal(['install', 'cursor', '--max-payout', '9'], environment(), [
      [url, TRACKER_URL],
      [key, TRACKER_API_KEY],
      [zone, 'none'],
      [currency, ''],
      [mask, ''],
      [readOnly, 'n'],
      [/Ask you before each change\?[^\n]*\[Y\/n\] $/, ''],
      [/Maximum bid[^\n]*: $/, '0.5'],
      [/IDs of campaigns[^\n]*: $/, '1, 2'],
      [/\[y\/N\] $/, 'y'],
    ]);
    expect(first.code).toBe(0);
    const set = await entry();
    const limits = { TRACKER_CONFIRM: 'elicit', TRACKER_MAX_BID: '0.5', TRACKER_MAX_PAYOUT: '9' };
    expect(set).toEqual({
      TRACKER_URL,
      TRACKER_API_KEY_FILE: expect.any(String),
      TRACKER_ALLOW_CAMPAIGNS: '1, 2',
      ...limits,
    });
    const second = await onTerminal(['install', 'cursor'], environment(), [
      [new RegExp(`Base URL[^\\n]*\\[${TRACKER_URL}\\]: $`), ''],
      [/API key[^\n]*keep[^\n]*: $/, ''],
      [/Time zone[^\n]*: $/, ''],
      [currency, ''],
      [mask, ''],
      [/read-only\?[^\n]*\[y\/N\] $/, ''],
      [/Ask you before each change\?[^\n]*\[Y\/n\] $/, ''],
      [/Maximum bid[^\n]*\[0\.5\]: $/, '0.4'],
      [/IDs of campaigns[^\n]*: $/, 'none'],
      [/\[y\/N\] $/, 'y'],
    ]);
    expect(second.shown).toContain('Kept from the last time: max_payout 9.');
    const { TRACKER_ALLOW_CAMPAIGNS: _, ...rest } = set;
    expect(await entry()).toEqual({ ...rest, TRACKER_MAX_BID: '0.4' });
  });

  test('is offered what the entry has, edited or not, also where nothing is stored', async () => {
    const file = await put('.cursor/mcp.json', '{}\n');
    const tracker = { TRACKER_URL, TRACKER_API_KEY };
    await install(['install', 'cursor', '--yes', '--with-key', '--max-bid', '0.5'], tracker);
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace('"TRACKER_MAX_BID": "0.5"', '"TRACKER_MAX_PAYOUT": "7"'),
    );
    const { code, shown } = await onTerminal(['install', 'cursor'], environment(), [
      [new RegExp(`Base URL[^\\n]*\\[${TRACKER_URL}\\]: $`), ''],
      [/API key[^\n]*keep[^\n]*: $/, ''],
      [/Time zone[^\n]*: $/, ''],
      [currency, ''],
      [mask, ''],
      [/read-only\?[^\n]*\[y\/N\] $/, 'y'],
      [/\[y\/N\] $/, 'y'],
    ]);
    expect(code).toBe(0);
    expect(shown).toContain('Kept from the last time: max_payout 7.');
    expect(shown).not.toContain(TRACKER_API_KEY);
    const { TRACKER_API_KEY_FILE, ...env } = await entry();
    expect(env).toEqual({ TRACKER_URL, TRACKER_READ_ONLY: 'true', TRACKER_MAX_PAYOUT: '7' });
    expect(await readFile(TRACKER_API_KEY_FILE, 'utf8')).toBe(`${TRACKER_API_KEY}\n`);
  });

  test('is asked again after an answer that is neither yes nor no, and Ctrl+C at the key ends it', async () => {
    await put('.cursor/mcp.json', '{}\n');
    const { shown } = await onTerminal(['install', 'cursor'], environment(), [
      [url, TRACKER_URL],
      [key, ''],
      [key, TRACKER_API_KEY],
      [zone, ''],
      [currency, ''],
      [mask, ''],
      [readOnly, 'sure'],
      [/y or n\? \[Y\/n\] $/, 'yes'],
      [/Write these 3 files\? \[y\/N\] $/, 'y'],
    ]);
    expect(shown).toContain('Cursor: done.');
    expect(await entry()).toMatchObject({ TRACKER_READ_ONLY: 'true' });
    const ended = await onTerminal(['install', 'cursor', '--name', 'other'], environment(), [
      [url, TRACKER_URL],
      [key, '\x03'],
    ]);
    expect(ended).toMatchObject({ code: 1, shown: expect.stringMatching(/Nothing was changed\.\s*$/) });
  });

  test('keeps the limits while the agent only reads, and Ctrl+C ends the questions', async () => {
    await put('.cursor/mcp.json', '{}\n');
    const tracker = { ...environment(), TRACKER_URL, TRACKER_API_KEY };
    await onTerminal(['install', 'cursor', '--yes', '--max-bid', '0.5'], tracker);
    const zoneAgain = /Time zone[^\n]*: $/;
    const ended = await onTerminal(['install', 'cursor'], tracker, [[zoneAgain, '\x03']]);
    expect(ended).toMatchObject({ code: 1, shown: expect.stringMatching(/Nothing was changed\.\s*$/) });
    expect((await entry()).TRACKER_READ_ONLY).toBeUndefined();
    const { shown } = await onTerminal(['install', 'cursor'], tracker, [
      [zoneAgain, ''],
      [currency, ''],
      [mask, ''],
      [/read-only\?[^\n]*\[y\/N\] $/, 'y'],
      [/\[y\/N\] $/, 'y'],
    ]);
    expect(shown).toContain('Kept from the last time: max_bid 0.5.');
    expect(await entry()).toMatchObject({ TRACKER_READ_ONLY: 'true', TRACKER_MAX_BID: '0.5' });
  });

  test('is offered the right URL after a failed check, and asked again for the key', async () => {
    await put('.cursor/mcp.json', '{}\n');
    const right = new RegExp(`Use ${TRACKER_URL} instead\\? \\[Y/n\\] $`);
    const { code, shown } = await onTerminal(['install', 'cursor'], environment(), [
      [url, TRACKER_URL.replace('http://', '')],
      [key, 'a-wrong-secret'],
      [right, ''],
      [/FAIL +key[\s\S]*Type another URL or key\? \[Y\/n\] $/, ''],
      [url, ''],
      [key, TRACKER_API_KEY],
      [zone, ''],
      [currency, ''],
      [mask, ''],
      [readOnly, ''],
      [/\[y\/N\] $/, 'y'],
    ]);
    expect(shown).not.toContain('a-wrong-secret');
    expect({ code, url: (await entry()).TRACKER_URL }).toEqual({ code: 0, url: TRACKER_URL });
  });

  test('learns of a wrong key before anything is written, and can refuse', async () => {
    await put('.cursor/mcp.json', '{}\n');
    const { shown } = await onTerminal(['install', 'cursor'], { ...environment(), TRACKER_URL }, [
      [key, 'a-wrong-secret'],
      [/FAIL[\s\S]*\[Y\/n\] $/, 'n'],
      [zone, ''],
      [currency, ''],
      [mask, ''],
      [readOnly, 'n'],
      [/each change\?[^\n]* $/, 'n'],
      [/Maximum bid[^\n]*: $/, ''],
      [/IDs of campaigns[^\n]*: $/, ''],
      [/\[y\/N\] $/, ''],
    ]);
    expect(shown).toMatch(/Nothing was changed\.\s*$/);
    expect(shown).not.toContain('a-wrong-secret');
    expect(await readFile(join(home, '.cursor/mcp.json'), 'utf8')).toBe('{}\n');
    expect(await readdir(home)).toEqual(['.cursor']);
  });
});

describe('nothing is written', () => {
  test('without a yes: if it cannot ask, it shows the change and exits 2', async () => {
    const file = await put('.cursor/mcp.json', '{}\n');
    const { code, stdout, stderr } = await install(['install', '--sandbox']);
    expect(code).toBe(2);
    expect(stdout).toContain(file);
    expect(stdout).toMatch(/\+ +"tracker": \{/);
    expect(stderr).toContain('--yes');
    expect(await readFile(file, 'utf8')).toBe('{}\n');
    expect(await readdir(join(home, '.cursor'))).toEqual(['mcp.json']);
  });

  test('if no client is found, or no tracker is set', async () => {
    const none = await install(['install', '--yes', '--sandbox']);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('Claude Desktop, Claude Code, Cursor') });
    const unset = await install(['install', 'cursor', '--yes']);
    expect(unset).toMatchObject({ code: 2, stderr: expect.stringContaining('--sandbox') });
    expect(await readdir(home)).toEqual([]);
  });
});

describe('the API key', () => {
  const tracker = { TRACKER_URL: 'https://tracker.example.com', TRACKER_API_KEY: 'install-secret' };
  const file = () => readFile(join(home, '.cursor', 'mcp.json'), 'utf8');

  test('is in a private file that the entry names; the server starts with it, and uninstall names it', async () => {
    const installed = await install(['install', 'cursor', '--yes'], sharedSandbox());
    expect(installed).toMatchObject({ code: 0, stderr: '' });
    const { command, args, env } = JSON.parse(await file()).mcpServers.tracker;
    const { TRACKER_URL, TRACKER_API_KEY = '' } = sharedSandbox();
    expect(env).toEqual({ TRACKER_URL, TRACKER_API_KEY_FILE: expect.stringContaining(home) });
    expect(installed.stdout).toContain(env.TRACKER_API_KEY_FILE);
    expect(installed.stdout).toMatch(/^ok {4}key/m);
    expect(installed.stdout).toMatch(/To have it look only, .*--read-only/);
    expect(installed.stdout + (await file())).not.toContain(TRACKER_API_KEY);
    expect(await readFile(env.TRACKER_API_KEY_FILE, 'utf8')).toBe(`${TRACKER_API_KEY}\n`);
    for (const mode of privateModes) expect((await stat(env.TRACKER_API_KEY_FILE)).mode & 0o777).toBe(mode);
    const started = await runCli(['call', 'list_campaigns'], { environment: env, cli: args[0] });
    expect({ code: started.code, command }).toEqual({ code: 0, command: process.execPath });
    const { stdout } = await install(['uninstall', 'cursor', '--yes']);
    expect(stdout).toContain(`The API key stays in ${env.TRACKER_API_KEY_FILE}.`);
  });

  test('that is new replaces the old one, even if nothing else changes, but only if it works', async () => {
    const keys = ['first-secret', 'second-secret'];
    const { url } = await startForeignTracker({
      'campaign/list': ({ key = '' }) => (keys.includes(key) ? { body: '[]' } : { status: 401, body: '' }),
    });
    const again = async (key: string) => {
      const { code, stderr } = await install(['install', 'cursor', '--yes'], {
        TRACKER_URL: url,
        TRACKER_API_KEY: key,
      });
      const { TRACKER_API_KEY_FILE } = JSON.parse(await file()).mcpServers.tracker.env;
      return { code, stderr, key: await readFile(TRACKER_API_KEY_FILE, 'utf8') };
    };
    expect(await again('first-secret')).toMatchObject({ code: 0, key: 'first-secret\n' });
    expect(await again('second-secret')).toMatchObject({ code: 0, key: 'second-secret\n' });
    const wrong = { code: 1, key: 'second-secret\n', stderr: expect.stringMatching(/the key in \S+ stays/) };
    expect(await again('wrong-secret')).toMatchObject(wrong);
    expect(await readdir(join(home, '.cursor'))).toEqual(['mcp.json']);
  });

  test('in a file remains there, and the entry has its absolute path; a failed check makes the exit code 1', async () => {
    await put('key', 'install-secret\n');
    const environment = { ...tracker, TRACKER_API_KEY_FILE: join(home, 'key') };
    const { code, stdout, stderr } = await install(['install', 'cursor', '--yes'], environment);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/^FAIL[\s\S]*Cursor: done\./m) });
    expect(stderr).toContain('The entry is written, but the check of the tracker failed');
    const { env } = JSON.parse(await file()).mcpServers.tracker;
    expect(env).toEqual({ TRACKER_URL: tracker.TRACKER_URL, TRACKER_API_KEY_FILE: join(home, 'key') });
    expect(await readdir(home)).toEqual(['.cursor', 'key']);
  });

  test('is in the entry with --with-key, and no command shows it', async () => {
    const installed = await install(['install', 'cursor', '--yes', '--with-key'], tracker);
    expect(await file()).toContain('install-secret');
    const taken = await install(['uninstall', 'cursor', '--yes']);
    expect(installed.stdout + taken.stdout).toContain('***');
    expect(installed.stdout + installed.stderr + taken.stdout).not.toContain('install-secret');
  });
});

describe('uninstall --forget', () => {
  /** All files below the home. */
  const files = async () =>
    (await readdir(home, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  const folders = () => ({ XDG_STATE_HOME: join(home, 'state'), XDG_CACHE_HOME: join(home, 'cache') });

  test('deletes changes, past days, proposals, the stored tracker, its key and backups, and nothing else', async () => {
    await put('.cursor/mcp.json', '{}\n');
    const foreign = await startForeignTracker({
      'campaign/list': '[{"ID":"7","Name":"Seven"}]',
      'campaign/edit': 'OK',
    });
    const tracker = { TRACKER_URL: foreign.url, TRACKER_API_KEY: 'forgotten-secret', ...folders() };
    await install(['install', 'cursor', '--yes'], tracker);
    await install(['call', 'edit_campaign', '--campaign_id', '7', '--bid', '0.5'], tracker);
    await put('cache/tracker-mcp/past-days/0123456789abcdef0123456789abcdef/2026-01-01.json', '{}');
    await put('state/tracker-mcp/proposals/waiting.json', '{}');
    await put('config/tracker-mcp/approvers.json', '[]');
    expect((await files()).length).toBeGreaterThan(6);
    const unasked = await install(['uninstall', 'cursor', '--forget'], folders());
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    const { code, stdout } = await install(['uninstall', 'cursor', '--forget', '--yes'], folders());
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/Changes: [\s\S]*Deleted\.$/m) });
    expect((await files()).sort()).toEqual(['approvers.json', 'mcp.json']);
    const again = await install(['uninstall', '--forget', '--yes'], folders());
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/Nothing is kept\.$/m) });
  });

  test('leaves a key that another entry uses', async () => {
    await put('.cursor/mcp.json', '{}\n');
    const tracker = { ...sharedSandbox(), ...folders() };
    await install(['install', 'cursor', '--yes'], tracker);
    await install(['install', 'cursor', '--yes', '--name', 'second'], tracker);
    await install(['uninstall', 'cursor', '--forget', '--yes'], folders());
    const { mcpServers } = JSON.parse(await readFile(join(home, '.cursor/mcp.json'), 'utf8'));
    const { TRACKER_API_KEY_FILE } = mcpServers.second.env;
    expect(await readFile(TRACKER_API_KEY_FILE, 'utf8')).toContain(sharedSandbox()['TRACKER_API_KEY']);
    expect(await readdir(join(TRACKER_API_KEY_FILE, '..'))).toHaveLength(1);
  });
});

describe('each client has the path in its documentation', () => {
  const pathsOn = (platform: NodeJS.Platform, environment: Readonly<Record<string, string>> = {}) => {
    const clients = clientsOn({ platform, home: platform === 'win32' ? 'C:\\me' : '/somewhere', environment });
    return Object.fromEntries(clients.map(({ id, files }) => [id, files[0]]));
  };
  const folder = (...parts: readonly string[]) => posix.join('/somewhere', ...parts);

  test('on Linux, with variables that move them', () => {
    expect(pathsOn('linux')).toEqual({
      'claude-desktop': folder('.config/Claude/claude_desktop_config.json'),
      'claude-code': folder('.claude.json'),
      cursor: folder('.cursor/mcp.json'),
      vscode: folder('.config/Code/User/mcp.json'),
      codex: folder('.codex/config.toml'),
      gemini: folder('.gemini/settings.json'),
      copilot: folder('.copilot/mcp-config.json'),
      windsurf: folder('.codeium/windsurf/mcp_config.json'),
      opencode: folder('.config/opencode/opencode.json'),
    });
    const variables = { XDG_CONFIG_HOME: '/xdg', CODEX_HOME: '/codex', CLAUDE_CONFIG_DIR: '/claude' };
    expect(pathsOn('linux', { ...variables, GEMINI_CLI_HOME: '/gemini', COPILOT_HOME: '/copilot' })).toMatchObject({
      vscode: '/xdg/Code/User/mcp.json',
      opencode: '/xdg/opencode/opencode.json',
      codex: '/codex/config.toml',
      'claude-code': '/claude/.claude.json',
      gemini: '/gemini/.gemini/settings.json',
      copilot: '/copilot/mcp-config.json',
    });
  });

  test('on macOS and on Windows', () => {
    expect(pathsOn('darwin')).toMatchObject({
      'claude-desktop': folder('Library/Application Support/Claude/claude_desktop_config.json'),
      vscode: folder('Library/Application Support/Code/User/mcp.json'),
    });
    expect(pathsOn('win32', { APPDATA: 'D:\\Roaming' })).toMatchObject({
      'claude-desktop': win32.join('D:\\Roaming', 'Claude', 'claude_desktop_config.json'),
      vscode: win32.join('D:\\Roaming', 'Code', 'User', 'mcp.json'),
      cursor: win32.join('C:\\me', '.cursor', 'mcp.json'),
    });
  });
});
