import { beforeEach, describe, expect, test } from 'vitest';
import { type ForeignTracker, startForeignTracker } from '../support/foreign-tracker.ts';
import { startClient } from './support/clients.ts';
import { runCli } from './support/run-cli.ts';

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';
const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1';

describe('with --mask-visitors', () => {
  const key = 'mask-secret-key';
  let foreign: ForeignTracker;
  beforeEach(async () => {
    foreign = await startForeignTracker({
      visitorstats: JSON.stringify([
        { SubID: 'ab12cd34_7_00000345', IP: '203.0.113.7', UserAgent: chrome, Keyword: 'shoes' },
        { SubID: 'a2', IP: '203.0.113.9', UserAgent: phone, Keyword: '198.51.100.77' },
      ]),
      'click/lookup': JSON.stringify({ 'Geo Data': { IP: '203.0.113.7' }, 'Device Data': { UserAgent: phone } }),
    });
  });
  const secrets = /203\.0\.113\.[79]|198\.51\.100\.77|Mozilla|AppleWebKit/;

  test('no answer has an address or a user agent, and SQL and where see what is shown', async () => {
    const { call } = await startClient({ TRACKER_URL: foreign.url, TRACKER_API_KEY: key, TRACKER_MASK_VISITORS: '1' });
    const all = await call('list_visitors');
    expect(all.structuredContent).toMatchObject({ tables: [{ total_rows: 2 }] });
    const where = (value: string) => call('list_visitors', { where: [{ column: 'IP', op: '=', value }] });
    expect((await where('203.0.113.0/24')).structuredContent).toMatchObject({ tables: [{ total_rows: 2 }] });
    expect((await where('203.0.113.7')).structuredContent).toMatchObject({ tables: [{ total_rows: 0 }] });
    const results = [
      all,
      await call('query_report', { sql: 'SELECT IP, UserAgent, Keyword FROM visitors' }),
      await call('lookup_subid', { subid: 'ab12cd34_7_00000345' }),
      await call('diagnose_subid', { subid: 'ab12cd34_7_00000345' }),
    ];
    for (const result of results) {
      expect(JSON.stringify(result)).not.toMatch(secrets);
      expect(result.isError ? result.content : []).toEqual([]);
    }
    expect(JSON.stringify(results[1])).toContain('Safari, iOS, mobile');
  });

  test('CSV has neither, and without it all are shown', async () => {
    const environment = { TRACKER_URL: foreign.url, TRACKER_API_KEY: key };
    const masked = await runCli(['call', 'list_visitors', '--csv', '--mask-visitors'], { environment });
    expect(masked).toMatchObject({ code: 0, stdout: expect.stringContaining('203.0.113.0/24') });
    expect(masked.stdout).not.toMatch(secrets);
    expect((await runCli(['call', 'list_visitors', '--csv'], { environment })).stdout).toMatch(secrets);
  });
});
