import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settings } from '../src/config/settings.ts';
import { type Config, type Flags, readConfiguration } from '../src/config.ts';
import { newFolder } from './support/folders.ts';

const tracker = { TRACKER_URL: 'https://tracker.example.com', TRACKER_API_KEY: 'secret-key' };

const folder = await newFolder();

const read = async (flags: Flags, environment: NodeJS.ProcessEnv) =>
  (await readConfiguration(flags, environment)).trackers[0].config;

const refusal = (flags: Flags, environment: NodeJS.ProcessEnv): Promise<string> =>
  read(flags, environment).then(
    () => expect.fail('the configuration was accepted'),
    (error: Error) => error.message,
  );

describe('settings', () => {
  const xml = { TRACKER_FORMAT: 'xml' };
  test.each<[string, Flags, NodeJS.ProcessEnv, Partial<Config>]>([
    ['the default', {}, {}, { format: 'json' }],
    ['the environment beats it', {}, xml, { format: 'xml' }],
    ['a flag beats both', { format: 'json' }, xml, { format: 'json' }],
    ['an empty format', {}, { TRACKER_FORMAT: ' ' }, { format: 'json' }],
    ['an empty timeout', {}, { TRACKER_TIMEOUT_MS: '' }, { timeout: 30_000 }],
    ['capitals', {}, { TRACKER_METHOD: 'GET', TRACKER_FORMAT: 'XML' }, { method: 'get', format: 'xml' }],
    ['no currency', {}, {}, { currency: undefined }],
    ['a currency in any letter case', {}, { TRACKER_CURRENCY: 'eur' }, { currency: 'EUR' }],
    ['a flag beats a blank limit', { confirm: 'elicit' }, { TRACKER_CONFIRM: '' }, { confirm: 'elicit' }],
    ['a URL loses the slash at its end', { url: 'https://a.example.com/' }, {}, at('https://a.example.com')],
    ['a subfolder', { url: 'https://a.example.com/t//' }, {}, at('https://a.example.com/t')],
    ['a port', { url: 'http://127.0.0.1:8080' }, {}, at('http://127.0.0.1:8080')],
    ['a sandbox that is off', {}, { TRACKER_SANDBOX: '0' }, at(tracker.TRACKER_URL)],
    ['a sandbox as a flag beats the URL', { sandbox: 'true' }, {}, { tracker: 'sandbox' }],
    [
      'a URL as a flag beats the sandbox',
      { url: 'http://a.example' },
      { TRACKER_SANDBOX: '1' },
      at('http://a.example'),
    ],
  ])('%s', async (_, flags, environment, expected) => {
    expect(await read(flags, { ...tracker, ...environment })).toMatchObject(expected);
  });

  function at(url: string): Partial<Config> {
    return { tracker: { url, apiKey: 'secret-key' } };
  }

  test('the sandbox needs neither URL nor key', async () => {
    expect((await read({ sandbox: 'true' }, {})).tracker).toBe('sandbox');
    expect((await read({}, { TRACKER_SANDBOX: '1' })).tracker).toBe('sandbox');
  });

  test.each(settings.map(({ variable }) => variable))(
    '%s is unset by the empty field of a desktop program',
    async (variable) => {
      const { [variable]: _, ...others }: NodeJS.ProcessEnv = tracker;
      const outcome = (environment: NodeJS.ProcessEnv) => read({}, environment).catch(String);
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the mark itself
      expect(await outcome({ ...others, [variable]: '${user_config.some_field}' })).toEqual(await outcome(others));
    },
  );

  test('have unique variables and flags', () => {
    const variables = settings.map(({ variable }) => variable);
    const flags = settings.flatMap(({ flag }) => flag ?? []);
    expect(new Set(variables).size).toBe(variables.length);
    expect(new Set(flags).size).toBe(flags.length);
    expect(variables.every((variable) => variable.startsWith('TRACKER_'))).toBe(true);
  });
});

