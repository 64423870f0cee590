import { describe, expect, it } from 'vitest';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { connect } from '../../support/connect.ts';
import { listRows, startForeignTracker } from '../../support/foreign-tracker.ts';

const now = () => new Date('2026-11-16T10:00:00Z');
const dayOf = (index: number) => new Date(Date.UTC(2026, 9, 20 + index)).toISOString().slice(0, 10);

/** Eight sales per visit day over four weeks, a quarter of them booked after 0, 1, 2 and 3 days each. */
const sales = Array.from({ length: 28 * 8 }, (_, index) => ({ day: index % 28, late: (index >> 3) % 4 }))
  .filter(({ day, late }) => dayOf(day + late) <= '2026-11-16')
  .map(({ day, late }) => ({
    SubID: `a_1_${day}${late}`,
    CampaignID: '1',
    Date: `${dayOf(day + late)} 12:00:00`,
    VisitDate: `${dayOf(day)} 12:00:00`,
    Revenue: '3',
  }));

const refused = { status: 400, body: '{"Status":"Error","Message":"not here"}' };
const withDates = JSON.stringify(sales);
const withOneDate = JSON.stringify(sales.map(({ VisitDate: _, ...sale }) => sale));

async function ask(tool: string, given: object, conversions: string | undefined) {
  const visits = Array.from({ length: 28 }, (_, index) => dayOf(index))
    .reverse()
    .map((day) => ({ Date: `${day} 10:00:00`, CampaignID: '1', Country: 'DE' }));
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify([{ ID: '1', Name: 'Push' }]),
    stats: '[{"Views":"9","Clicks":"4","Conversions":"2","Cost":"1.00","Revenue":"6.00"}]',
    visitorstats: listRows(visits),
    // The default columns have one date, as in the embedded tracker.
    conversions: ({ cols }) =>
      conversions === undefined ? refused : { body: cols === 'all' ? conversions : withOneDate },
  });
  const { data } = await connect({ url: tracker.url, now });
  const { notices, tables } = await data<PresentedTables>(tool, { ...given });
  const requests = tracker.taken().filter(({ path }) => path === '/api/conversions/').length;
  const warnings = notices.filter((notice) => notice.startsWith('Sales come late'));
  return { warnings, rows: tables[0]?.rows.length, requests };
}

const whole =
  /^Sales come late: about [567] more sales \([123] to (?:9|1[012])\) of these days’ visits are still to come, worth 1\d\.\d\d; (?:89|9[012])% \(\d+ to \d+%\) are in\.$/;
const byDay =
  /^Sales come late\. About [567] more sales \([123] to (?:9|1[012])\) .* still to come, worth 1\d\.\d\d\. In by day of the visit: 2026-11-14 7\d% \(\d+ to \d+%\), 2026-11-15 5\d% \(\d+ to \d+%\)\.$/;
const week = { start_date: '2026-11-09', end_date: '2026-11-15' };

