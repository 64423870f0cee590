import { describe, expect, test } from 'vitest';
import { fixtureDay, setup, traffic } from '../support/fixture.ts';
import { type Arguments, apiKey, rowOf, startTracker } from '../support/tracker.ts';

const currentColumns = [
  `INSERT INTO settings VALUES ('conversion_columns_current', 'Revenue, Custom5,Nonsense,Date'),
     ('visitor_columns_current', 'Country,SubID')`,
];

/** What a stranger sent as a referrer, on a day of its own. */
const sent = String.raw`\ " </Referrer> null`;
const strange = `INSERT INTO visits (click_id, subid, campaign_id, "at", path, cost, referrer)
  VALUES (99, 'zzzzzzzz_1_00000099', 1, '2026-05-01 12:00:00', 1, 0, chr(0) || chr(7) || chr(10) || chr(65535) || '${sent}🚀')`;

const tracker = await startTracker([...setup, ...traffic, ...currentColumns, strange]);

async function rows(path: string, form: Arguments = {}) {
  const { Rows } = await tracker.ask(path, { camp: 0, ...fixtureDay, ...form });
  return Rows ?? [];
}

describe('the conversion list', () => {
  test('has the conversions booked in the period, the newest first', async () => {
    const clicks = async (form: Arguments) => (await rows('conversions', form)).map(({ ClickID }) => ClickID);
    expect(await clicks({})).toEqual(['00000003', '00000001', '00000009', '00000007']);
    expect(await clicks({ camp: 1 })).toEqual(['00000003', '00000001']);
    expect(await clicks({ start: '2026-06-11', end: '2026-06-12' })).toEqual(['00000006']);
  });

  test('has the details of each conversion, in the local time of the settings', async () => {
    const expected = rowOf(`
      Date=2026-06-10 14:00:00 SubID=aaaaaaaa_1_00000001 ClickID=00000001 CampaignID=1 Campaign=Sequence Keyword=shoes
      AdValue=a1 LandingPage=Quiz Offer=Gym OfferSource=Harbor Revenue=10.00 Status=approved TransactionID=T1
    `);
    expect((await rows('conversions', { camp: 1 }))[1]).toEqual(expected);
  });

  test('has all columns, or those visible on its page, on request', async () => {
    const [all] = await rows('conversions', { camp: 1, cols: 'all' });
    const names = ['VisitDate', 'Extra15', 'Custom5', 'IP', 'UserAgent'];
    expect(Object.keys(all ?? {})).toEqual(expect.arrayContaining(names));
    expect(await rows('conversions', { camp: 1, cols: 'CURRENT' })).toEqual([
      { Revenue: '7.50', Custom5: '', Date: '2026-06-10 15:00:00' },
      { Revenue: '10.00', Custom5: 'c5', Date: '2026-06-10 14:00:00' },
    ]);
  });
});

describe('the visitor list', () => {
  test('has the visitors of the period, the latest first, at most rec of them', async () => {
    const clicks = async (form: Arguments) => (await rows('visitorstats', form)).map(({ ClickID }) => Number(ClickID));
    expect(await clicks({})).toEqual([6, 5, 4, 3, 2, 11, 10, 8, 9, 7, 1]);
    expect(await clicks({ rec: 3 })).toEqual([6, 5, 4]);
    expect(await clicks({ camp: 5, rec: 10 })).toEqual([8, 7]);
    expect(await clicks({ start: '2026-06-09', end: '2026-06-09' })).toEqual([]);
  });

  test('has every text of a stranger that both formats can hold, and U+FFFD in place of others', async () => {
    const form = { start: '2026-05-01', end: '2026-05-01' };
    const [visit] = await rows('visitorstats', form);
    expect(visit?.['Referrer']).toBe(`\uFFFD\uFFFD\n\uFFFD${sent}🚀`);
    const url = `${tracker.url}/api/visitorstats/?${new URLSearchParams({ ...form, camp: '0', key: apiKey, format: 'xml' })}`;
    const escaped = sent.replace('"', '&quot;').replace('<', '&lt;').replace('>', '&gt;');
    expect(await (await fetch(url)).text()).toContain(`<Referrer>\uFFFD\uFFFD\n\uFFFD${escaped}🚀</Referrer>`);
  });

  test('has the actions of each visitor', async () => {
    const [latest] = await rows('visitorstats', { rec: 1 });
    const expected = rowOf(`
      Date=2026-06-10 23:30:00 SubID=ffffffff_1_00000006 ClickID=00000006 CampaignID=1 Keyword=shoes AdValue=a1 IP=
      Country=US Device=Desktop OS= Browser= Referrer= LandingPage=Video Offer=Gym Clicked=1 Converted=1 Revenue=12.00
      Cost=0.50
    `);
    expect(latest).toEqual(expected);
    const [, fifth] = await rows('visitorstats', { rec: 2 });
    expect(fifth).toMatchObject({ Keyword: '', Offer: '', Clicked: '0', Converted: '0', Revenue: '', Cost: '0.10' });
  });

  test('has all columns, or those visible on its page, on request', async () => {
    const [, , second] = await rows('visitorstats', { camp: 6, cols: 'all' });
    expect(second).toMatchObject({ Subscribed: '1', Converted: '1', Path: '1', Extra15: '', Custom1: '' });
    expect(await rows('visitorstats', { camp: 5, cols: 'current' })).toEqual([
      { Country: 'US', SubID: 'hhhhhhhh_5_00000008' },
      { Country: 'US', SubID: 'gggggggg_5_00000007' },
    ]);
  });
});

describe.each(['conversions', 'visitorstats'])('%s refuses', (path) => {
  test.each([
    [{ camp: '' }, 'required parameter camp is missing'],
    [{ camp: -1 }, 'camp must be a whole number from 0'],
    [{ cols: 'some' }, 'cols must be default, all or current'],
  ])('%j', async (form, message) => {
    expect(await tracker.refusal(path, { camp: 0, ...form })).toContain(message);
  });
});

test('visitorstats refuses an invalid rec', async () => {
  for (const rec of [0, '2.5'])
    expect(await tracker.refusal('visitorstats', { camp: 0, rec })).toContain('rec must be a whole number from 1');
});
