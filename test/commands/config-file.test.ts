import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settings } from '../../src/config/settings.ts';
import { readConfiguration } from '../../src/config.ts';
import { runCommand } from '../e2e/support/run-command.ts';
import { newFolder } from '../support/folders.ts';
import { openModes } from '../support/system.ts';

const folder = await newFolder();

const path = join(folder, 'trackers.json');
const keyFile = join(folder, 'main.key');
const openKeyFile = join(folder, 'open.key');
await writeFile(keyFile, 'key-of-the-main-file\n', { mode: 0o600 });
await writeFile(openKeyFile, 'key-of-the-open-file\n');

/** Writes the file; a line of it is a line of the test. */
async function write(lines: readonly string[], mode = 0o600): Promise<string> {
  await writeFile(path, lines.join('\n'));
  await chmod(path, mode);
  return path;
}

const tracker = (name: string, settings: object = {}) =>
  `"${name}": ${JSON.stringify({ url: `https://${name}.example.com`, key_file: 'main.key', ...settings })}`;
const file = (...trackers: readonly string[]) => ['{', '  "trackers": {', trackers.join(',\n'), '  }', '}'];
const main = (settings: object) => file(tracker('main', settings));
/** A line before the trackers, and one tracker. */
const top = (line: string) => ['{', `  ${line},`, '  "trackers": {', tracker('main'), '  }', '}'];

/** Mistakes of one tracker in line 3: its settings and the message. */
const wrongSettings: Readonly<Record<string, readonly [settings: object, message: string]>> = {
  'an unknown setting': [{ max_bids: 1 }, 'there is no setting "max_bids"; did you mean max_bid?'],
  'a variable': [{ TRACKER_MAX_BID: 1 }, 'there is no setting "TRACKER_MAX_BID"; did you mean max_bid?'],
  'a setting of the server': [{ mcp_port: 80 }, 'mcp_port is about the server: move it to the top'],
  'another file': [{ config: 'b.json' }, 'there is no setting "config"'],
  'text for a number': [{ max_bid: '1' }, 'max_bid must be a number'],
  'text for a switch': [{ read_only: '1' }, 'read_only must be true or false'],
  'an empty limit': [{ allow_campaigns: [] }, 'allow_campaigns must not be empty'],
  'null for a limit': [{ tools: null }, 'tools must be a list of texts'],
  'a limit that is no amount': [{ max_payout: -1 }, 'max_payout must be a number'],
  'two hosts in one text': [{ allow_url_hosts: ['a.com, b.com'] }, 'allow_url_hosts must be host names such as'],
  'a wrong value': [{ timezone: 'Berlin' }, 'timezone must be a named time zone such as Europe/Berlin; got "Berlin"'],
  'a wrong URL': [{ url: 'main.example.com' }, 'url must be a URL'],
  'no URL': [{ url: undefined }, '"main" must be an object with a url, or with "sandbox": true'],
  'a URL and the sandbox': [{ sandbox: true }, `url and ${path}:3: sandbox are both set: leave out one`],
  'no key': [{ key_file: undefined }, '"main" needs an API key'],
  'a missing key file': [
    { key_file: 'none.key' },
    `key_file names a file that cannot be read: ${join(folder, 'none.key')}`,
  ],
  'a missing program': [{ key_file: undefined, key_command: ['no-such-program'] }, 'which could not be run (ENOENT)'],
};
const twice = (name: string) => `"${name}" is set twice; the other is in line 3`;

/** Other mistakes, with their line. */
const wrongFiles: Readonly<Record<string, readonly [lines: readonly string[], line: number, message: string]>> = {
  'two trackers of one name': [file(tracker('main'), tracker('native'), tracker('main')), 5, twice('main')],
  'names alike but for case and punctuation': [file(tracker('us-main'), tracker('US_Main')), 4, twice('US_Main')],
  'a wrong name': [file(tracker('the main one')), 3, '"the main one" is not a name'],
  'an unknown setting on top': [top('"timezon": "UTC"'), 2, 'there is no setting "timezon"; did you mean timezone?'],
  'a repeated setting': [
    file('"main": {"url": "https://a.example.com",\n"max_bid": 1,\n"key_file": "main.key",\n"max_bid": 100}'),
    6,
    '"max_bid" is set twice; the other is in line 4',
  ],
  'a URL for all trackers': [top('"url": "https://all.example.com"'), 2, 'url belongs to one tracker'],
  'a key for all trackers': [top('"key_file": "main.key"'), 2, 'key_file belongs to one tracker'],
  'a tracker that is no object': [file('"main": "https://a.example.com"'), 3, '"main" must be an object with a url'],
  'no trackers': [['{', '  "trackers": {}', '}'], 2, 'trackers is missing or empty'],
  'a default that is no tracker': [top('"default": "other"'), 2, 'default must be one of the trackers: main'],
  'a comma too many': [['{', '  "trackers": {', `${tracker('main')},`, '  }', '}'], 4, 'Property name expected'],
  'a comment': [['{', '  // mine', '  "trackers": {', tracker('main'), '  }', '}'], 2, 'Invalid comment token'],
  'a missing end': [['{', '  "trackers": {', tracker('main'), '  }'], 4, 'Close brace expected'],
  'a list': [['[]'], 1, 'trackers is missing or empty: the file is an object'],
  ...Object.fromEntries(
    Object.entries(wrongSettings).map(([name, [settings, message]]) => [name, [main(settings), 3, message] as const]),
  ),
};