describe('late sales', () => {
  it.each<[string, object, RegExp]>([
    ['get_overview', week, whole],
    ['get_breakdown', { ...week, campaign_id: 1, by: ['day'] }, byDay],
    ['get_breakdown', { ...week, by: ['day'] }, byDay],
    ['get_breakdown', { ...week, campaign_id: 1, by: ['country'] }, whole],
  ])('are announced by %s of %o, at the cost of one request', async (tool, given, words) => {
    const warnings = [expect.stringMatching(words)];
    expect(await ask(tool, given, withDates)).toMatchObject({ warnings, requests: 1 });
  });

  it.each([
    ['one date', withOneDate, week, 1],
    ['no sales', '[]', week, 1],
    ['no list of them', undefined, week, 1],
    ['days long ago', withDates, { start_date: '2026-10-20', end_date: '2026-10-26' }, 0],
  ])('of a tracker with %s are not announced, and nothing fails', async (_, conversions, days, requests) => {
    const quiet = { warnings: [], rows: 1 };
    // An overview reads the list for the statuses of sales, too.
    expect(await ask('get_overview', days, conversions)).toEqual({ ...quiet, requests: 1 });
    expect(await ask('get_breakdown', { ...days, by: ['country'] }, conversions)).toEqual({ ...quiet, requests });
  });

  it('that are still to come are the same in all answers, and of the network that rests on weekends', async () => {
    const monday = Date.parse('2026-11-16T07:00:00Z');
    const hourMs = 3_600_000;
    const timeOf = (moment: number) => new Date(moment).toISOString().slice(0, 19).replace('T', ' ');
    // A sale every second hour in each of two campaigns, all of a weekend booked on Monday at 8.
    const bookedAt = (moment: number) => {
      const opening = monday + hourMs;
      const weeksAgo = Math.ceil((opening - moment) / (7 * 24 * hourMs)) - 1;
      const next = opening - weeksAgo * 7 * 24 * hourMs;
      return next - moment <= 62 * hourMs ? next : moment;
    };
    const listed = [1, 2].flatMap((campaign) =>
      Array.from({ length: 20 * 24 }, (_, index) => monday - (2 * index + campaign) * hourMs).map((visited) => ({
        ...{ SubID: `a_${campaign}_${visited}`, CampaignID: `${campaign}`, Revenue: '3' },
        ...{ Date: timeOf(bookedAt(visited + hourMs)), VisitDate: timeOf(visited), at: bookedAt(visited + hourMs) },
      })),
    );
    const known = listed.filter(({ at }) => at <= monday).map(({ at: _, ...sale }) => sale);
    const days = Array.from({ length: 28 }, (_, index) => dayOf(index)).reverse();
    const visits = days.flatMap((day) =>
      ['1', '2'].map((CampaignID) => ({
        ...{ Date: `${day} 05:00:00`, CampaignID, LandingPage: 'Quiz', Country: 'DE' },
        ...{ Clicked: '1', Converted: '1', Revenue: '3', Cost: '1' },
      })),
    );
    const tracker = await startForeignTracker({
      'campaign/list': '[{"ID":"1","Name":"Push"},{"ID":"2","Name":"Search"}]',
      stats: '[{"Views":"9","Clicks":"4","Conversions":"2","Cost":"1.00","Revenue":"6.00"}]',
      visitorstats: listRows(visits),
      conversions: JSON.stringify(known),
    });
    const { data } = await connect({ url: tracker.url, now: () => new Date(monday) });
    const toldBy = async (tool: string, given: object) => {
      const { notices } = await data<{ readonly notices: readonly string[] }>(tool, { ...given });
      const said = notices.find((notice) => notice.startsWith('Sales come late')) ?? '';
      return /[Aa]bout (\d+) more sales \((\d+) to (\d+)\).*worth (\d+\.\d+)/.exec(said)?.slice(1).map(Number) ?? [];
    };
    const span = { start_date: '2026-11-13', end_date: '2026-11-15' };
    const overview = await toldBy('get_overview', span);
    const [count = 0, low = 0, high = 0, revenue = 0] = overview;
    // From Friday at 17 to the end of Sunday there are 55 hours, with half a sale each in both campaigns.
    expect(count).toBeGreaterThan(50);
    expect(count).toBeLessThan(60);
    expect(low).toBeLessThan(55);
    expect(high).toBeGreaterThan(55);
    expect(revenue).toBeCloseTo(count * 3, -1);
    expect(await toldBy('get_breakdown', { ...span, by: ['country'] })).toEqual(overview);
    expect(await toldBy('get_breakdown', { ...span, by: ['day'] })).toEqual(overview);
    expect(await toldBy('explain_change', span)).toEqual(overview);
    const [ofOne = 0, ...range] = await toldBy('get_overview', { ...span, campaign_ids: [1] });
    expect(Math.abs(2 * ofOne - count)).toBeLessThan(5);
    expect(await toldBy('get_breakdown', { ...span, campaign_id: 1, by: ['day'] })).toEqual([ofOne, ...range]);
    expect(await toldBy('explain_change', { ...span, campaign_id: 1 })).toEqual([ofOne, ...range]);
  });

  it('of the network, offer or campaign that lacks most of them are named with their own part, in all answers', async () => {
    // Sixty quick sales a day, and four of a network that reports after four days.
    const offers = [
      { CampaignID: '1', Campaign: 'Push', Offer: 'Fit', OfferSource: 'Harbor', perDay: 60, late: 0 },
      { CampaignID: '2', Campaign: 'Pop', Offer: 'Loan', OfferSource: 'Meridian', perDay: 4, late: 4 },
    ];
    const days = Array.from({ length: 28 }, (_, index) => index);
    const known = offers.flatMap(({ perDay, late, ...offer }) =>
      days
        .filter((day) => dayOf(day + late) <= '2026-11-16')
        .flatMap((day) =>
          Array.from({ length: perDay }, (_, index) => ({
            ...{ SubID: `a_${offer.CampaignID}_${day}_${index}`, ...offer, Revenue: '3' },
            ...{ Date: `${dayOf(day + late)} 09:00:00`, VisitDate: `${dayOf(day)} 08:00:00` },
          })),
        ),
    );
    const visits = days.toReversed().flatMap((day) =>
      offers.flatMap(({ perDay: _, late: __, ...offer }) =>
        Array.from({ length: 40 }, () => ({
          ...{ Date: `${dayOf(day)} 08:00:00`, ...offer, Country: 'DE', LandingPage: 'Quiz' },
          ...{ Clicked: '1', Converted: '0', Revenue: '0', Cost: '1' },
        })),
      ),
    );
    const sums = { Views: '120', Clicks: '120', Cost: '9.00' };
    const tracker = await startForeignTracker({
      'campaign/list':
        '[{"ID":"1","Name":"Push","TrafficSource":"Kiosk"},{"ID":"2","Name":"Pop","TrafficSource":"Lighthouse"}]',
      stats: ({ camp, report = '' }) => {
        const own = offers.filter(({ CampaignID }) => CampaignID === camp);
        const offer = own.map(({ Offer, CampaignID }) => ({
          PageID: CampaignID,
          Name: Offer,
          Conversions: '0',
          ...sums,
          Revenue: '0',
        }));
        const campaign = [{ ...sums, Conversions: '0', Revenue: '0' }];
        return { body: JSON.stringify(report.includes('offer') ? { campaign, offer } : { campaign }) };
      },
      visitorstats: listRows(visits),
      conversions: JSON.stringify(known),
    });
    const { data } = await connect({ url: tracker.url, now });
    const span = { start_date: '2026-11-13', end_date: '2026-11-15' };
    for (const [tool, given, named] of [
      ['get_overview', { by: 'network' }, 'network Meridian'],
      ['get_overview', { by: 'offer' }, 'offer Loan'],
      ['get_overview', { by: 'page' }, 'campaign Pop'],
      ['get_overview', { by: 'campaign' }, 'campaign Pop'],
      ['get_overview', { by: 'traffic_source' }, 'traffic source Lighthouse'],
      ['get_breakdown', { by: ['network'] }, 'network Meridian'],
      ['get_breakdown', { by: ['offer'] }, 'offer Loan'],
      ['get_breakdown', { by: ['campaign'] }, 'campaign 2'],
      ['get_breakdown', { by: ['country'] }, 'network Meridian'],
      ['get_breakdown', { by: ['day'] }, 'network Meridian'],
      ['explain_change', {}, 'network Meridian'],
    ] as const) {
      const { notices } = await data<{ readonly notices: readonly string[] }>(tool, { ...span, ...given });
      const said = notices.find((notice) => notice.startsWith('Sales come late'));
      expect(said, `${tool} ${JSON.stringify(given)}`).toMatch(
        new RegExp(`bout (?:9|1\\d) more sales .* Least in: ${named} 0% \\((?:9|1\\d) to come\\)\\.$`),
      );
    }
    // Nothing is named where all is alike.
    const ofOne = await data<PresentedTables>('get_overview', { ...span, by: 'network', campaign_ids: [2] });
    expect(ofOne.notices.join(' ')).toMatch(/Sales come late: about (?:9|1\d) more sales [^;]*; none is in\./);
    expect(ofOne.notices.join(' ')).not.toContain('Least in');
    // A part that is late is told also where next to all sales of the account are in.
    const month = await data<PresentedTables>('get_overview', {
      start_date: '2026-10-20',
      end_date: '2026-11-14',
      by: 'network',
    });
    expect(month.notices.join(' ')).not.toContain('Sales come late');
    const complete = await data<PresentedTables>('get_overview', {
      start_date: '2026-11-10',
      end_date: '2026-11-14',
      by: 'network',
    });
    expect(complete.notices.join(' ')).toMatch(/about [678] more sales .* 98% .* are in\. Least in: network Meridian/);
  });

  it.each(['visits', 'clicks'])('are fewer where the %s fell, whichever tool has read them', async (fallen) => {
    const fellOn = '2026-11-13';
    const isFew = (day: string, index: number) => day >= fellOn && index % 2 > 0;
    const days = Array.from({ length: 28 }, (_, index) => dayOf(index));
    const clicksOn = (day: string) => (day >= fellOn ? 100 : 200);
    const visitsOn = (day: string) => (fallen === 'visits' ? clicksOn(day) : 200);
    const known = sales.filter(({ VisitDate }, index) => !isFew(VisitDate.slice(0, 10), index >> 3));
    const listed = days.toReversed().flatMap((day) =>
      Array.from({ length: visitsOn(day) }, (_, index) => ({
        ...{
          SubID: `v${day}${index}`,
          Date: `${day} ${String(23 - (index % 24)).padStart(2, '0')}:00:00`,
          CampaignID: '1',
        },
        ...{ Country: 'DE', LandingPage: 'Quiz', Converted: '0', Revenue: '0', Cost: '1' },
        Clicked: (index * clicksOn(day)) % visitsOn(day) < clicksOn(day) ? '1' : '0',
      })),
    );
    // Of more campaigns, get_overview reads the visits as well.
    const campaigns = Array.from({ length: 41 }, (_, index) => ({ ID: String(index + 1), Name: `Push ${index + 1}` }));
    const tracker = await startForeignTracker({
      'campaign/list': JSON.stringify(campaigns),
      stats: ({ camp, start = '', end = '' }) => {
        if (camp !== '1') return { body: '[{"Views":"0","Clicks":"0","Conversions":"0","Cost":"0","Revenue":"0"}]' };
        const asked = days.filter((day) => day >= start && day <= end);
        const [Views, Clicks] = [visitsOn, clicksOn].map((on) => asked.reduce((all, day) => all + on(day), 0));
        return { body: JSON.stringify([{ Views, Clicks, Conversions: '2', Cost: Views, Revenue: '6.00' }]) };
      },
      visitorstats: listRows(listed),
      conversions: JSON.stringify(known),
    });
    const { data } = await connect({ url: tracker.url, now });
    for (const [tool, given] of [
      ['get_overview', week],
      ['get_breakdown', { ...week, by: ['country'] }],
      ['get_breakdown', { ...week, campaign_id: 1, by: ['country'] }],
      ['get_breakdown', { ...week, campaign_id: 1, by: ['day'] }],
      ['explain_change', week],
      ['explain_change', { ...week, campaign_id: 1 }],
    ] as const) {
      const { notices } = await data<{ readonly notices: readonly string[] }>(tool, { ...given });
      const said = notices.find((notice) => notice.startsWith('Sales come late'));
      // 100 clicks a day have 4 sales, of which 3 of these days are still to come.
      expect(said, `${tool} ${JSON.stringify(given)}`).toMatch(/[Aa]bout [34] more sales \([01] to [67]\)/);
    }
  });

  it('are known where the list has days without times, and of today up to now', async () => {
    const daysAlone = JSON.stringify(
      sales.map(({ Date: booked, VisitDate, ...sale }) => ({
        ...{ ...sale, Date: booked.slice(0, 10), VisitDate: VisitDate.slice(0, 10) },
      })),
    );
    const { warnings } = await ask('get_overview', { period: 'last_7_days' }, daysAlone);
    expect(warnings).toEqual([expect.stringMatching(/about \d+ more sales \(\d+ to \d+\) of these days’ visits/)]);
  });

  it('are asked for once more of a campaign if the list of all does not name campaigns', async () => {
    const unnamed = JSON.stringify(sales.map(({ CampaignID: _, ...sale }) => ({ ...sale, Campaign: 'Push' })));
    const warnings = [expect.stringMatching(whole)];
    const asked = await ask('get_breakdown', { ...week, campaign_id: 1, by: ['country'] }, unnamed);
    expect(asked).toMatchObject({ warnings, requests: 2 });
  });
});
