import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { type Period, periodNames, resolvePeriod, shiftDays } from '../../src/tools/period.ts';
import { copySampleData, sampleNow } from '../sandbox/support/sample-data.ts';
import { closeAfterTests } from '../support/closing.ts';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers } from '../support/specified.ts';

/** The first and last day of a period at a moment, in a zone. */
function daysOf(period: Period, timeZone: string, now: string): string {
  const resolved = resolvePeriod({ period }, { timeZone, now: () => new Date(now) });
  return `${resolved.start_date} ${resolved.end_date}`;
}

describe('a period', () => {
  it.each<[Period, string]>([
    ['today', '2026-06-10 2026-06-10'],
    ['yesterday', '2026-06-09 2026-06-09'],
    ['last_7_days', '2026-06-04 2026-06-10'],
    ['last_14_days', '2026-05-28 2026-06-10'],
    ['last_30_days', '2026-05-12 2026-06-10'],
    ['this_month', '2026-06-01 2026-06-10'],
    ['last_month', '2026-05-01 2026-05-31'],
  ])('%s is whole days', (period, days) => {
    expect(daysOf(period, 'UTC', '2026-06-10T12:00:00Z')).toBe(days);
    expect(periodNames).toContain(period);
  });

  it.each([
    ['UTC', '2026-06-09T23:59:59.999Z', '2026-06-09'],
    ['UTC', '2026-06-10T00:00:00Z', '2026-06-10'],
    ['America/New_York', '2026-06-10T03:59:59Z', '2026-06-09'],
    ['America/New_York', '2026-06-10T04:00:00Z', '2026-06-10'],
    ['Europe/Berlin', '2026-06-09T21:59:59Z', '2026-06-09'],
    ['Europe/Berlin', '2026-06-09T22:00:00Z', '2026-06-10'],
    ['Asia/Kolkata', '2026-06-09T18:29:59Z', '2026-06-09'],
    ['Asia/Kolkata', '2026-06-09T18:30:00Z', '2026-06-10'],
    ['Pacific/Kiritimati', '2026-06-09T10:00:00Z', '2026-06-10'],
    ['Pacific/Pago_Pago', '2026-06-10T10:59:59Z', '2026-06-09'],
  ])('today begins at midnight in %s: at %s it is %s', (timeZone, now, day) => {
    expect(daysOf('today', timeZone, now)).toBe(`${day} ${day}`);
  });

  it.each<[Period, string, string]>([
    ['this_month', '2026-03-01', '2026-03-01 2026-03-01'],
    ['last_month', '2026-03-31', '2026-02-01 2026-02-28'],
    ['last_month', '2024-03-30', '2024-02-01 2024-02-29'],
    ['yesterday', '2024-03-01', '2024-02-29 2024-02-29'],
    ['yesterday', '2026-03-01', '2026-02-28 2026-02-28'],
    ['last_7_days', '2026-01-03', '2025-12-28 2026-01-03'],
    ['last_month', '2026-01-15', '2025-12-01 2025-12-31'],
    ['yesterday', '2026-01-01', '2025-12-31 2025-12-31'],
    ['this_month', '2024-02-29', '2024-02-01 2024-02-29'],
  ])('%s follows the calendar over the ends of months and years: on %s', (period, day, days) => {
    expect(daysOf(period, 'UTC', `${day}T12:00:00Z`)).toBe(days);
  });

  it.each<[Period, string, string]>([
    // A day has 23 hours when clocks go forward, and 25 hours when they go back.
    ['yesterday', '2026-03-08T04:30:00Z', '2026-03-06 2026-03-06'],
    ['yesterday', '2026-03-09T03:59:00Z', '2026-03-07 2026-03-07'],
    ['yesterday', '2026-03-09T04:00:00Z', '2026-03-08 2026-03-08'],
    ['yesterday', '2026-11-02T04:59:00Z', '2026-10-31 2026-10-31'],
    ['yesterday', '2026-11-02T05:00:00Z', '2026-11-01 2026-11-01'],
    ['last_7_days', '2026-11-02T05:00:00Z', '2026-10-27 2026-11-02'],
  ])('%s counts calendar days in New York when clocks change: at %s', (period, now, days) => {
    expect(daysOf(period, 'America/New_York', now)).toBe(days);
  });
});