describe('a wrong file stops the start with exit code 2 and a message with the line', () => {
  test.each(Object.entries(wrongFiles))('%s', async (_, [lines, line, message]) => {
    const { code, stdout, stderr } = await runCommand(['--config', await write(lines)]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`${path}:${line}: `);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/key-of-the|\n {4}at /);
  });

  test.each(openModes)('a key that others may read, in its own file or in this one (mode %o)', async (mode) => {
    const inThisFile = '"main": {"url": "https://a.example.com",\n"api_key": "key-of-the-file-itself"}';
    await chmod(openKeyFile, mode);
    for (const [lines, modeOfFile, place] of [
      [file(tracker('main'), tracker('native', { key_file: 'open.key' })), 0o600, `key_file: ${openKeyFile}`],
      [file(inThisFile), mode, path],
    ] as const) {
      await write(lines, modeOfFile);
      const { code, stderr } = await runCommand([], { environment: { TRACKER_CONFIG: path } });
      expect(code).toBe(2);
      expect(stderr).toContain(`${path}:4: ${place} holds a key and is open to others (mode ${mode.toString(8)})`);
      expect(stderr).not.toContain('key-of-the');
    }
  });

  test('every mistake at once', async () => {
    await write(file(tracker('main', { max_bids: 1 }), tracker('native', { read_onli: true })));
    const { stderr } = await runCommand(['--config', path]);
    expect(stderr.match(/trackers\.json:\d+/g)).toHaveLength(2);
  });

  test('a missing file', async () => {
    const { code, stderr } = await runCommand(['--config', join(folder, 'none.json')]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/cannot be read: .*none\.json \(ENOENT\)/);
  });

  test('in check too', async () => {
    const { code, stdout } = await runCommand(['check', '--config', await write(main({ max_bids: 1 }))]);
    expect(code).toBe(2);
    expect(stdout).toMatch(/^FAIL {2}configuration .*trackers\.json:3: there is no setting "max_bids"/);
  });
});

/** Reads a file together with flags and environment. */
async function read(
  lines: readonly string[],
  flags: Parameters<typeof readConfiguration>[0] = {},
  environment: NodeJS.ProcessEnv = {},
) {
  return readConfiguration({ config: await write(lines), ...flags }, environment);
}

async function refusal(...given: Parameters<typeof read>): Promise<string> {
  return read(...given).then(
    () => expect.fail('the configuration was accepted'),
    (error: Error) => error.message,
  );
}