describe('a refusal names the right values:', () => {
  test.each<[string, Flags, NodeJS.ProcessEnv, readonly string[]]>([
    ['no tracker', {}, {}, ['TRACKER_URL', 'TRACKER_API_KEY', '--sandbox']],
    ['no key', { url: 'https://a.example.com' }, {}, ['TRACKER_API_KEY']],
    ['a URL and the sandbox as variables', {}, { ...tracker, TRACKER_SANDBOX: '1' }, ['both set']],
    ['OAuth without its audience', { sandbox: 'true', oauthIssuer: 'https://a.example' }, {}, ['--oauth-audience']],
    [
      'tokens and OAuth',
      { sandbox: 'true', tokens: 'a', oauthIssuer: 'https://a.example', oauthAudience: 'https://b.example/mcp' },
      {},
      ['--tokens and --oauth-issuer are both set'],
    ],
    ['a URL and the sandbox as flags', { sandbox: 'true', url: 'https://a.example.com' }, tracker, ['both set']],
  ])('%s', async (_, flags, environment, hints) => {
    const message = await refusal(flags, environment);
    for (const hint of hints) expect(message).toContain(hint);
  });

  test.each<[variable: string, value: string, hint: string]>([
    ...['tracker.example.com', 'ftp://a.example.com', 'https://a.example.com/?a=1', 'https://a:b@x.com'].map(
      (url): [string, string, string] => ['TRACKER_URL', url, '--url / TRACKER_URL must '],
    ),
    ...['€', 'EURO', 'XYZ', 'dollar'].map((code): [string, string, string] => [
      'TRACKER_CURRENCY',
      code,
      `--currency / TRACKER_CURRENCY must be the ISO 4217 code of a currency, such as USD or EUR; got "${code}".`,
    ]),
    ['TRACKER_METHOD', 'put', 'post, get; got "put"'],
    ['TRACKER_FORMAT', 'csv', 'json, xml; got "csv"'],
    ['TRACKER_TIMEZONE', '+02:00', 'Europe/Berlin; got "+02:00"'],
    ['TRACKER_TIMEOUT_MS', '30s', 'milliseconds, from 100 to 999999; got "30s"'],
    ['TRACKER_TIMEOUT_MS', '1e3', 'got "1e3"'],
    ['TRACKER_SANDBOX', 'yes', '1/0 or true/false; got "yes"'],
    ['TRACKER_MAX_BID', '-1', '0.50; got "-1"'],
    ['TRACKER_MAX_CHANGES', '0', 'must be a number of requests, from 1 to 999999; got "0"'],
    ['TRACKER_ALLOW_CAMPAIGNS', '1,x', 'must be campaign IDs; got "1,x"'],
  ])('%s=%s', async (variable, value, hint) => {
    const message = await refusal({}, { ...tracker, [variable]: value });
    expect(message).toContain(variable);
    expect(message).toContain(hint);
  });

  test('every mistake at once', async () => {
    const wrong = { TRACKER_METHOD: 'put', TRACKER_FORMAT: 'csv', TRACKER_MAX_BID: '', TRACKER_CONFIRM: 'on' };
    expect((await refusal({}, { ...tracker, ...wrong })).split('\n')).toHaveLength(4);
  });
});

