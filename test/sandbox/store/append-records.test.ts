import { afterAll, expect, test } from 'vitest';
import type { Visit } from '../../../src/sandbox/rotation/records.ts';
import { appendRecords } from '../../../src/sandbox/store/append-records.ts';
import { Database } from '../../../src/sandbox/store/database.ts';
import { visitTokens } from '../../../src/sandbox/store/schema.ts';
import { money, unknownOrigin } from '../traffic/fixtures.ts';

const database = await Database.open();
afterAll(() => database.close());

const noRecords = { visits: [], steps: [], subscribers: [], conversions: [] };
const at = Date.UTC(2026, 2, 8, 6, 59, 59, 999);

const eachSlot = Object.fromEntries(visitTokens.map(({ slot }) => [slot, slot]));

function makeVisit(clickId: number, rest: Partial<Visit> = {}): Visit {
  const ids = { clickId, subid: `abcd1234_7_${clickId}`, campaignId: 7 };
  return { ...ids, at, path: 2, tokens: {}, cost: money('0.123456'), origin: unknownOrigin, referrer: null, ...rest };
}

test('every field of a record is written to a separate column', async () => {
  const place = { ip: '192.0.2.1', country: 'US', region: 'Ohio', city: 'Columbus', isp: 'Network' };
  const equipment = { device: 'Mobile', os: 'Android', browser: 'Chrome' };
  const origin = { ...place, userAgent: 'Agent', ...equipment };
  const ids = { clickId: 1, campaignId: 7, at };
  const sale = { offerPage: 102, revenue: money('1234.5'), status: 'approved' };
  await database.transaction((writer) =>
    appendRecords(writer, {
      visits: [makeVisit(1, { tokens: eachSlot, origin, referrer: 'https://example.com/' })],
      steps: [{ ...ids, page: 101, fromPage: null }],
      subscribers: [{ ...ids, thankYouPage: 103 }],
      conversions: [{ ...ids, ...sale, transactionId: 'T1', custom: ['a', 'b', 'c', 'd', 'e'] }],
    }),
  );
  const [visit] = await database.query(`SELECT * EXCLUDE ("at"), epoch_ms("at") AS moment FROM visits`);
  const extras = Array.from({ length: 15 }, (_, index) => [`extra${index + 1}`, `Extra${index + 1}`]);
  expect(visit).toEqual({
    ...{ click_id: '1', subid: 'abcd1234_7_1', campaign_id: 7, path: 2, cost: '0.123456', moment: String(at) },
    ...{ keyword: 'Keyword', ad_value: 'AdValue', external_id: 'ExternalID', ...Object.fromEntries(extras) },
    ...{ ...place, ...equipment, user_agent: 'Agent', referrer: 'https://example.com/' },
  });
  const moment = { click_id: '1', campaign_id: 7, moment: String(at) };
  const read = (table: string) => database.query(`SELECT * EXCLUDE ("at"), epoch_ms("at") AS moment FROM ${table}`);
  expect(await read('steps')).toEqual([{ ...moment, page: 101, from_page: null }]);
  expect(await read('subscribers')).toEqual([{ ...moment, thank_you_page: 103 }]);
  expect(await read('conversions')).toEqual([
    {
      ...{ ...moment, offer_page: 102, revenue: '1234.500000', status: 'approved', transaction_id: 'T1' },
      ...{ custom1: 'a', custom2: 'b', custom3: 'c', custom4: 'd', custom5: 'e' },
    },
  ]);
});

test('strange and empty texts are written unchanged, chunk after chunk', async () => {
  const strange = ['', ' spaced ', '007', 'a\u0000b', '\u{1F468}\u200D\u{1F469}', "'; DROP TABLE visits"];
  const texts = [...strange, 'x'.repeat(70_000)];
  const visits = Array.from({ length: 2100 }, (_, index) => {
    const tokens = { Keyword: texts[index % 7] ?? '' };
    return makeVisit(1000 + index, { tokens, referrer: index % 3 ? `/${index}` : null });
  });
  await database.transaction((writer) => appendRecords(writer, { ...noRecords, visits }));
  const sql = 'SELECT keyword, referrer, extra1 FROM visits WHERE click_id >= 1000 ORDER BY click_id';
  const expected = visits.map(({ tokens, referrer }) => ({ keyword: tokens.Keyword, referrer, extra1: null }));
  expect(await database.query(sql)).toEqual(expected);
});

test('records appended in a failed transaction are not written', async () => {
  const failing = database.transaction(async (writer) => {
    await appendRecords(writer, { ...noRecords, visits: [makeVisit(999_999)] });
    throw new Error('stop');
  });
  await expect(failing).rejects.toThrow('stop');
  expect(await database.query('SELECT 1 FROM visits WHERE click_id = 999999')).toEqual([]);
});