describe('a setting', () => {
  test('that is blank in a tracker resets the one at the top', async () => {
    const lines = ['{', '  "currency": "EUR",', '  "trackers": {', tracker('main', { currency: '' }), '  }', '}'];
    const { trackers } = await readConfiguration({ config: await write(lines) }, {});
    expect(trackers[0].config.currency).toBeUndefined();
  });

  test('that names an empty file is no reason to use another tracker', async () => {
    const environment = { TRACKER_URL: 'https://a.example.com', TRACKER_API_KEY: 'key-of-the-variable' };
    await expect(readConfiguration({ config: '' }, environment)).rejects.toThrow('would name a different tracker');
  });

  const lines = [
    ...['{', '  "timezone": "Europe/Berlin", "max_bid": 1, "mcp_port": 4000, "default": "native",', '  "trackers": {'],
    ...[`${tracker('main', { format: 'xml' })},`, tracker('native', { timezone: 'UTC', max_bid: 2 }), '  }', '}'],
  ];

  test('comes from the tracker, else from the top, else it is the default', async () => {
    const { trackers, server, byDefault } = await read(lines);
    expect(trackers).toMatchObject([
      { name: 'main', config: { format: 'xml', timezone: 'Europe/Berlin', maxBid: 1, timeout: 30_000 } },
      { name: 'native', config: { format: 'json', timezone: 'UTC', maxBid: 2 } },
    ]);
    expect({ port: server.port, byDefault }).toEqual({ port: 4000, byDefault: 'native' });
  });

  test('comes from a flag, else from a variable, which warns that it beats the file, else from the file', async () => {
    const { trackers, warnings } = await read(lines, { format: 'json' }, { TRACKER_TIMEZONE: 'Asia/Tokyo' });
    const used = { format: 'json', timezone: 'Asia/Tokyo' };
    expect(trackers).toMatchObject([{ config: used }, { config: used }]);
    expect(warnings).toEqual([
      `TRACKER_TIMEZONE beats ${path}:2: timezone.`,
      `TRACKER_TIMEZONE beats ${path}:5: timezone.`,
      'main and native have the same key at different URLs.',
    ]);
  });

  test('that is a limit cannot be set differently in the file and outside of it', async () => {
    expect(await refusal(lines, {}, { TRACKER_MAX_BID: '5' })).toMatch(
      /:2: max_bid limits what may be written, and TRACKER_MAX_BID is different.*\n.*:5: max_bid/,
    );
    expect(await refusal(main({ read_only: false }), { readOnly: 'true' })).toContain('--read-only');
    const { trackers } = await read(lines, { readOnly: 'true' });
    expect(trackers.map(({ config }) => config.readOnly)).toEqual([true, true]);
    const same = await read(main({ max_bid: 0.5 }), {}, { TRACKER_MAX_BID: '0.50' });
    expect(same.trackers[0].config.maxBid).toBe(0.5);
  });

  test.each<[name: string, value: string, flags?: Parameters<typeof readConfiguration>[0]]>([
    ['TRACKER_URL', 'https://other.example.com'],
    ['TRACKER_API_KEY', 'key-of-the-environment'],
    ['TRACKER_API_KEY_FILE', 'main.key'],
    ['TRACKER_KEY_COMMAND', '["echo", "a"]'],
    ['TRACKER_SANDBOX', '1'],
    ['--url', 'https://other.example.com', { url: 'https://other.example.com' }],
    ['--sandbox', 'true', { sandbox: 'true' }],
  ])('that names another tracker is refused: %s', async (name, value, flags = {}) => {
    const message = await refusal(lines, flags, { [name]: value });
    expect(message).toContain(`${name} would name a different tracker`);
    expect(message).not.toContain('key-of-the');
  });

  test('is not a variable with the mark of an empty field of a desktop program', async () => {
    const names = ['TRACKER_CONFIG', 'TRACKER_URL', 'TRACKER_API_KEY', 'TRACKER_SANDBOX', 'TRACKER_MAX_BID'];
    const unfilled = Object.fromEntries(names.map((name) => [name, `\${user_config.${name.toLowerCase()}}`]));
    const config = await write(main({ max_bid: 0.5 }));
    const { trackers, warnings } = await readConfiguration({ config }, unfilled);
    expect(trackers[0].config).toMatchObject({ tracker: { url: 'https://main.example.com' }, maxBid: 0.5 });
    expect(warnings).toEqual([]);
    await expect(readConfiguration({}, unfilled)).rejects.toThrow('No tracker is set');
  });

  test.each(openModes)('with a password is refused in a file that others may read (mode %o)', async (mode) => {
    const lines = (url: string) => top(`"mcp_redis": ["${url}"]`);
    const withPassword = lines('redis://:password@redis.internal:6379');
    await expect(readConfiguration({ config: await write(withPassword, mode) }, {})).rejects.toThrow(
      `${path}:2: ${path} holds a password and is open to others (mode ${mode.toString(8)})`,
    );
    const { server } = await readConfiguration({ config: await write(withPassword) }, {});
    expect(server.redis).toEqual(['redis://:password@redis.internal:6379']);
    const plain = await write(lines('redis://redis.internal:6379'), mode);
    expect((await readConfiguration({ config: plain }, {})).trackers).toHaveLength(1);
  });

  test('that is a directory can be none', async () => {
    const { server } = await read(top('"past_days_dir": "none"'));
    expect(server.pastDaysDir).toBe('none');
  });

  test('of any kind has one name in a file', async () => {
    expect(new Set(settings.map(({ nameInFile }) => nameInFile)).size).toBe(settings.length);
    const all = {
      ...{ method: 'get', timezone: 'UTC', timeout_ms: 5000, read_only: true, tools: ['get_stats', 'list_campaigns'] },
      ...{ allow_campaigns: [1, 2], allow_predefined: true, allow_url_hosts: ['*.example.com'], max_payout: 1.5 },
      ...{ confirm: 'elicit', audit_log: 'logs/writes.jsonl', currency: 'EUR' },
    };
    const { trackers } = await read(file(tracker('main', all)));
    expect(trackers[0].config).toMatchObject({
      ...{ method: 'get', timezone: 'UTC', timeout: 5000, readOnly: true, tools: ['get_stats', 'list_campaigns'] },
      ...{ allowCampaigns: [1, 2], allowPredefined: true, allowUrlHosts: ['*.example.com'], maxPayout: 1.5 },
      ...{ confirm: 'elicit', auditLog: join(folder, 'logs/writes.jsonl'), currency: 'EUR' },
    });
  });
});