describe('the API key', () => {
  const file = join(folder, 'key');
  const environment = { TRACKER_URL: tracker.TRACKER_URL, TRACKER_API_KEY_FILE: file };

  test.each(['key-of-the-file\n', '\r\nkey-of-the-file\r\n \r\n'])('is the one line of a file: %j', async (text) => {
    writeFileSync(file, text);
    expect((await read({}, environment)).tracker).toMatchObject({ apiKey: 'key-of-the-file' });
  });

  test.each([
    ['more than one line', 'key-of-the-file\nsecond-key\n', `holds 2 lines: ${file}`],
    ['nothing', '\n', `holds 0 lines: ${file}`],
  ])('is missing if its file holds %s, and is not shown', async (_, text, hint) => {
    writeFileSync(file, text);
    const message = await refusal({}, environment);
    expect(message).toContain(hint);
    expect(message).not.toMatch(/key-of-the-file|second-key/);
  });

  test('file that cannot be read is named', async () => {
    const missing = join(folder, 'missing');
    expect(await refusal({}, { ...environment, TRACKER_API_KEY_FILE: missing })).toContain(missing);
  });

  test('as a flag brings a warning that does not show it', async () => {
    const { warnings } = await readConfiguration({ apiKey: 'flag-secret' }, { TRACKER_URL: tracker.TRACKER_URL });
    expect(warnings).toHaveLength(1);
    expect(warnings.join()).not.toContain('flag-secret');
  });

  test.each([
    'https://user:s3cret@tracker.example.com',
    'https://tracker.example.com/api/?key=s3cret',
    'x?key=s3cret',
    'https://user:s3cret/word@tracker.example.com',
    'https://user:a/s3cret@tracker.example.com',
    'https://user:a@s3cret/word@tracker.example.com/t',
    'https://user:s3cret?word@tracker.example.com',
    'https://user:a#s3cret@tracker.example.com',
    'https://user:a b\\"s3cret/ @tracker.example.com',
    'https://us/er:s3cret@tracker.example.com?key=a@s3cret',
    'ftp://user:s3cret/@tracker.example.com',
    'user:pass/s3cret@tracker.example.com',
    '//user:pass/s3cret@tracker.example.com',
    'https://tracker.example.com/?key=a@s3cret',
  ])('or a password in a refused URL is not shown: %s', async (url) => {
    expect(await refusal({}, { ...tracker, TRACKER_URL: url, TRACKER_MCP_REDIS: url })).not.toContain('s3cret');
  });

  test('or the password of a Redis URL that cannot be parsed is not shown', async () => {
    const message = await refusal({}, { ...tracker, TRACKER_MCP_REDIS: 'redis://:s3cret/word@redis.internal:6380' });
    expect(message).toContain('must be URLs such as redis://');
    expect(message).not.toContain('s3cret');
  });
});

test.each([
  ...['http://tracker.example.com', 'http://192.0.2.7:8080/tracker'].map((url) => ({ url, warns: true })),
  ...['http://localhost:1', 'http://127.0.0.1:1', 'http://[::1]:1'].map((url) => ({ url, warns: false })),
  { url: 'https://tracker.example.com', warns: false },
])('only a URL without encryption to another machine brings a warning: $url, $warns', async ({ url, warns }) => {
  expect((await readConfiguration({ url }, tracker)).warnings.join().includes('not encrypted')).toBe(warns);
});

describe('a setting that limits writes', () => {
  const limits = settings.filter(({ limitsWrites }) => limitsWrites);

  test('is one of these', () => {
    expect(limits.map(({ variable }) => variable)).toEqual([
      ...['TRACKER_READ_ONLY', 'TRACKER_TOOLS', 'TRACKER_ALLOW_CAMPAIGNS', 'TRACKER_ALLOW_URL_HOSTS'],
      ...[
        'TRACKER_MAX_BID',
        'TRACKER_MAX_PAYOUT',
        'TRACKER_MAX_CHANGES',
        'TRACKER_CONFIRM',
        'TRACKER_APPROVERS',
        'TRACKER_AUDIT_LOG',
      ],
    ]);
  });

  test.each(limits)('$variable is refused if it is blank', async ({ variable, key }) => {
    for (const blank of ['', ' ', '\t', '\u00a0']) {
      expect(await refusal({}, { ...tracker, [variable]: blank })).toContain(`${variable} is blank`);
      expect(await refusal({ [key]: blank }, tracker)).toContain(`${variable} is blank`);
    }
  });
});
