import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { sharedSandbox, startCli } from '../e2e/support/run-cli.ts';
import { runCommand } from '../e2e/support/run-command.ts';
import { newFolder } from '../support/folders.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { signals } from '../support/system.ts';

const ok = '{"Status":"OK","Rows":[{"ID":"1","Name":"One"}]}';
const foreign = await startForeignTracker({
  'campaign/list': ok,
  stats: '{"offer":[{"Name":"One","Views":"3"}]}',
  'offer/edit': '{"Status":"OK","ID":"7"}',
  conversions: ok,
});
const environment = { TRACKER_URL: foreign.url, TRACKER_API_KEY: 'call-secret-key' };
const run = (...given: readonly string[]) => runCommand(['call', ...given], { environment });
const runInSandbox = (...given: readonly string[]) => runCommand(['call', ...given], { environment: sharedSandbox() });

async function sentBy(given: readonly string[], more: Readonly<Record<string, string>> = {}) {
  foreign.taken();
  const { code, stdout, stderr } = await runCommand(['call', ...given], { environment: { ...environment, ...more } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [request] = foreign.taken();
  return { parameters: Object.fromEntries(request?.parameters ?? []), request, result: JSON.parse(stdout) };
}

describe('arguments', () => {
  test('are flags with underscores or dashes: numbers, lists and booleans', async () => {
    const spelled = ['get_stats', '--campaign_id', '1', '--reports', 'offer, landing', '--include_extra_tokens'];
    expect((await sentBy(spelled)).parameters).toMatchObject({ camp: '1', report: 'offer,landing', extra: '1' });
    const dashed = ['get_stats', '--campaign-id=1', '--reports', 'offer', '--reports', 'landing'];
    expect((await sentBy(dashed)).parameters).toMatchObject({ camp: '1', report: 'offer,landing' });
    const off = ['edit_offer', '--offer_id', '7', '--active', 'false'];
    expect((await sentBy(off)).parameters).toMatchObject({ id: '7', inactive: '1' });
  });

  test('take a campaign by its name', async () => {
    const { code, stdout } = await run('get_stats', '--campaign_id', 'one', '--reports', 'offer');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      query: { campaign_id: 1 },
      notices: expect.arrayContaining(['Campaign 1: “One”.']),
    });
    expect(foreign.taken().at(-1)?.parameters).toContainEqual(['camp', '1']);
    const shares = '[{"page_id":"Gym","share":200}]';
    expect(await run('set_shares', '--campaign_id', 'one', '--shares', shares)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('shares[0].share must be'),
    });
  });

  test('a backslash keeps a comma in an item', async () => {
    expect((await run('list_campaigns', '--columns', 'ID,Na\\,me')).stderr).toContain('no column "Na,me"');
  });

  test('a list may be JSON, as an agent writes it', async () => {
    expect((await run('get_overview', '--campaign_ids', '["none", 7]')).stderr).toContain(
      'campaign_ids "none" matches no',
    );
    expect((await run('list_campaigns', '--columns', '["ID","Na,me"]')).stderr).toContain('no column "Na,me"');
  });

  test('a comma that may be a mark of thousands is refused, and a space after it separates IDs', async () => {
    for (const ids of ['56,050', '1,234,567', '100,200']) {
      const { code, stderr } = await run('get_overview', '--campaign-ids', ids);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(ids.replaceAll(',', '')) });
      expect(stderr).toContain(
        `put a space after each comma: ${process.platform === 'win32' ? '"' : "'"}${ids.replaceAll(',', ', ')}`,
      );
    }
    expect((await run('diagnose_subid', '--subids', '56\\,050')).stderr).toContain('comma inside a number');
    expect(foreign.taken()).toEqual([]);
    for (const ids of ['1, 200', '1,20,3000', '1,20'])
      expect((await run('get_overview', '--campaign-ids', ids)).stderr).not.toContain('comma');
  });

  test('entities are decoded in a command line too', async () => {
    const where = '{"column":"Name","op":"&gt;","value":"A&amp;B"}';
    expect((await sentBy(['list_campaigns', '--where', where])).result).toMatchObject({ tables: [{ total_rows: 1 }] });
  });

  test('a list of objects is JSON: an object for each flag, or one array', async () => {
    const rows = '[{"ID":"1","Name":"One fit"},{"ID":"2","Name":"Two fit"},{"ID":"3","Name":"Two"}]';
    foreign.answer('campaign/list', rows);
    const [fit, two] = ['{"column":"Name","op":"contains","value":"fit"}', '{"column":"ID","op":">","value":1}'];
    for (const given of [
      ['--where', fit, '--where', two],
      ['--where', `[${fit}, ${two}]`],
    ]) {
      const { tables } = (await sentBy(['list_campaigns', ...given])).result;
      expect(tables[0].rows).toEqual([[2, 'Two fit']]);
    }
    foreign.answer('campaign/list', ok);
  });

  test.each(['Name contains fit', '3', '{"column"'])(
    '%j is no list of objects; the error has an example',
    async (text) => {
      const { code, stdout, stderr } = await run('list_campaigns', '--where', text);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      const [, example = ''] = /such as '(.+)'\./.exec(stderr) ?? [];
      expect((await run('list_campaigns', '--where', example)).code).toBe(0);
    },
  );

  test('--dry_run alone sends nothing and shows the request with the key masked', async () => {
    const { request, result } = await sentBy(['edit_offer', '--offer_id', '7', '--payout', '3', '--dry_run']);
    expect(request).toBeUndefined();
    expect(result).toMatchObject({ dry_run: true, done: false, sent: { key: '***', id: '7', payout: '3' } });
  });

  test('after the tool, --url is its argument; before it, the setting', async () => {
    const given = ['--url', foreign.url, 'edit_offer', '--offer_id', '7', '--url', 'https://example.com/offer'];
    const { parameters } = await sentBy(given, { TRACKER_URL: 'http://127.0.0.1:9' });
    expect(parameters).toMatchObject({ url: 'https://example.com/offer' });
  });

  test('settings can be before call, before the tool and after it', async () => {
    for (const given of [
      ['--format', 'xml', 'call', 'list_campaigns'],
      ['call', '--format', 'xml', 'list_campaigns'],
      ['call', 'list_campaigns', '--format', 'xml'],
    ]) {
      foreign.taken();
      await runCommand(given, { environment });
      expect(foreign.taken()[0]?.parameters).toContainEqual(['format', 'xml']);
    }
  });

  test('call TOOL --help names each argument with its type', async () => {
    const { code, stdout } = await run('get_stats', '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(/--campaign_id <text> [\s\S]*required/);
    expect(stdout).toMatch(/--reports <list>/);
    expect(stdout).toMatch(/--where <json>[\s\S]*\{"column":"Name","op":"contains","value":"fit"\}/);
    expect(stdout).toMatch(/--include_extra_tokens \[true\|false\]/);
    expect(stdout).not.toContain('TRACKER_TIMEZONE');
  });
});

