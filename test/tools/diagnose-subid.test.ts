import { describe, expect, it } from 'vitest';
import type { Diagnosis } from '../support/answers.ts';
import { connect, textOf } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

const subid = 'ab12cd34_7_00000345';
const campaign = { ID: '7', Name: 'Search', PassSubIdOffer: '0' };
const offers = [
  { Name: 'Plan', Path: '1', Share: '60', Inactive: '0', Views: '12', Conversions: '1', Revenue: '9' },
  { Name: 'Cover', Path: '2', Share: '100', Inactive: '1', Views: '0', Conversions: '0', Revenue: '0' },
];
const tracker = await startForeignTracker({
  conversions: '[]',
  'campaign/list': JSON.stringify([campaign]),
  stats: JSON.stringify({ offer: offers }),
});
const { call, data, refusal } = await connect({ url: tracker.url, now: () => new Date('2026-11-20T12:00:00Z') });

async function diagnose(lookup: object, conversions: readonly object[] = [], asked = subid): Promise<Diagnosis> {
  tracker.answer('click/lookup', JSON.stringify(lookup));
  tracker.answer('conversions', JSON.stringify({ Rows: conversions }));
  tracker.taken();
  return data<Diagnosis>('diagnose_subid', { subid: asked });
}

type Fields = Readonly<Record<string, unknown>>;
const visit = { CampaignID: '7', VisitDate: '2026-11-10 08:30:00', LandingPage: 'Quiz', TimeZone: 'Europe/Berlin' };
const click = { Clicked: '1', ClickDate: '2026-11-10 08:31:00', Offer: 'Plan' };
/** A visit without a recorded click. */
const arrived = (fields: Fields = {}) => ({ 'Campaign Data': { ...visit, ...fields } });
/** A visit that reached the offer. */
const clicked = (fields: Fields = {}) => arrived({ ...click, ...fields });
const happened = ({ steps }: Diagnosis) => Object.fromEntries(steps.map((step) => [step.step, step.happened]));

