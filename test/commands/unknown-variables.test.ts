import { describe, expect, test } from 'vitest';
import { findUnknownVariables } from '../../src/commands/unknown-variables.ts';
import { settings } from '../../src/config/settings.ts';
import { sharedSandbox } from '../e2e/support/run-cli.ts';
import { runCommand } from '../e2e/support/run-command.ts';

const environment = { TRACKER_URL: 'https://tracker.example.com', PATH: '/bin', TRACKER_EMPTY: '' };

/** Wrong names, with the setting of each. */
const misspelt = (wrong: Readonly<Record<string, string>>) =>
  Object.entries(wrong).flatMap(([right, names]) => names.split(',').map((name): [string, string] => [name, right]));

test.each(
  misspelt({
    TRACKER_URL: 'TRACKER_ULR,TRACKER_BASE_URL,TRACKER_MCP_URL',
    TRACKER_TIMEOUT_MS: 'TRACKER_TIMEOUT',
    TRACKER_API_KEY: 'TRACKER_APIKEY,TRACKER_KEY',
    TRACKER_API_KEY_FILE: 'TRACKER_API_KEYFILE',
    TRACKER_TIMEZONE: 'TRACKER_TZ_TIMEZONE',
    TRACKER_SANDBOX: 'TRACKER_SANBOX',
    TRACKER_CURRENCY: 'TRACKER_CURENCY',
    TRACKER_METHOD: 'TRACKER_METHODS',
    TRACKER_FORMAT: 'tracker_format',
    TRACKER_ALLOW_PREDEFINED: 'TRACKER_ALLOW_PREDEFIND',
    TRACKER_MCP_TOKENS: 'TRACKER_MCP_TOKEN',
    TRACKER_MCP_HOST: 'TRACKER_MCP_HOSTS',
    TRACKER_MCP_ALLOW_HOSTS: 'TRACKER_MCP_ALLOW_HOST',
    TRACKER_CONFIG: 'TRACKER_MCP_CONFIG',
  }),
)('%s brings a warning that names %s', (name, nearest) => {
  expect(findUnknownVariables({ ...environment, [name]: 'a-value' })).toEqual({
    warnings: [`${name} is not a setting and is ignored; did you mean ${nearest}?`],
    problems: [],
  });
});

const spellings = 'TRACKER_READONLY,TRACKER_READ,TRACKER_READ_ONLY_MODE,TRACKER_RAED_ONLY,TRACKER_MCP_READONLY';
test.each<[string, string]>([
  ...misspelt({
    TRACKER_READ_ONLY: `${spellings},tracker_read_only,TRACKER-READ-ONLY,TRACKER_READ_ONLY , TRACKER_READ_ONLY`,
    TRACKER_TOOLS: 'TRACKER_TOOL,TRACKER_MCP_TOOL',
    TRACKER_ALLOW_CAMPAIGNS: 'TRACKER_ALLOW_CAMPAIGN,TRACKER_ALLOWED_CAMPAIGNS,TRACKER_CAMPAIGNS,TRACKER_MCP_CAMPAIGNS',
    TRACKER_ALLOW_URL_HOSTS: 'TRACKER_ALLOW_HOSTS,TRACKER_URL_HOSTS,TRACKER_ALLOW_URL_HOST,TRACKER_MCP_URL_HOSTS',
    TRACKER_MAX_BID: 'TRACKER_MAXBID,TRACKER_BID,TRACKER_BID_MAX,TRACKER_MCP_MAX_BIDS',
    TRACKER_MAX_PAYOUT: 'TRACKER_MAX_PAY_OUT,TRACKER_PAYOUT_MAX',
    TRACKER_CONFIRM: 'TRACKER_CONFRIM,TRACKER_CONFIRMATION,TRACKER_MCP_CONFIRMATION',
    TRACKER_AUDIT_LOG: 'TRACKER_AUDITLOG,TRACKER_AUDIT',
  }),
  // Each limit with wrong prefixes.
  ...settings
    .filter(({ limitsWrites }) => limitsWrites)
    .flatMap(({ variable }) =>
      ['TRACKER_MCP_', 'tracker_mcp_', 'TRACKER_SERVER_', 'TRACKERS_', 'MCP_TRACKER_', 'TRACKER_CURRENCY_'].map(
        (prefix): [string, string] => [variable.replace('TRACKER_', prefix), variable],
      ),
    ),
])('%j stops the start, because %s limits what may be written', (name, nearest) => {
  for (const value of ['1', '']) {
    const { warnings, problems } = findUnknownVariables({ ...environment, [name]: value });
    expect(warnings).toEqual([]);
    expect(problems).toEqual([expect.stringContaining(`${name} is not a setting; did you mean ${nearest}?`)]);
  }
});

test.each(['DEBUG', 'LOG_LEVEL', 'VERBOSITY', 'FOO', 'HOME'])(
  'TRACKER_%s is far from every setting, and only brings a warning',
  (word) => {
    expect(findUnknownVariables({ ...environment, [`TRACKER_${word}`]: '1' })).toEqual({
      warnings: [expect.stringContaining(`TRACKER_${word} is not a setting and is ignored`)],
      problems: [],
    });
  },
);

test('settings and variables of other programs bring neither', () => {
  const all = Object.fromEntries(settings.map(({ variable }) => [variable, '1']));
  const found = findUnknownVariables({ ...all, READ_ONLY: '1', MYTRACKER_READONLY: '1' });
  expect(found).toEqual({ warnings: [], problems: [] });
});

describe('a misspelt or blank limit stops every command with exit code 2 and nothing on stdout', () => {
  test.each([
    ['TRACKER_READONLY', '1', [], 'TRACKER_READ_ONLY'],
    ['TRACKER_READ_ONLY', 'yes', [], '1/0 or true/false'],
    ['TRACKER_READ_ONLY', '', [], 'TRACKER_READ_ONLY is blank'],
    ['TRACKER_CONFIRM', 'on', [], 'off, elicit'],
    ['TRACKER_ALLOW_CAMPAIGNS', ',', [], 'must not be empty'],
    ['TRACKER_TOOLS', '', ['tools'], 'TRACKER_TOOLS is blank'],
    ['TRACKER_READONLY', '1', ['tools'], 'TRACKER_READ_ONLY'],
    ['TRACKER_MAX_BID', '\t', ['call', 'list_campaigns'], 'TRACKER_MAX_BID is blank'],
    ['TRACKER_MAXBID', '1', ['call', 'list_campaigns'], 'TRACKER_MAX_BID'],
    ['TRACKER_MCP_READ_ONLY', '1', [], 'did you mean TRACKER_READ_ONLY?'],
  ])('%s=%j %j', async (name, value, given, hint) => {
    const { code, stdout, stderr } = await runCommand(given, { environment: { ...sharedSandbox(), [name]: value } });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(hint);
  });

  test('in check too', async () => {
    const environment = { ...sharedSandbox(), TRACKER_READONLY: '1' };
    const { code, stdout } = await runCommand(['check'], { environment });
    expect(code).toBe(2);
    expect(stdout).toMatch(/^FAIL {2}configuration .*TRACKER_READ_ONLY/);
  });
});