test('--help lists all tools but query_report', async () => {
  const { stdout } = await run('--help');
  expect(stdout).toContain('compare_pages');
  expect(stdout).not.toContain('query_report');
});

describe('failures', () => {
  test('are one message on stderr, with exit code 2 for a wrong command line', async () => {
    const { code, stdout, stderr } = await run('get_stats');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^tracker-mcp: get_stats was not called: campaign_id is missing.*\n$/);
  });

  test('show no key if the tracker cannot be reached', async () => {
    const { code, stdout, stderr } = await runCommand(['call', 'list_campaigns', '--timeout', '900'], {
      environment: { ...environment, TRACKER_URL: 'http://127.0.0.1:9' },
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('tracker-mcp: ');
    expect(stderr).not.toContain('call-secret-key');
  });

  test('name the setting of a wrong key, and do not show it', async () => {
    const { code, stderr } = await runCommand(['call', 'list_campaigns'], {
      environment: { ...sharedSandbox(), TRACKER_API_KEY: 'wrong-secret-key' },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('TRACKER_API_KEY');
    expect(stderr).not.toContain('wrong-secret-key');
  });

  test.each(signals)('on %s during a write, message and audit trail have its outcome', async (signal) => {
    const log = join(await newFolder(), 'writes.jsonl');
    const arrived = new Promise<void>((resolve) => {
      foreign.answer('campaign/edit', () => {
        resolve();
        return new Promise(() => undefined);
      });
    });
    const given = ['call', 'edit_campaign', '--campaign_id', '1', '--bid', '1', '--audit-log', log];
    const child = startCli(given, { environment });
    const ended = Promise.all([once(child, 'exit'), text(child.stderr)]);
    await arrived;
    child.kill(signal);
    const [exit, stderr] = await ended;
    expect(exit).toEqual([1, null]);
    expect(stderr).toMatch(/unknown/);
    const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(['begin', 'end']);
  });

  test('do not include a reader that hangs up early', async () => {
    const given = ['call', 'list_visitors', '--limit', '500', '--period', 'last_7_days'];
    const child = startCli(given, { environment: sharedSandbox() });
    child.stdout.destroy();
    expect(await text(child.stderr)).toBe('');
  });
});

test('a pipe gets JSON', async () => {
  const { code, stdout, stderr } = await runInSandbox('list_campaigns', '--status', 'active');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ query: { status: 'active' }, tables: [{ name: 'campaigns' }] });
});

describe('the form of the output', () => {
  test('--csv is one table for a spreadsheet, and stderr names the missing rows', async () => {
    const given = ['list_campaigns', '--columns', 'ID,Name', '--limit', '2', '--csv'];
    const { code, stdout, stderr } = await runInSandbox(...given);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ID,Name\r\n\d+,.*\r\n\d+,.*\r\n$/);
    expect(stderr).toBe('tracker-mcp: campaigns: 2 of 10 rows. More: --offset 2, or a higher --limit.\n');
  });

  test.each(['--wide', '--vertical'])('%s is a table without colours in a pipe', async (flag) => {
    const { stdout } = await runInSandbox('list_campaigns', flag);
    expect(stdout).toMatch(/^campaigns: rows 1 to 10 of 10\n/);
    expect(stdout).not.toContain('\x1b');
  });

  test('can be one only', async () => {
    const { code, stdout, stderr } = await run('--json', 'list_campaigns', '--csv');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('--json and --csv exclude each other');
  });
});
