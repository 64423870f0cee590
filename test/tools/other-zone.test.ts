import { describe, expect, it } from 'vitest';
import { type ConnectOptions, connect, contextFor } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

const rows = [1, 2].map((id) => ({ SubID: `ab_1_${id}`, Date: '2026-11-19 10:00:00', Revenue: '3' }));

async function ask(zone: string, options: ConnectOptions, args: object = { campaign_id: 1, period: 'yesterday' }) {
  const tracker = await startForeignTracker({
    conversions: JSON.stringify({ timezone: zone, rows }),
    'click/lookup': JSON.stringify({ click: { SubID: 'ab_1_1', Date: '2026-11-19 10:00:00', TimeZone: zone } }),
    'campaign/list': '[]',
    stats: JSON.stringify({ timezone: zone, campaign: [{ Name: 'One', Views: '3' }] }),
  });
  const given = { url: tracker.url, now: () => new Date('2026-11-20T12:00:00Z'), ...options };
  const context = { ...contextFor(given), isZoneAssumed: options.timeZone === undefined };
  const { data } = await connect({ context });
  const said = async (tool: string, given: object) => {
    const { notices } = await data<{ readonly notices: readonly string[] }>(tool, { ...given });
    return notices.filter((notice) => notice.includes('as the zone of its times'));
  };
  return { tracker, said, args };
}

describe('an answer that names another zone than the one set', () => {
  it('is said once, and changes no dates', async () => {
    const { tracker, said, args } = await ask('America/New_York', { timeZone: 'Europe/Berlin' });
    expect(await said('list_conversions', args)).toEqual([
      'The tracker names America/New_York as the zone of its times, and Europe/Berlin is set (TRACKER_TIMEZONE). No date was changed for it.',
    ]);
    expect(tracker.taken()[0]?.sent).toMatchObject({ start: '2026-11-19', end: '2026-11-19' });
    // The lookup and the list of conversions both name it.
    expect(await said('diagnose_subid', { subid: 'ab_1_1' })).toHaveLength(1);
    expect(await said('lookup_subid', { subid: 'ab_1_1' })).toHaveLength(1);
  });

  it('is said if none is set', async () => {
    const { said, args } = await ask('America/New_York', {});
    expect((await said('list_conversions', args)).join()).toContain('and none is set (TRACKER_TIMEZONE)');
  });

  it.each([
    ['the same', 'Europe/Berlin', {}],
    ['one with the same clock', 'Europe/Paris', {}],
    ['no zone that can be compared', 'Eastern (my office)', {}],
  ])('is not said of %s', async (_, zone) => {
    const { said, args } = await ask(zone, { timeZone: 'Europe/Berlin' });
    expect(await said('list_conversions', args)).toEqual([]);
  });

  it('is not said if the question asked for a zone', async () => {
    const { said } = await ask('Asia/Tokyo', { timeZone: 'Europe/Berlin' });
    expect(await said('get_stats', { campaign_id: 1, period: 'yesterday', timezone: 'Asia/Tokyo' })).toEqual([]);
  });
});
