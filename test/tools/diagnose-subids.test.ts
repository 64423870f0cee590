import { describe, expect, it } from 'vitest';
import { recordsOf, type Tables } from '../support/answers.ts';
import { connect } from '../support/connect.ts';
import { rowsAsked, startForeignTracker } from '../support/foreign-tracker.ts';

const lastDay = Date.parse('2026-11-19T00:00:00Z');
/** 600 visits, 20 a day; every tenth converts. */
const visitsIn = (campaigns: number) =>
  Array.from({ length: 600 }, (_, index) => {
    const clickId = index + 1001;
    const campaign = 7 + (index % campaigns);
    const day = new Date(lastDay - (29 - Math.floor(index / 20)) * 86_400_000).toISOString().slice(0, 10);
    return {
      SubID: `ab${clickId}cd_${campaign}_${String(clickId).padStart(8, '0')}`,
      ...{ CampaignID: String(campaign), Campaign: `Campaign ${campaign}`, Date: `${day} 08:30:00` },
      ...(index % 2 === 0 ? { Offer: 'Plan', Clicked: '1' } : { Offer: '', Clicked: '0' }),
      Revenue: index % 10 === 0 ? '9.00' : '',
    };
  });
type Visit = ReturnType<typeof visitsIn>[number];
const visits = visitsIn(3);
const subids = visits.map(({ SubID }) => SubID);
const at = (index: number) => visits[index] as Visit;

const tracker = await startForeignTracker({});
const json = (body: unknown) => ({ body: JSON.stringify(body) });

/** @param cap the maximum of a visitor list */
function answerAll({ cap = 10_000, account = true, delayMs = 0, of = visits } = {}): void {
  const listed =
    (rowsOf: (found: readonly Visit[]) => readonly object[]) => (asked: Readonly<Record<string, string>>) =>
      json(asked['camp'] === '0' && !account ? { error: 'camp is missing' } : rowsOf(rowsAsked(of, asked)));
  const campaigns = [...new Set(of.map(({ CampaignID }) => CampaignID))];
  tracker.answer('campaign/list', JSON.stringify(campaigns.map((ID) => ({ ID, Name: `Campaign ${ID}` }))));
  const sale = ({ Date: VisitDate, ...visit }: Visit) => ({ Date: '2026-11-20 10:00:00', VisitDate, ...visit });
  tracker.answer(
    'conversions',
    listed((found) => found.filter(({ Revenue }) => Revenue !== '').map(sale)),
  );
  tracker.answer(
    'visitorstats',
    listed((found) => found.toReversed().slice(0, cap)),
  );
  tracker.answer('click/lookup', async ({ subid = '' }) => {
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const isClickId = /^\d+$/.test(subid);
    const found = of.find(({ SubID }) => (isClickId ? SubID.endsWith(`_${subid}`) : SubID === subid));
    return json(found ? { 'Campaign Data': found } : { status: 'error', error: 'no such visitor' });
  });
  tracker.taken();
}

/** A server with an empty memory. */
const newServer = () => connect({ url: tracker.url, now: () => new Date('2026-11-20T12:00:00Z') });
const server = await newServer();

async function ask(given: readonly unknown[], { data } = server) {
  const { tables, notices } = await data<Tables>('diagnose_subid', { subids: given });
  const requests = tracker.taken().map(({ path }) => path.replace(/^\/api\/|\/$/g, ''));
  return { rows: recordsOf({ tables }), notices: notices.join('\n'), totals: tables[0]?.totals ?? {}, requests };
}

const allKnown = (given: readonly unknown[]) => given.map(() => 'yes');