describe('diagnose_subid', () => {
  it('describes a converted visit in order, with times, zone and revenue', async () => {
    const sale = { SubID: subid, Date: '2026-11-12 09:00:00', Revenue: '$36.00', Status: 'approved' };
    const story = await diagnose(clicked(), [{ SubID: 'zz_7_00000999', Date: '2026-11-11', Revenue: '9' }, sale]);
    expect(story.steps).toEqual([
      { step: 'arrived', happened: 'yes', at: '2026-11-10 08:30:00', detail: 'Quiz' },
      { step: 'clicked', happened: 'yes', at: '2026-11-10 08:31:00', detail: null },
      { step: 'reached_offer', happened: 'yes', at: '2026-11-10 08:31:00', detail: 'Plan' },
      { step: 'converted', happened: 'yes', at: '2026-11-12 09:00:00', detail: 'revenue $36.00' },
    ]);
    expect(story.time_zone).toBe('Europe/Berlin');
    expect(story.conversions).toEqual([sale]);
    expect(story.explanations).toEqual([]);
  });

  it('refuses a lookup without a known field, and calls nothing in it unrecorded', async () => {
    tracker.answer('click/lookup', '{"Status":"OK","Groups":{"x:Geo":{"x:Country":"DE","x:Converted":"1"}}}');
    expect(await refusal('diagnose_subid', { subid })).toContain('in no field that is known');
  });

  it('says of a sale that it was rejected, or is pending', async () => {
    for (const Status of ['rejected', 'pending']) {
      const { steps } = await diagnose(clicked(), [{ SubID: subid, Date: '2026-11-12', Revenue: '0.00', Status }]);
      expect(steps.at(-1)?.detail).toBe(`revenue 0.00, status ${Status}`);
    }
  });

  const onLevels = (...levels: readonly number[]) =>
    JSON.stringify({ landing: levels.map((Level, index) => ({ PageID: index + 1, Name: `Page ${index}`, Level })) });

  it.each([
    ['several landing pages in a row', onLevels(1, 1, 2), 'The campaign has several levels: the click is on the first'],
    [
      'unknown landing pages',
      '{"error":"no report"}',
      'The campaign may have several levels: the click is on the first',
    ],
    ['landing pages of one level', onLevels(1, 1), undefined],
  ])('takes the click for the time at the offer only if there is one level: %s', async (_, stats, fact) => {
    tracker.answer('campaign/list', JSON.stringify([{ ...campaign, Type: 'Landing Page Sequence' }]));
    tracker.answer('click/lookup', JSON.stringify(clicked()));
    tracker.answer('stats', stats);
    const { data: ask } = await connect({ url: tracker.url });
    const story = await ask<Diagnosis>('diagnose_subid', { subid });
    tracker.answer('campaign/list', JSON.stringify([campaign]));
    tracker.answer('stats', JSON.stringify({ offer: offers }));
    const clickedAt = '2026-11-10 08:31:00';
    expect(story.steps[1]).toMatchObject({ step: 'clicked', at: clickedAt });
    expect(story.steps[2]).toMatchObject({ step: 'reached_offer', happened: 'yes', at: fact ? null : clickedAt });
    expect(story.facts.find((known) => known.includes('several levels'))?.startsWith(fact ?? '')).toBe(
      fact === undefined ? undefined : true,
    );
  });

  it('searches the campaign’s conversions from the day of the visit until now', async () => {
    const { searched } = await diagnose(clicked());
    expect(searched).toBe('conversions of campaign 7, 2026-11-10 to 2026-11-21');
    const sent = Object.fromEntries(tracker.taken()[1]?.parameters ?? []);
    expect(sent).toMatchObject({ camp: '7', start: '2026-11-10', end: '2026-11-21' });
  });

  it.each([
    ['Nov 10, 2026 08:30', '2026-11-10'],
    ['10.11.2026 08:30:00', '2026-11-10'],
    ['1794299400', '2026-11-10'],
    // Two days are possible: the search covers both, unless one is still to come.
    ['11/10/2026 08:30', '2026-10-11'],
    ['12/10/2026 08:30', '2026-10-12'],
    ['sometime', '2026-10-22'],
  ])('searches from the day that %s means', async (VisitDate, from) => {
    const { searched } = await diagnose(clicked({ VisitDate, ClickDate: '' }));
    expect(searched).toBe(`conversions of campaign 7, ${from} to 2026-11-21`);
  });

  it('explains a visitor who clicked and did not convert', async () => {
    const story = await diagnose(clicked());
    expect(happened(story)).toMatchObject({ clicked: 'yes', reached_offer: 'yes', converted: 'no' });
    expect(story.explanations.join()).toMatch(/postback/);
  });

  it('explains a visitor who did not click, if the tracker records clicks', async () => {
    const story = await diagnose(arrived({ Clicked: '0', Offer: '' }));
    expect(happened(story)).toMatchObject({ arrived: 'yes', clicked: 'no' });
    expect(story.explanations.join()).toMatch(/without clicking/);
  });

  it('calls steps unknown that the tracker does not record', async () => {
    const steps = happened(await diagnose(arrived()));
    expect(steps).toMatchObject({ arrived: 'yes', clicked: 'unknown', reached_offer: 'unknown', converted: 'no' });
  });

  const placeholders =
    '0000-00-00 00:00:00|0000-00-00|1970-01-01 01:00:00|1969-12-31T19:00:00|-|NULL|None|N/A|n/a|' +
    '-0001-11-30 00:00:00|30.11.-0001|0001-01-01T00:00:00|01/01/1970|31.12.1969 19:00|12/31/1969 7:00 PM|00/00/0000|Jan 1, 1970 01:00|Dec 31, 1969';

  it.each(['1.1.1.1', '0.0.0.0', '1-1-1 deal'])('takes %j for no date that never came', async (Offer) => {
    expect(happened(await diagnose(clicked({ Offer })))).toMatchObject({ reached_offer: 'yes' });
  });

  it.each(placeholders.split('|'))('reads %j as an empty value', async (nothing) => {
    const fields = { ClickTime: nothing, ConversionTime: nothing, Offer: nothing, LandingPage: nothing };
    const story = await diagnose({ data: { ...visit, ...fields } });
    expect(happened(story)).toEqual({ arrived: 'yes', clicked: 'no', reached_offer: 'no', converted: 'no' });
    expect(story.steps.flatMap(({ at, detail }) => [at, detail])).not.toContain(nothing);
  });

  it.each([{ click: {} }, { 'Campaign Data': { ClickTime: '', Offer: null }, 'Geo Data': { City: '-' } }])(
    'reports no arrival if the lookup is empty: %j',
    async (lookup) => {
      const story = await diagnose(lookup);
      expect(happened(story)).toMatchObject({ arrived: 'no', converted: 'no' });
      expect(story.explanations.join()).toContain('another tracker or account');
    },
  );

  it('takes the time of the conversion from its row if the lookup has none', async () => {
    const sale = { SubID: subid, Date: '2026-11-10 08:30:00', conversion_time: '2026-11-12 09:00:00' };
    const { steps } = await diagnose(clicked({ ConversionTime: '0000-00-00 00:00:00' }), [sale]);
    expect(steps.at(-1)).toMatchObject({ step: 'converted', happened: 'yes', at: '2026-11-12 09:00:00' });
  });

  it('has a notice if the tracker answers about a different subID', async () => {
    const { notices } = await diagnose(clicked({ SubID: 'zz99zz99_7_00000999' }));
    expect(notices).toContain('The tracker answered about “zz99zz99_7_00000999”, which is not the subID asked for.');
    const { notices: none } = await diagnose(clicked({ SubID: subid, ClickID: '345' }));
    expect(none.join()).not.toContain('answered about');
  });

  it('says first that the tracker answers about a different subID', async () => {
    tracker.answer('click/lookup', JSON.stringify(clicked({ SubID: 'zz99zz99_7_00000999' })));
    for (const name of ['diagnose_subid', 'lookup_subid'])
      expect(textOf(await call(name, { subid }))).toMatch(/^The tracker answered about “zz99zz99_7_00000999”/);
  });

  it('finds conversions by ClickID, with or without leading zeros', async () => {
    const story = await diagnose(clicked(), [{ ClickID: '345', Revenue: '5' }], '00000345');
    expect(happened(story)['converted']).toBe('yes');
  });

  it('ignores a conversion of a different visit with the same click number', async () => {
    const story = await diagnose(clicked(), [{ SubID: 'zzzzzzzz_8_00000345', Revenue: '5' }]);
    expect(happened(story)['converted']).toBe('no');
  });

  it('gives the usual reasons for a subID that the tracker does not know', async () => {
    tracker.answer('click/lookup', '{"error":"no such visitor"}');
    const text = await refusal('diagnose_subid', { subid });
    expect(text).toMatch(/no such visitor.*another tracker or account, was cut off or mistyped/);
  });

  it('reports a wrong key without those reasons', async () => {
    tracker.answer('click/lookup', '{"error":"No access"}');
    const text = await refusal('diagnose_subid', { subid });
    expect(text).toContain('TRACKER_API_KEY');
    expect(text).not.toContain('another tracker');
  });

  it.each([
    ['the tracker’s words name a setting', () => ({ body: '{"error":"no visitor with TRACKER_ID 345"}' }), true],
    ['the tracker takes no more requests', () => ({ status: 429, body: '{"error":"slow down"}' }), false],
  ])('knows a visitor that is not known by the kind of answer, not by its words: %s', async (_, lookup, isUnknown) => {
    tracker.answer('click/lookup', lookup);
    const { refusal: ask } = await connect({ url: tracker.url, timeoutMs: 1500 });
    expect((await ask('diagnose_subid', { subid })).includes('another tracker')).toBe(isUnknown);
  });
});