describe('a key', () => {
  const keyOf = async (settings: object) => {
    const { trackers, warnings } = await read(main({ key_file: undefined, ...settings }));
    return { key: (trackers[0].config.tracker as { apiKey: string }).apiKey, warnings };
  };
  const node = process.execPath;

  test('is read from a file next to the configuration', async () => {
    expect(await keyOf({ key_file: 'main.key' })).toEqual({ key: 'key-of-the-main-file', warnings: [] });
  });

  test('is printed by a program, which runs in the folder of the file without a shell', async () => {
    const print = "console.log(require('fs').readFileSync('main.key', 'utf8').trim() + process.argv[1])";
    const { key } = await keyOf({ key_command: [node, '-e', print, ' $(id)'] });
    expect(key).toBe('key-of-the-main-file $(id)');
  });

  test('of a program that several trackers have is asked for once', async () => {
    const count = join(folder, 'count');
    const print = `require('fs').appendFileSync(${JSON.stringify(count)}, 'x'); console.log('key-of-the-program')`;
    const printed = { key_file: undefined, key_command: [node, '-e', print] };
    const { trackers, warnings } = await read(file(tracker('main', printed), tracker('native', printed)));
    expect(trackers).toHaveLength(2);
    expect(warnings).toEqual(['main and native have the same key at different URLs.']);
    expect(await readFile(count, 'utf8')).toBe('x');
  });

  test.each([
    [
      'fails',
      'const key = "key-of-the-program"; console.log(key); console.error("locked:", key); process.exit(3)',
      'exit code 3',
    ],
    ['prints nothing', '', 'printed 0 lines'],
    ['prints more than the key', 'console.log("key-of-the-program\\nuser: ann")', 'printed 2 lines'],
    ['explains itself', 'console.error("vault is locked"); process.exit(1)', 'It said: vault is locked'],
    ['prints a key in its error', 'console.error("no K3yOfTheTracker99 here"); process.exit(1)', 'exit code 1'],
  ])('of a program that %s stops the start, and is not shown', async (_, script, hint) => {
    const message = await refusal(main({ key_file: undefined, key_command: [node, '-e', script] }));
    expect(message).toContain(`${path}:3: key_command names the program`);
    expect(message).toContain(hint);
    expect(message).not.toMatch(/key-of-the|K3yOfTheTracker99/);
  });

  test('in the file itself brings a warning', async () => {
    expect(await keyOf({ api_key: 'key-of-the-file-itself' })).toEqual({
      key: 'key-of-the-file-itself',
      warnings: [expect.stringMatching(/trackers\.json:3: api_key has the key in the file itself/)],
    });
  });

  test('can come from a program without a file of trackers', async () => {
    const command = JSON.stringify([node, '-e', 'console.log("key-of-the-variable")']);
    const environment = { TRACKER_URL: 'https://a.example.com', TRACKER_KEY_COMMAND: command };
    const { trackers } = await readConfiguration({}, environment);
    expect(trackers[0].config.tracker).toMatchObject({ apiKey: 'key-of-the-variable' });
    const words = { ...environment, TRACKER_KEY_COMMAND: 'pass show tracker' };
    await expect(readConfiguration({}, words)).rejects.toThrow('must be a JSON list of a program and its arguments');
  });

  test.each(openModes)('in an open file that a variable names brings a warning (mode %o)', async (mode) => {
    await chmod(openKeyFile, mode);
    const environment = { TRACKER_URL: 'https://a.example.com', TRACKER_API_KEY_FILE: openKeyFile };
    const { trackers, warnings } = await readConfiguration({}, environment);
    expect(trackers[0].config.tracker).toMatchObject({ apiKey: 'key-of-the-open-file' });
    expect(warnings).toEqual([expect.stringContaining(`is open to others (mode ${mode.toString(8)})`)]);
  });
});