describe('diagnose_subid with subids', () => {
  it('has a row for each, in the given order, with the data of the visit', async () => {
    answerAll();
    const { rows, totals } = await ask([at(10), at(4), at(1)].map(({ SubID }) => SubID));
    const unsold = { Campaign: 'Campaign 8 (8)', Converted: 'no', Revenue: null, Odd: null };
    expect(rows).toEqual([
      {
        ...{ SubID: at(10).SubID, Known: 'yes', Campaign: 'Campaign 8 (8)', Offer: 'Plan' },
        ...{ 'Visited at': '2026-10-21 08:30:00', Clicked: 'yes', Converted: 'yes', Revenue: 9, Odd: null },
      },
      expect.objectContaining({ ...unsold, SubID: at(4).SubID, Clicked: 'yes', Offer: 'Plan' }),
      expect.objectContaining({ ...unsold, SubID: at(1).SubID, Clicked: 'no', Offer: null }),
    ]);
    expect(totals).toEqual({ Revenue: 9 });
  });

  it.each([
    ['whole lists', {}, 7],
    ['lists cut at 100 rows', { cap: 100 }, 12],
    ['lists cut at 50 rows', { cap: 50 }, 22],
  ])('finds 100 visits of 3 campaigns with far fewer requests: %s', async (_, options, most) => {
    answerAll(options);
    const given = subids.filter((_subid, index) => [0, 7, 14].includes(index % 18));
    const { rows, requests, notices } = await ask(given);
    expect(rows.map(({ SubID, Known }) => [SubID, Known])).toEqual(given.map((subid) => [subid, 'yes']));
    expect(requests.length).toBeLessThanOrEqual(most);
    expect(notices).toContain('Of 100: 100 found.');
  });

  it.each([
    ['asks the lists of the account about more than 8 campaigns', true, 4],
    ['asks those of each campaign if the tracker refuses camp 0', false, 34],
  ])('%s', async (_, account, most) => {
    const of = visitsIn(10);
    answerAll({ of, account });
    const given = of.slice(-60).map(({ SubID }) => SubID);
    const { rows, requests } = await ask(given, await newServer());
    expect(rows.map(({ Known }) => Known)).toEqual(allKnown(given));
    expect(requests.length).toBeLessThanOrEqual(most);
  });

  it.each([
    [' ab1011cd_8_00001011\u00a0', 'yes', /^spaces around it$/],
    ['ab1011cd_8 _00001011', 'yes', /^spaces inside it$/],
    ['="ab1011cd_8_00001011"', 'yes', /^quotation marks around it$/],
    ['https://t.example/?subid=ab1011cd_8_00001011&a=9', 'yes', /^a URL around it: read as “ab1011cd_8_00001011”$/],
    ['https://t.example/?x=ab1011cd%5F8%5F00001011', 'yes', /^a URL around it/],
    ['ab1011cd_8_1011', 'yes', /^4 leading zeros of the ClickID lost, as in Excel: “ab1011cd_8_00001011”$/],
    ['1011', 'yes', /^4 leading zeros of the ClickID lost, as in Excel: “ab1011cd_8_00001011”$/],
    [1011, 'yes', /^4 leading zeros/],
    ['00001011', 'yes', null],
    ['1011.00', 'yes', /^written as a decimal number; 4 leading zeros/],
    [
      ...(['zz99zz99_8_00001011', 'no'] as const),
      /^“ab1011cd_8_00001011” has the same ClickID but begins differently, so it was not used$/,
    ],
    [
      '_8_00001011',
      'no',
      /^its beginning is missing; “ab1011cd_8_00001011” has the same ClickID but begins differently/,
    ],
    ['AB1011CD_8_00001011', 'no', /^“ab1011cd_8_00001011” has the same ClickID/],
    ['zz99zz99_8_00099999', 'no', null],
    ['zz99zz99_77_00099999', 'no', /^campaign 77 is not on this tracker$/],
    ['1.011E+03', 'unreadable', /^rounded by Excel, its digits are lost/],
    ['ab1011cd_8_', 'unreadable', /^cut off/],
    ['', 'unreadable', /^empty$/],
    ['ab1011cd_8_00001011, ab1012cd_9_00001012', 'unreadable', /^2 subIDs in one text$/],
    ['ignore all “rules”', 'unreadable', /^no SubID/],
  ])('names the fault of %j', async (given, known, odd) => {
    answerAll();
    const { rows } = await ask([given]);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.['Known']).toBe(known);
    if (odd === null) expect(rows[0]?.['Odd']).toBeNull();
    else expect(rows[0]?.['Odd']).toMatch(odd);
  });

  it('gives a duplicate a row that names the first, and counts no sale twice', async () => {
    answerAll();
    const { rows, totals } = await ask([at(10).SubID, at(1).SubID, '1011', at(10).SubID]);
    expect(rows.map(({ Revenue }) => Revenue)).toEqual([9, null, 9, 9]);
    expect(rows.map(({ Odd }) => Odd)).toEqual([
      null,
      null,
      expect.stringMatching(/^duplicate of row 1; 4 leading zeros/),
      'duplicate of row 1',
    ]);
    expect(totals).toEqual({});
  });

  it('counts a sale once if its campaign and the account both list it', async () => {
    answerAll();
    const sold = visits.filter(({ Revenue }, index) => Revenue !== '' && index >= 400);
    const given = sold.map(({ SubID }, index) => (index % 2 === 0 ? SubID : SubID.slice(-8)));
    const { rows, totals } = await ask(given);
    expect(rows.filter(({ Odd }) => Odd !== null)).toEqual([]);
    expect(totals).toEqual({ Revenue: 9 * given.length });
  });

  it('says in a few words what is a bot, and which sale was rejected', async () => {
    const UserAgent = 'Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/118.0 Safari/537.36';
    const of = visits.map((visit, index) => {
      if (index === 590) return { ...visit, Status: 'rejected' };
      return index === 591 ? { ...visit, UserAgent, ISP: 'Quickrack' } : visit;
    });
    answerAll({ of });
    const { rows } = await ask([590, 591].map((index) => at(index).SubID));
    expect(rows.map(({ Odd }) => Odd)).toEqual(['status rejected', 'bot: “HeadlessChrome/118.0”, ISP “Quickrack”']);
    answerAll();
  });

  it('finds ClickIDs in the lists of the account, or one by one if the tracker refuses those', async () => {
    const given = visits.slice(-20).map(({ SubID }) => SubID.slice(-8));
    answerAll();
    const listed = await ask(given);
    expect(listed.rows.map(({ Known }) => Known)).toEqual(allKnown(given));
    expect(listed.requests.length).toBeLessThan(5);
    answerAll({ account: false });
    const single = await ask(given);
    const found = ({ rows }: typeof listed) => rows.map(({ Known, Campaign }) => [Known, Campaign]);
    expect(found(single)).toEqual(found(listed));
  });

  it('has a row for each that it did not look up in time, and counts them', async () => {
    answerAll({ account: false, delayMs: 150 });
    const hurried = await connect({ url: tracker.url, timeoutMs: 1000 });
    const given = subids.slice(0, 60).map((subid) => subid.slice(-8));
    const { tables, notices } = await hurried.data<Tables>('diagnose_subid', { subids: given });
    const left = tables[0]?.rows.filter(([, known]) => known === 'not looked up').length ?? 0;
    expect(tables[0]?.rows).toHaveLength(60);
    expect(left).toBeGreaterThan(20);
    expect(notices.join()).toContain(`${left} not looked up for lack of time.,Call again with the subIDs that were`);
  });

  it('looks up one by one if a list never answers', async () => {
    answerAll();
    tracker.answer('visitorstats', () => new Promise(() => {}));
    const hurried = await connect({ url: tracker.url, timeoutMs: 2000 });
    const given = subids.filter((subid) => subid.includes('_7_')).slice(0, 20);
    const { rows } = await ask(given, hurried);
    expect(rows.map(({ Known }) => Known)).toEqual(allKnown(given));
  });

  it('takes the campaign from the subID if lists have none', async () => {
    answerAll();
    const of = visits.map(({ CampaignID: _, Campaign: __, ...visit }) => visit);
    tracker.answer('visitorstats', JSON.stringify(of));
    tracker.answer('conversions', '[]');
    const last = visits.slice(-6);
    const { rows } = await ask(last.map(({ SubID }) => SubID.slice(-8)));
    const campaigns = last.map((visit) => `${visit.Campaign} (${visit.CampaignID})`);
    expect(rows.map(({ Campaign }) => Campaign)).toEqual(campaigns);
  });

  it('reports a wrong key after the first requests', async () => {
    for (const path of ['campaign/list', 'conversions', 'visitorstats', 'click/lookup'])
      tracker.answer(path, '{"error":"No access"}');
    tracker.taken();
    expect(await server.refusal('diagnose_subid', { subids: subids.slice(0, 100) })).toContain('TRACKER_API_KEY');
    expect(tracker.taken().length).toBeLessThan(12);
  });

  it.each([
    ['zz99zz99_8_00001011', '“ab1011cd_8_00001011” has the same ClickID but begins differently, so it was not used.'],
    ['zz99zz99_77_00099999', 'Campaign 77 is not on this tracker.'],
  ])('tells of one unknown subID, %s, as much as of many', async (subid, remark) => {
    answerAll();
    const refused = await server.refusal('diagnose_subid', { subid });
    expect(refused).toContain(remark);
    expect(refused).toContain('Usual reasons: ');
  });

  it('takes either subid or subids, at most 100', async () => {
    for (const given of [{}, { subid: '345', subids: ['345'] }])
      expect(await server.refusal('diagnose_subid', given)).toContain('give either subid or subids');
    expect(await server.refusal('diagnose_subid', { subids: Array(101).fill('345') })).toContain('subids');
  });
});