describe('a visitor that looks like a robot', () => {
  const robot = {
    ...clicked({ ClickDate: '2026-11-10 08:30:01' }),
    'Device Data': { UserAgent: 'Mozilla/5.0 HeadlessChrome/131.0' },
    'Geo Data': { ISP: 'Quickrack Hosting' },
  };

  it('is called a robot, with the signs, before the usual reasons', async () => {
    const { explanations } = await diagnose(robot);
    expect(explanations[0]).toBe(
      'The visitor looks like a bot: the user agent is “Mozilla/5.0 HeadlessChrome/131.0”, and the click came within a second of arriving (ISP “Quickrack Hosting”).',
    );
  });

  it('stays one, whatever words its user agent has, if a check rules a usual reason out', async () => {
    const agent = { UserAgent: 'postback bot, no offer of the visitor' };
    const others = [{ SubID: 'zz_7_00000999', Offer: 'Plan', Revenue: '9' }];
    const { explanations } = await diagnose({ ...robot, 'Device Data': agent }, others);
    expect(explanations).toEqual([expect.stringContaining('looks like a bot'), expect.stringContaining('did not buy')]);
  });

  it.each([
    ['2026-11-10 08:30', '2026-11-10 08:30'],
    ['2026-11-10 08:30:00', '2026-11-10 08:30:00'],
    ['10/11/2026', '10/11/2026'],
  ])('is not suspected if the times show no seconds: %s', async (VisitDate, ClickDate) => {
    expect((await diagnose(clicked({ VisitDate, ClickDate }))).explanations.join()).not.toContain('bot');
  });

  it.each([
    ['10.11.2026 08:30:20', '10.11.2026 08:30:21'],
    ['1794299420', '1794299421'],
  ])('is seen in times of any form: %s', async (VisitDate, ClickDate) => {
    expect((await diagnose(clicked({ VisitDate, ClickDate }))).explanations.join()).toContain('within a second');
  });

  it('is not suspected after a conversion, or without a landing page', async () => {
    expect((await diagnose(robot, [{ SubID: subid, Revenue: '5' }])).explanations).toEqual([]);
    const direct = { ...robot, 'Device Data': {}, ...clicked({ ClickDate: '2026-11-10 08:30:01', LandingPage: '' }) };
    expect((await diagnose(direct)).explanations.join()).not.toContain('robot');
  });
});

