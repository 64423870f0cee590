import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { settings } from '../src/config/settings.ts';
import { ConfigurationFailure, type Flags, readConfig } from '../src/config.ts';

const tracker = { TRACKER_URL: 'https://tracker.example.com', TRACKER_API_KEY: 'secret-key' };

const folder = mkdtempSync(join(tmpdir(), 'config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function refusal(flags: Flags, environment: NodeJS.ProcessEnv): string {
  try {
    readConfig(flags, environment);
  } catch (error) {
    if (error instanceof ConfigurationFailure) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

describe('where a value comes from', () => {
  test('a flag beats the environment, which beats the default', () => {
    expect(readConfig({}, tracker).format).toBe('json');
    expect(readConfig({}, { ...tracker, TRACKER_FORMAT: 'xml' }).format).toBe('xml');
    expect(readConfig({ format: 'json' }, { ...tracker, TRACKER_FORMAT: 'xml' }).format).toBe('json');
  });

  test('an empty variable is none', () => {
    expect(readConfig({}, { ...tracker, TRACKER_FORMAT: ' ', TRACKER_TIMEOUT_MS: '' })).toMatchObject({
      format: 'json',
      timeout: 30_000,
    });
  });

  test.each(settings.map(({ variable }) => variable))(
    '%s counts as unset where a desktop program hands over the mark of a field that nobody filled in',
    (variable) => {
      const { [variable]: _, ...others }: NodeJS.ProcessEnv = tracker;
      const outcome = (environment: NodeJS.ProcessEnv) => {
        try {
          return readConfig({}, environment);
        } catch (error) {
          return String(error);
        }
      };
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the mark itself
      expect(outcome({ ...others, [variable]: '${user_config.some_field}' })).toEqual(outcome(others));
    },
  );

  test('method and format may be written in capitals', () => {
    expect(readConfig({}, { ...tracker, TRACKER_METHOD: 'GET', TRACKER_FORMAT: 'XML' })).toMatchObject({
      method: 'get',
      format: 'xml',
    });
  });

  test('every setting has a variable of its own, and a flag of its own where it has one', () => {
    const variables = settings.map(({ variable }) => variable);
    const flags = settings.flatMap(({ flag }) => flag ?? []);
    expect(new Set(variables).size).toBe(variables.length);
    expect(new Set(flags).size).toBe(flags.length);
    expect(variables.every((variable) => variable.startsWith('TRACKER_'))).toBe(true);
  });
});

describe('the currency', () => {
  test('is a code of ISO 4217, in any letter case, and none without the setting', () => {
    expect(readConfig({}, { ...tracker, TRACKER_CURRENCY: 'eur' }).currency).toBe('EUR');
    expect(readConfig({ currency: 'USD' }, { ...tracker, TRACKER_CURRENCY: 'EUR' }).currency).toBe('USD');
    expect(readConfig({}, tracker).currency).toBeUndefined();
  });

  test.each(['€', 'EURO', 'XYZ', 'dollar'])('%s is refused with what it may be', (given) => {
    expect(refusal({}, { ...tracker, TRACKER_CURRENCY: given })).toBe(
      `--currency / TRACKER_CURRENCY must be the ISO 4217 code of a currency, such as USD or EUR; got ${JSON.stringify(given)}.`,
    );
  });
});

describe('which tracker', () => {
  test('without a URL and without the sandbox both ways are named', () => {
    const said = refusal({}, {});
    expect(said).toContain('TRACKER_URL');
    expect(said).toContain('TRACKER_API_KEY');
    expect(said).toContain('--sandbox');
  });

  test('a URL needs a key', () => {
    expect(refusal({ url: 'https://tracker.example.com' }, {})).toContain('TRACKER_API_KEY');
  });

  test.each([
    ['https://tracker.example.com/', 'https://tracker.example.com'],
    ['https://tracker.example.com/tracker//', 'https://tracker.example.com/tracker'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ])('the base URL %s is %s', (given, url) => {
    expect(readConfig({ url: given }, tracker).tracker).toEqual({ url, apiKey: 'secret-key' });
  });

  test.each([
    'tracker.example.com',
    'ftp://tracker.example.com',
    'https://tracker.example.com/?a=1',
    'https://a:b@x.com',
  ])('the base URL %s is refused by the names of its flag and variable', (url) => {
    const said = refusal({}, { ...tracker, TRACKER_URL: url });
    expect(said).toContain('--url / TRACKER_URL');
  });

  test('the sandbox needs neither URL nor key', () => {
    expect(readConfig({ sandbox: 'true' }, {}).tracker).toBe('sandbox');
    expect(readConfig({}, { TRACKER_SANDBOX: '1' }).tracker).toBe('sandbox');
    expect(readConfig({}, { ...tracker, TRACKER_SANDBOX: '0' }).tracker).not.toBe('sandbox');
  });

  test('a flag decides between the sandbox and a URL, and two of a kind contradict each other', () => {
    expect(readConfig({ sandbox: 'true' }, tracker).tracker).toBe('sandbox');
    const { tracker: chosen } = readConfig({ url: 'https://other.example.com' }, { ...tracker, TRACKER_SANDBOX: '1' });
    expect(chosen).toMatchObject({ url: 'https://other.example.com' });
    expect(refusal({}, { ...tracker, TRACKER_SANDBOX: '1' })).toContain('both set');
    expect(refusal({ sandbox: 'true', url: 'https://other.example.com' }, tracker)).toContain('both set');
  });
});

describe('the API key', () => {
  test('may stand in a file, without the line break at its end', () => {
    const file = join(folder, 'key');
    writeFileSync(file, 'key-of-the-file\n');
    const { tracker: read } = readConfig({}, { TRACKER_URL: tracker.TRACKER_URL, TRACKER_API_KEY_FILE: file });
    expect(read).toMatchObject({ apiKey: 'key-of-the-file' });
  });

  test('stands on the one line of its file that is not empty', () => {
    const file = join(folder, 'spaced-key');
    const environment = { TRACKER_URL: tracker.TRACKER_URL, TRACKER_API_KEY_FILE: file };
    writeFileSync(file, '\r\nkey-of-the-file\r\n \r\n');
    expect(readConfig({}, environment).tracker).toMatchObject({ apiKey: 'key-of-the-file' });
    writeFileSync(file, 'key-of-the-file\nsecond-key\n');
    const said = refusal({}, environment);
    expect(said).toContain(`more than one line: ${file}`);
    expect(said).not.toMatch(/key-of-the-file|second-key/);
  });

  test('a file that cannot be read or is empty is named', () => {
    const missing = join(folder, 'missing');
    expect(refusal({}, { TRACKER_URL: tracker.TRACKER_URL, TRACKER_API_KEY_FILE: missing })).toContain(missing);
    const empty = join(folder, 'empty');
    writeFileSync(empty, '\n');
    expect(refusal({}, { TRACKER_URL: tracker.TRACKER_URL, TRACKER_API_KEY_FILE: empty })).toContain('API key');
  });

  test('given as a flag is warned of, without saying it', () => {
    const { warnings } = readConfig({ apiKey: 'flag-secret' }, { TRACKER_URL: tracker.TRACKER_URL });
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
  ])('or a password in a refused URL is not repeated: %s', (url) => {
    expect(refusal({}, { ...tracker, TRACKER_URL: url })).not.toContain('s3cret');

    expect(refusal({}, { ...tracker, TRACKER_MCP_REDIS: url })).not.toContain('s3cret');
  });

  test('nor one of Redis that no URL can hold', () => {
    const refused = refusal({}, { ...tracker, TRACKER_MCP_REDIS: 'redis://:s3cret/word@redis.internal:6380' });
    expect(refused).toContain('must be URLs such as redis://');
    expect(refused).not.toContain('s3cret');
  });
});

describe('warnings', () => {
  test.each(['http://tracker.example.com', 'http://192.0.2.7:8080/tracker'])('%s is told to be unencrypted', (url) => {
    expect(readConfig({ url }, tracker).warnings.join()).toContain('not encrypted');
  });

  test.each(['http://localhost:1', 'http://127.0.0.1:1', 'http://[::1]:1', 'https://tracker.example.com'])(
    '%s is not warned of',
    (url) => {
      expect(readConfig({ url }, tracker).warnings).toEqual([]);
    },
  );
});

test.each([
  ['TRACKER_METHOD', 'put', 'post, get'],
  ['TRACKER_FORMAT', 'csv', 'json, xml'],
  ['TRACKER_TIMEZONE', '+02:00', 'Europe/Berlin'],
  ['TRACKER_TIMEOUT_MS', '30s', 'milliseconds'],
  ['TRACKER_SANDBOX', 'yes', '1/0 or true/false'],
  ['TRACKER_MAX_BID', '-1', '0.50'],
])('%s=%s is refused with what it may be', (variable, value, hint) => {
  const said = refusal({}, { ...tracker, [variable]: value });
  expect(said).toContain(variable);
  expect(said).toContain(hint);
  expect(said).toContain(JSON.stringify(value));
});

test('every mistake is told at once', () => {
  const said = refusal({}, { ...tracker, TRACKER_METHOD: 'put', TRACKER_FORMAT: 'csv' });
  expect(said.split('\n')).toHaveLength(2);
});

describe('a setting that would have limited writes', () => {
  const limits = settings.filter(({ limitsWrites }) => limitsWrites);

  test('is each of these', () => {
    expect(limits.map(({ variable }) => variable)).toEqual([
      'TRACKER_READ_ONLY',
      'TRACKER_TOOLS',
      'TRACKER_ALLOW_CAMPAIGNS',
      'TRACKER_ALLOW_URL_HOSTS',
      'TRACKER_MAX_BID',
      'TRACKER_MAX_PAYOUT',
      'TRACKER_CONFIRM',
      'TRACKER_APPROVERS',
      'TRACKER_AUDIT_LOG',
    ]);
  });

  test.each(limits.map(({ key, variable }) => [variable, key] as const))(
    '%s is refused where it is blank',
    (variable, key) => {
      for (const blank of ['', ' ', '\t', '\u00a0']) {
        expect(refusal({}, { ...tracker, [variable]: blank })).toContain(`${variable} is blank`);
        expect(refusal({ [key]: blank }, tracker)).toContain(`${variable} is blank`);
      }
    },
  );

  test('may be blank in the environment where a flag decides over it', () => {
    const { confirm } = readConfig({ confirm: 'elicit' }, { ...tracker, TRACKER_CONFIRM: '' });
    expect(confirm).toBe('elicit');
  });

  test('is told beside every other mistake', () => {
    const said = refusal({}, { ...tracker, TRACKER_MAX_BID: '', TRACKER_METHOD: 'put', TRACKER_CONFIRM: 'on' });
    expect(said.split('\n')).toHaveLength(3);
  });
});
