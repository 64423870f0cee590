import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { runCli, sharedSandbox } from '../e2e/support/run-cli.ts';
import { terminals } from '../e2e/support/terminal.ts';
import { newFolder } from '../support/folders.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { privateModes } from '../support/system.ts';

let home: string;
const environment = () => {
  const config = join(home, 'config');
  return { HOME: home, USERPROFILE: home, APPDATA: config, XDG_CONFIG_HOME: config };
};

/** Installs a tracker into one program, as a script does. */
async function install(tracker: Readonly<Record<string, string>>, ...given: readonly string[]) {
  const words = ['install', 'cursor', '--yes', ...given];
  expect(await runCli(words, { environment: { ...environment(), ...tracker } })).toMatchObject({ code: 0 });
}

beforeEach(async () => {
  home = await newFolder();
  await mkdir(join(home, '.cursor'));
  await writeFile(join(home, '.cursor/mcp.json'), '{}\n');
});

const stored = () => join(home, 'config/tracker-mcp/trackers.json');

test('what install stores is a configuration file of its own, private and without the key', async () => {
  await install(sharedSandbox(), '--timezone', 'Europe/Berlin', '--max-bid', '0.5', '--read-only');
  await install(sharedSandbox(), '--name', 'Second one');
  const text = await readFile(stored(), 'utf8');
  const { TRACKER_URL: url, TRACKER_API_KEY = '' } = sharedSandbox();
  const key_file = expect.stringContaining(home);
  expect(text).not.toContain(TRACKER_API_KEY);
  expect(JSON.parse(text)).toEqual({
    default: 'Second-one',
    trackers: {
      tracker: { url, key_file, timezone: 'Europe/Berlin', max_bid: 0.5, read_only: true },
      'Second-one': { url, key_file },
    },
  });
  for (const mode of privateModes) expect((await stat(stored())).mode & 0o777).toBe(mode);
  const checked = await runCli(['check', '--config', stored()], { environment: environment() });
  expect(checked.code).toBe(0);
});

test('sample data and a tracker that failed its check are not stored; in a pipe nothing stored is used', async () => {
  await runCli(['install', 'cursor', '--yes', '--sandbox'], { environment: environment() });
  const unreachable = { TRACKER_URL: 'http://127.0.0.1:9', TRACKER_API_KEY: 'some-secret' };
  await runCli(['install', 'cursor', '--yes'], { environment: { ...environment(), ...unreachable } });
  await expect(stat(stored())).rejects.toThrow('ENOENT');
  await install(sharedSandbox());
  const { code, stderr } = await runCli(['call', 'list_campaigns'], { environment: environment() });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('No tracker is set') });
});

describe.each(terminals)('at a terminal', (onTerminal) => {
  test.each([
    ['check', /ok +tracker +key/],
    ['call list_campaigns', /Home fitness/],
    ['review', /^tracker, \d{4}-/m],
  ])('%s knows the tracker, and says so', async (words, answer) => {
    await install(sharedSandbox());
    const { code, shown } = await onTerminal(words.split(' '), environment());
    const url = sharedSandbox()['TRACKER_URL'];
    expect(shown.replace(/\s+/g, ' ')).toContain(
      `tracker-mcp: using tracker (${url}), as install stored it in ${stored()}.`,
    );
    expect(shown).toMatch(answer);
    expect(code).not.toBe(2);
  });

  test('a file that others can change is refused: it could name a program that prints a key', async () => {
    await install(sharedSandbox());
    await chmod(stored(), 0o666);
    const { code, shown } = await onTerminal(['call', 'list_campaigns'], environment());
    expect({ code, shown: shown.replace(/\s+/g, ' ') }).toEqual({
      code: 2,
      shown: expect.stringContaining('trackers that install stored cannot be used'),
    });
  });

  test('a flag or a variable that names a tracker wins', async () => {
    await install({
      TRACKER_URL: sharedSandbox()['TRACKER_URL'] ?? '',
      TRACKER_API_KEY: sharedSandbox()['TRACKER_API_KEY'] ?? '',
    });
    const { url } = await startForeignTracker({ 'campaign/list': '[{"ID":"7","Name":"Elsewhere"}]' });
    const other = { ...environment(), TRACKER_URL: url, TRACKER_API_KEY: 'other-secret' };
    const { shown } = await onTerminal(['call', 'list_campaigns'], other);
    expect(shown).toContain('Elsewhere');
    expect(shown).not.toContain('as install stored it');
  });

  test('a write names the tracker and asks; a flag beats what is stored', async () => {
    const foreign = await startForeignTracker({
      'campaign/list': '[{"ID":"7","Name":"Seven"}]',
      'campaign/edit': 'OK',
    });
    await install({ TRACKER_URL: foreign.url, TRACKER_API_KEY: 'stored-secret' }, '--max-bid', '0.5');
    const write = (...given: readonly string[]) => [
      'call',
      ...given,
      'edit_campaign',
      '--campaign_id',
      '7',
      '--bid',
      '0.6',
    ];
    const refused = await onTerminal(write(), environment());
    expect(refused.shown).toContain('0.5');
    const sendsTo = new RegExp(`Send this to ${foreign.url}\\? \\[y/N\\] $`);
    const declined = await onTerminal(write('--max-bid', '0.7'), environment(), [[sendsTo, 'n']]);
    expect(declined.shown).toMatch(/\[y\/N\] n\s+tracker-mcp: Nothing was sent\.\s*$/);
    expect(foreign.writes()).toEqual([]);
    const sent = await onTerminal(write('--max-bid', '0.7'), environment(), [[sendsTo, 'y']]);
    expect({ code: sent.code, writes: foreign.writes().length }).toEqual({ code: 0, writes: 1 });
  });
});