describe('over the protocol', async () => {
  const tracker = await startForeignTracker(plainAnswers);
  const { data } = await connect({
    url: tracker.url,
    timeZone: 'America/New_York',
    now: () => new Date('2026-06-10T02:00:00Z'),
  });

  const ask = async (name: string, given: Readonly<Record<string, unknown>>) => {
    const { query } = await data<{ query: Record<string, unknown> }>(name, given);
    const sent = Object.fromEntries(tracker.taken()[0]?.parameters ?? []);
    return { query, sent };
  };

  it('uses the configured zone, sends dates, and repeats them in the answer', async () => {
    for (const name of ['get_stats', 'list_conversions', 'list_visitors']) {
      const { query, sent } = await ask(name, { campaign_id: 4, period: 'today' });
      expect(sent).toMatchObject({ start: '2026-06-09', end: '2026-06-09' });
      expect(query).toMatchObject({
        ...{ period: 'today', start_date: '2026-06-09', end_date: '2026-06-09', timezone: 'America/New_York' },
      });
    }
  });

  it('uses the zone of the call if it names one', async () => {
    const { query, sent } = await ask('get_stats', { campaign_id: 4, period: 'today', timezone: 'Asia/Tokyo' });
    expect(sent).toMatchObject({ start: '2026-06-10', end: '2026-06-10', timezone: 'Asia/Tokyo' });
    expect(query).toMatchObject({ start_date: '2026-06-10', timezone: 'Asia/Tokyo' });
  });

  it('sends no zone to the tracker unless the call names one', async () => {
    const { query, sent } = await ask('get_stats', { campaign_id: 4, period: 'yesterday' });
    expect(query).toMatchObject({ timezone: 'America/New_York' });
    expect(sent).not.toHaveProperty('timezone');
  });

  it('sends no dates without a period or dates, so that the tracker uses its current day', async () => {
    const { query, sent } = await ask('get_stats', { campaign_id: 4 });
    expect(Object.keys(sent)).toEqual(['key', 'format', 'camp']);
    expect(query).not.toHaveProperty('start_date');
  });

  it('a past end without a start gets a notice', async () => {
    const { notices } = await data<{ notices: string[] }>('list_visitors', { end_date: '2026-06-01' });
    expect(notices.join()).toContain('give start_date too');
  });
});

describe('a day alone, asked of a tool that reads visits', async () => {
  const box = await startSandbox({ file: await copySampleData(), now: () => sampleNow });
  closeAfterTests(() => box.close());
  /** Answers number the tables for query_report, and a review knows what it found before: each call has its own server. */
  const ask = async (tool: string, given: object) => {
    const { data } = await connect({ url: box.url, apiKey: box.apiKey, now: () => sampleNow, timeoutMs: 60_000 });
    return data<{ query: object }>(tool, { ...given });
  };
  const last = sampleNow.toISOString().slice(0, 10);
  const first = shiftDays(last, -5);
  const tools: [string, object][] = [
    ['get_breakdown', { by: ['country'], campaign_id: 1 }],
    ['get_breakdown', { by: ['day'], campaign_id: 1 }],
    ['get_overview', {}],
    ['compare_pages', { campaign_id: 1, kind: 'offer' }],
    ['review_account', { campaign_ids: [1] }],
    ['check_tracking', { campaign_id: 1 }],
    ['explain_change', { campaign_id: 1 }],
  ];

  it.each(tools)('is a start until today: %s %j', async (tool, given) => {
    const said = await ask(tool, { ...given, start_date: first });
    expect(said).toEqual(await ask(tool, { ...given, start_date: first, end_date: last }));
    expect(said.query).toMatchObject({ start_date: first, end_date: last });
  });

  it.each(tools)('is the whole span if it is the end: %s %j', async (tool, given) => {
    const said = await ask(tool, { ...given, end_date: first });
    expect(said).toEqual(await ask(tool, { ...given, start_date: first, end_date: first }));
  });
});