it('a visitor who only subscribed has a step for it', async () => {
  const story = await diagnose(clicked({ Subscribed: '1', Offer: '' }));
  expect(Object.entries(happened(story)).join(' ')).toBe(
    'arrived,yes clicked,yes subscribed,yes reached_offer,no converted,no',
  );
  expect(story.explanations[0]).toContain('left at a later one');
});

describe('the facts and explanations', () => {
  const otherSale = { SubID: 'zz_7_00000999', Offer: 'Plan', Revenue: '9' };

  it('describe the visitor, and the last known page', async () => {
    const story = await diagnose({
      ...clicked({ TrafficSource: 'Search Ads', Path: '2' }),
      'Device Data': { Device: 'Mobile' },
      'Geo Data': { Country: 'DE' },
    });
    expect(story.visitor).toMatchObject({
      ...{ device: 'Mobile', country: 'DE', os: 'unrecorded', traffic_source: 'Search Ads', path: '2' },
      ...{ landing_page: 'Quiz', last_page: 'Plan' },
    });
  });

  it('call a page after the click unrecorded, and name the reports that have it', async () => {
    const { visitor } = await diagnose(clicked({ Offer: '' }));
    expect(visitor['last_page']).toMatch(/^unrecorded after Quiz: thank-you pages and later levels/);
  });

  it('do not suspect the postback if others converted since, and show that the offer gets no subID', async () => {
    const story = await diagnose(clicked(), [otherSale]);
    expect(story.facts.join()).toMatch(/1 other visitors of the offer “Plan” converted since/);
    expect(story.facts.join()).toContain('does not pass the subID to the offer');
    expect(story.explanations.join()).not.toContain('postback');
    const { explanations } = await diagnose(clicked(), [{ ...otherSale, Offer: 'Cover' }]);
    expect(explanations.join()).toContain('postback');
  });

  it('show whether an offer of the path had visitors on that day, and is active now', async () => {
    const none = await diagnose(clicked({ Offer: '', Path: '2' }));
    expect(none.facts).toEqual([
      'On that day no offer of path 2 had a visitor.',
      'No offer of path 2 is active now with a share above 0.',
    ]);
    expect(none.explanations.join()).toContain('Perhaps no offer');
    const some = await diagnose(clicked({ Offer: '', Path: '1' }));
    expect(some.facts.join()).toMatch(/of path 1 had visitors: “Plan”\..*Active now with a share above 0: “Plan”/);
    expect(some.explanations.join()).not.toContain('no offer of the visitor');
  });

  it('begin every guess with “Perhaps”, in the data too', async () => {
    for (const lookup of [clicked(), clicked({ Offer: '' }), { click: {} }]) {
      const { explanations } = await diagnose(lookup);
      expect(explanations.length).toBeGreaterThan(0);
      for (const explanation of explanations) expect(explanation).toMatch(/^Perhaps /);
    }
  });

  it.each([
    [
      '72.00',
      ['36.00', '36.00'],
      /^2 sales .* 72\.00 in all; the visit has their sum: .* was added to an earlier\.$/,
      'added',
    ],
    [
      '50.00',
      ['36.00', '50.00'],
      /^2 sales .* 86\.00 in all; the visit has 50\.00: .* replaced an earlier\.$/,
      'replaced',
    ],
    ['', ['36.00', '36.00'], /^2 sales .* 72\.00 in all; the tracker does not show whether/, 'unknown'],
    ['50.00', ['36.00'], /a revenue of 50\.00, the conversion list 36\.00: .* does not show which\.$/, 'unknown'],
  ])(
    'show the effect of a second postback on a revenue of %j with sales of %j',
    async (Revenue, sales, fact, effect) => {
      const listed = sales.map((amount) => ({ SubID: subid, Revenue: amount }));
      const story = await diagnose(clicked({ Revenue }), listed);
      expect(story.facts.at(-1)).toMatch(fact);
      expect(story.later_postback).toMatchObject({ effect, sales: sales.length });
    },
  );

  it.each(['$36.00', '36.00 €', '1,236.00'])('take a revenue of %s in the lookup for a sale', async (Revenue) => {
    expect(happened(await diagnose(clicked({ Revenue })))['converted']).toBe('yes');
    const zero = clicked({ Revenue: Revenue.replaceAll(/\d/g, '0') });
    expect(happened(await diagnose(zero))['converted']).not.toBe('yes');
  });

  it('infer no click from an offer without a landing page', async () => {
    const story = await diagnose(clicked({ LandingPage: '', Clicked: '0', ClickDate: '' }));
    expect(happened(story)).toEqual({ arrived: 'yes', clicked: 'no', reached_offer: 'yes', converted: 'no' });
    expect(story.steps[1]?.detail).toContain('straight to the offer');
    expect(story.explanations.join()).not.toContain('without clicking');
  });

  it('leave out what the tracker fails to answer', async () => {
    const failing = await startForeignTracker({
      'click/lookup': JSON.stringify(clicked()),
      conversions: '{"error":"no such list"}',
      'campaign/list': '{"error":"no such list"}',
    });
    const story = await (await connect({ url: failing.url })).data<Diagnosis>('diagnose_subid', { subid });
    expect(happened(story)).toMatchObject({ clicked: 'yes', reached_offer: 'yes', converted: 'unknown' });
    expect(story.facts).toEqual([]);
    expect(story.searched).toMatch(/^nothing, because the list could not be read/);
  });
});
