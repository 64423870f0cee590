import { describe, expect, it } from 'vitest';
import { apiKey } from '../sandbox/support/tracker.ts';
import { connect, textOf } from '../support/connect.ts';
import { listRows, startForeignTracker } from '../support/foreign-tracker.ts';
import { now, set, since, startTracked } from '../support/tracked-account.ts';

interface Finding {
  readonly code: string;
  readonly campaign_id?: number;
  readonly source?: string;
  readonly token?: string;
  readonly affected: number;
  readonly of: number;
  readonly money: number;
  readonly money_is: string;
  readonly since: string;
  readonly example: string | null;
  readonly what: string;
  readonly change: { readonly at: string; readonly what: string; readonly use?: string; readonly link?: string };
}

interface Checked {
  readonly findings: readonly Finding[];
  readonly looked_at: string;
  readonly could_not_see: readonly string[];
}

/** Checks the account after some changes of its records. */
async function check(changes: readonly string[], given: Readonly<Record<string, unknown>> = {}) {
  const tracker = await startTracked(changes);
  const { data, call } = await connect({ url: tracker.url, apiKey, now: () => now, timeoutMs: 30_000 });
  const text = async () => textOf(await call('check_tracking', given));
  return { ...(await data<Checked>('check_tracking', given)), text };
}

describe('an account without faults', () => {
  it('has no finding, though some visits lack a keyword and a campaign is all organic, and says what was looked at', async () => {
    const { findings, looked_at, could_not_see, text } = await check([]);
    expect(findings).toEqual([]);
    expect(looked_at).toBe(
      '5 campaigns from 2026-06-09 to 2026-06-15, and the 7 days before for what was usual: 2,800 visits and 280 sales; links and tokens as the tracker lists them',
    );
    expect(could_not_see).toEqual([
      'The tracker shows no tokens of 1 of 5 campaigns: what their links should carry is not known.',
    ]);
    expect(await text()).toMatch(/^Nothing wrong was found in .*review_account\.\nLooked at 5 campaigns from/);
  });
});

describe('macros', () => {
  it.each([
    ['{keyword}', 'kw={keyword}'],
    ['%7Bkeyword%7D', 'kw={keyword}'],
    ['[KEYWORD]', 'kw={keyword}'],
    ['%%SUBID%%', 'kw={keyword}'],
    ['__PLACEMENT__', 'kw={keyword}'],
    ['##ZONE##', 'kw={keyword}'],
  ])('that arrive as themselves are named with the token, since when and what to use: %s', async (value) => {
    const { findings, text } = await check([set(`keyword = '${value}'`)]);
    expect(findings[0]).toMatchObject({
      ...{ code: 'literal_macro', campaign_id: 1, source: 'Lighthouse Search', token: 'Keyword' },
      ...{ affected: 160, of: 160, since, example: value, change: { at: 'ads' } },
    });
    expect(findings).toHaveLength(1);
    expect(await text()).toContain(
      `1 “Boots”: token Keyword (kw=) arrives as the macro itself, “${value}”; 160 of 160 visits since ${since}`,
    );
  });

  it('the source’s own macro is named where it is known', async () => {
    const { findings } = await check([set(`external_id = '{clickid}'`, 3)]);
    expect(findings).toEqual([expect.objectContaining({ code: 'literal_macro', token: 'Click', campaign_id: 3 })]);
    expect(findings[0]?.change).toMatchObject({
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a macro of a source.
      use: 'visitor=${SUBID}',
      link: expect.stringMatching(/&visitor=\$\{SUBID\}$/),
    });
  });

  it.each([
    ['does not know this one', `'{keyword}'`],
    ['do not fill this macro', `CASE WHEN click_id % 2 = 0 THEN '{keyword}' ELSE keyword END`],
  ])('of which no other form is known are said to be unknown only if none is filled: %s', async (what, keyword) => {
    const { findings } = await check([set(`keyword = ${keyword}`)]);
    expect(findings).toMatchObject([{ code: 'literal_macro', token: 'Keyword' }]);
    expect(findings[0]?.change).toEqual({ at: 'ads', what: expect.stringContaining(what), link: expect.anything() });
  });

  it.each([
    ['always', '{cheap_shoes}', '2026-06-01'],
    ['since a day', '{spring}', since],
    ['since a day', '__new__', since],
  ])('are no words that people put into brackets, %s in a part of the visits: %s', async (_, value, from) => {
    const { findings } = await check([
      set(`keyword = CASE WHEN click_id % 4 = 1 THEN '${value}' ELSE keyword END`, 1, from),
    ]);
    expect(findings).toEqual([]);
  });

  it.each(['$keyword$', '|keyword|', '(keyword)', '{keyword', '-keyword-'])(
    'in brackets of no known source are named as words: %s',
    async (value) => {
      const { findings } = await check([set(`keyword = '${value}'`)]);
      expect(findings).toMatchObject([{ code: 'bare_word', campaign_id: 1, affected: 160, since, example: value }]);
    },
  );

  it.each(['always', 'since a day'])('of unknown words are named where all visits have them, %s', async (when) => {
    const { findings } = await check([set(`keyword = '{foo}'`, 1, when === 'always' ? '2026-06-01' : since)]);
    expect(findings).toMatchObject([{ code: 'literal_macro', campaign_id: 1, token: 'Keyword', example: '{foo}' }]);
  });

  it('that arrive empty since a day are named with the macro to pass', async () => {
    const { findings } = await check([set('extra1 = NULL')]);
    expect(findings).toEqual([
      expect.objectContaining({
        code: 'empty_token',
        campaign_id: 1,
        token: 'Match type',
        affected: 160,
        of: 160,
        since,
      }),
    ]);
    expect(findings[0]?.change.use).toBe('match={matchtype}');
  });
});

/** The findings, each as its code, campaign, visits of how many, first day and example. */
const brief = ({ findings }: Pick<Checked, 'findings'>) =>
  findings.map(({ code, campaign_id, affected, of, since: first, example }) => [
    ...[code, campaign_id, affected, of, first, example],
  ]);

describe('other faults of visits', () => {
  it.each([
    ['a broken byte', [set(`ad_value = chr(65533) || '_id%'`)], ['broken_macro', 1, 160, 160, since, '\ufffd_id%']],
    ['a bare word', [set(`keyword = 'keyword'`)], ['bare_word', 1, 160, 160, since, 'keyword']],
    [
      'a half of a value',
      [set(`ad_value = ad_value || ' (ID:{site_id})'`)],
      ['literal_macro', 1, 160, 160, since, 'ad-1-1 (ID:{site_id})'],
    ],
    ['one click ID for all', [set(`external_id = '4711'`)], ['same_click_id', 1, 160, 160, since, '4711']],
    [
      'a link that is cut at its first #, since it was made',
      ['UPDATE visits SET keyword = NULL, ad_value = NULL, external_id = NULL WHERE campaign_id = 5'],
      ['cut_link', 5, 280, 280, '2026-06-02', null],
    ],
    [
      'a link that is cut in its middle since a day',
      [set('ad_value = NULL, extra1 = NULL, external_id = NULL, cost = 0.3')],
      ['cut_link', 1, 152, 152, since, null],
    ],
    [
      'a token that only one campaign of its source lacks',
      [set('extra1 = NULL', 1, '2026-06-01')],
      ['empty_token', 1, 280, 280, '2026-06-02', null],
    ],
    [
      'subIDs that are cut',
      [set('subid = subid[:11]')],
      ['cut_subid', 1, 160, 160, since, expect.stringMatching(/^.{8}_1_$/)],
    ],
    [
      'subIDs that are doubled',
      [set('subid = subid || subid')],
      ['doubled_subid', 1, 160, 160, since, expect.any(String)],
    ],
    [
      'subIDs of another campaign',
      [set(`subid = replace(subid, '_1_', '_2_')`)],
      ['other_campaigns_subid', 1, 160, 160, since, expect.any(String)],
    ],
    ['no cost', [set('cost = 0')], ['no_cost', 1, 160, 160, since, null]],
    ['the bid for its cost', [set('cost = 0.3')], ['no_cost', 1, 160, 160, since, '0.3']],
    ['a cost in cents', [set('cost = cost * 100', 3)], ['cost_too_large', 3, 160, 160, since, expect.any(String)]],
    [
      'a cost in cents, ever since',
      [set('cost = cost * 100', 1, '2026-06-01')],
      ['cost_too_large', 1, 280, 280, '2026-06-02', expect.any(String)],
    ],
    [
      'the price of a thousand for a cost',
      [set('cost = cost * 1000', 3)],
      ['cost_too_large', 3, 160, 160, since, expect.any(String)],
    ],
    [
      'the tokens of another campaign',
      [
        'UPDATE visits SET keyword = keyword || campaign_id',
        set(`keyword = replace(keyword, '1', '2'), ad_value = replace(ad_value, '-1-', '-2-')`),
      ],
      ['other_campaigns_tokens', 1, 160, 160, since, expect.any(String)],
    ],
    [
      'visits while it is switched off',
      ['UPDATE campaigns SET active = false WHERE id = 1'],
      ['visits_while_off', 1, 280, 280, '2026-06-02', null],
    ],
    ['no subID on a page', [set(`subid = ''`, 2)], ['no_subid', 2, 160, 160, since, null]],
    [
      'an offer that gets no subID',
      [
        'UPDATE campaigns SET pass_subid_to_offer = false WHERE id = 2',
        'DELETE FROM conversions WHERE campaign_id = 2',
      ],
      ['offer_without_subid', 2, 280, 280, '2026-06-02', null],
    ],
  ])('are named: %s', async (_, changes, expected) => {
    const checked = await check(changes);
    expect(brief(checked)).toEqual([expected]);
    expect(checked.findings[0]?.money).toBeGreaterThan(0);
    // Its visits alone are read whole then.
    expect(brief(await check(changes, { campaign_id: expected[1] }))).toEqual([expected]);
  });

  it('of a page whose clicks stopped are named with the link for its call to action', async () => {
    const clicks = `INSERT INTO steps SELECT click_id, campaign_id, "at" + INTERVAL 1 MINUTE, 202, 201 FROM visits
      WHERE campaign_id = 2 AND "at" < '${since}' AND click_id % 10 = 2`;
    const checked = await check([
      'UPDATE steps SET page = 201 WHERE campaign_id = 2',
      clicks,
      'DELETE FROM conversions WHERE campaign_id = 2',
    ]);
    expect(brief(checked)).toEqual([['clicks_without_subid', 2, 160, 160, since, null]]);
    expect(checked.findings[0]?.change.use).toMatch(/^http:.*\/base2\.php$/);
  });

  it('of a source are one finding, if all of its campaigns have no cost', async () => {
    const checked = await check(['UPDATE visits SET cost = 0 WHERE campaign_id < 3']);
    expect(checked.findings).toEqual([
      expect.objectContaining({ code: 'no_cost', source: 'Lighthouse Search', token: 'Cost', affected: 560, of: 560 }),
    ]);
  });

  it('say what their money is', async () => {
    const said = async (change: string) => (await check([change])).text();
    expect(await said(set('cost = 0'))).toMatch(/; their revenue: [\d.]+\n/);
    expect(await said(set('cost = cost * 100', 3))).toMatch(/; their cost as it arrives: [\d.]+\n/);
    expect(await said(set('extra1 = NULL'))).toMatch(/; their cost and revenue: [\d.]+\n/);
  });

  it('that are older than the asked days say from when on they are counted', async () => {
    const { findings } = await check([set('cost = cost * 100', 1, '2026-06-01')]);
    expect(findings[0]?.what).toMatch(/; 280 of 280 visits from 2026-06-09 on, since 2026-06-02 or before$/);
  });

  it('that ended say until when', async () => {
    const { findings } = await check([
      `UPDATE visits SET keyword = '{keyword}' WHERE campaign_id = 1 AND "at" BETWEEN '2026-06-10' AND '2026-06-12'`,
    ]);
    expect(findings).toEqual([
      expect.objectContaining({ code: 'literal_macro', affected: 80, of: 80, since: '2026-06-10' }),
    ]);
    expect(findings[0]?.what).toMatch(/until 2026-06-11: it is over$/);
  });

  it('of one campaign are judged by what the others did on two days', async () => {
    const { findings, looked_at } = await check([set('cost = cost * 100', 1, '2026-06-01')], { campaign_id: 1 });
    expect(findings).toMatchObject([{ code: 'cost_too_large', campaign_id: 1 }]);
    expect(looked_at).toMatch(
      /^1 of 5 campaigns from 2026-06-09 to 2026-06-15, and the 7 days before for what was usual: 560 visits, and of the whole account 400 visits from 2026-06-07 to 2026-06-08 and 280 sales;/,
    );
  });

  it('are those of the asked campaign or source alone', async () => {
    const changes = [set(`keyword = '{keyword}'`), set(`keyword = '{zoneid}'`, 3)];
    expect((await check(changes)).findings).toHaveLength(2);
    expect((await check(changes, { campaign_id: 'Push' })).findings.map(({ campaign_id: id }) => id)).toEqual([3]);
    expect((await check(changes, { source: 'lighthouse search' })).findings.map(({ campaign_id: id }) => id)).toEqual([
      1,
    ]);
  });
});

describe('sales', () => {
  const visit = (index: number) => ({
    ...{ SubID: `ab12cd34_1_${String(1000 + index).padStart(8, '0')}`, CampaignID: '1', Keyword: 'red', Cost: '0.1' },
    ...{
      Date: `2026-06-${String(3 + Math.floor(index / 10)).padStart(2, '0')} 12:00:00`,
      Clicked: '1',
      Converted: '0',
      Revenue: '0',
    },
  });
  const visits = Array.from({ length: 120 }, (_, index) => visit(index)).toReversed();
  const sale = (index: number, more: object = {}) => ({
    ...{ SubID: visit(index).SubID, CampaignID: '1', Revenue: '10', TransactionID: `T${index}`, Status: 'approved' },
    ...{ VisitDate: visit(index).Date, Date: visit(index).Date.replace('12:00', '13:00'), ...more },
  });
  const usual = Array.from({ length: 20 }, (_, index) => sale(80 + index));

  const checkSales = async (conversions: readonly object[], seen: readonly object[] = visits) => {
    const tracker = await startForeignTracker({
      'campaign/list': '[{"ID":"1","Name":"Boots","TrafficSource":"Search"}]',
      'ts/list': '[{"ID":"1","Name":"Search"}]',
      visitorstats: listRows(seen),
      conversions: listRows(conversions),
    });
    const { data } = await connect({ url: tracker.url, now: () => now });
    return (await data<Checked>('check_tracking')).findings;
  };

  it('whose visits are there are no fault', async () => {
    expect(await checkSales(usual)).toEqual([]);
  });

  it.each([
    ['twice', [0, 1, 2].map((index) => sale(80 + index)), ['sale_twice', 1, 3, 13, '2026-06-11', sale(80).SubID], 30],
    [
      'before their visit',
      [0, 1, 2].map((index) => sale(70 + index, { Date: '2026-06-10 11:00:00' })),
      ['sale_before_visit', 1, 3, 3, '2026-06-10', sale(70).SubID],
      30,
    ],
    [
      'with subIDs that are cut',
      [0, 1, 2].map((index) => sale(100 + index, { SubID: sale(100 + index).SubID.slice(0, 15) })),
      ['cut_subid', 1, 3, 3, '2026-06-13', 'ab12cd34_1_0000'],
      30,
    ],
    [
      'at twice the payout since a day',
      [0, 1, 2, 3, 4, 5].map((index) => sale(100 + index, { Offer: 'Gym', Revenue: '20' })),
      ['payout_doubled', 1, 6, 6, '2026-06-13', '20'],
      60,
    ],
  ])('%s are named', async (_, sales, expected, money) => {
    const findings = await checkSales([...usual.map((one) => ({ ...one, Offer: 'Gym' })), ...sales]);
    expect(brief({ findings })).toEqual([expected]);
    expect(findings[0]?.money).toBe(money);
  });

  it('at twice the payouts of several offers are one finding, with what each should pay', async () => {
    const paidAs = (index: number) => (index % 2 ? { Offer: 'Gym', Revenue: '10' } : { Offer: 'Yoga', Revenue: '15' });
    const doubled = [0, 1, 2, 3, 4, 5].map((index) => {
      const { Offer, Revenue } = paidAs(index);
      return sale(100 + index, { Offer, Revenue: String(2 * Number(Revenue)) });
    });
    const findings = await checkSales([...usual.map((one, index) => ({ ...one, ...paidAs(index) })), ...doubled]);
    expect(findings).toMatchObject([
      { code: 'payout_doubled', affected: 6, of: 6, money: 75, money_is: 'paid too much' },
    ]);
    expect(findings[0]?.what).toContain(
      ': paid exactly twice the payout: offer Yoga at 30 a sale in place of 15, offer Gym at 20 a sale in place of 10; 6 of 6 sales since 2026-06-13',
    );
    expect(findings[0]?.change.what).not.toMatch(/\d/);
  });

  it('at twice the payout of one offer are named beside those of another, by what it paid in the month before', async () => {
    const before = Array.from({ length: 8 }, (_, index) => sale(index, { Offer: 'Yoga', Date: '2026-05-25 12:00:00' }));
    const others = usual.map((one) => ({ ...one, Offer: 'Gym' }));
    const doubled = [0, 1, 2, 3, 4, 5].map((index) => sale(100 + index, { Offer: 'Yoga', Revenue: '20' }));
    const rejected = [0, 1, 2].map((index) => sale(60 + index, { Offer: 'Yoga', Revenue: '0', Status: 'rejected' }));
    expect(await checkSales([...others, ...rejected, ...doubled])).toEqual([]);
    const [found, ...more] = await checkSales([...before, ...others, ...rejected, ...doubled]);
    expect(found).toMatchObject({ code: 'payout_doubled', page: 'Yoga', affected: 6, of: 6, money: 60 });
    expect(more).toEqual([]);
  });

  it('that are rejected are no money, also where the list of visitors has no statuses', async () => {
    const isSold = (index: number) => index >= 80 && index < 100;
    const rejected = usual.map((one, index) => (index % 2 > 0 ? { ...one, Status: 'rejected' } : one));
    const seen = Array.from({ length: 120 }, (_, index) => ({
      ...visit(index),
      ...(index >= 60 ? { Keyword: '{keyword}' } : {}),
      ...(isSold(index) ? { Converted: '1', Revenue: '10' } : {}),
    })).toReversed();
    const [macro] = await checkSales(rejected, seen);
    expect(macro).toMatchObject({ code: 'literal_macro', affected: 60, money: 60 * 0.1 + 10 * 10 });
    const [twice] = await checkSales(
      [...rejected, ...rejected.slice(0, 6)],
      seen.map((one) => ({ ...one, Keyword: 'red' })),
    );
    expect(twice).toMatchObject({ code: 'sale_twice', affected: 6, money: 3 * 10 });
  });

  it('that nearly all come twice within minutes are named, though each has a transaction of its own', async () => {
    const again = (index: number, more: object) => sale(index, { TransactionID: `U${index}`, ...more });
    const minuteLater = (index: number) => ({ Date: sale(index).Date.replace(':00:00', ':01:00') });
    const last = Array.from({ length: 8 }, (_, index) => 92 + index);
    const [found, ...more] = await checkSales([...usual, ...last.map((index) => again(index, minuteLater(index)))]);
    expect(found).toMatchObject({ code: 'sale_twice', affected: 8, since: '2026-06-12', money: 80 });
    expect(more).toEqual([]);
    const repeated = last.map((index) => sale(index, minuteLater(index)));
    for (const list of [
      [...usual, ...repeated],
      [...repeated.toReversed(), ...usual.toReversed()],
    ])
      expect(await checkSales(list)).toMatchObject([{ code: 'sale_twice', affected: 8, money: 80 }]);
    const rebilled = last.map((index) => again(index, { Date: sale(index).Date.replace('13:00', '18:00') }));
    expect(await checkSales([...usual, ...rebilled])).toEqual([]);
  });

  it('of one visitor with transactions of their own are no fault', async () => {
    expect(
      await checkSales([...usual, ...[0, 1, 2, 3].map((index) => sale(80 + index, { TransactionID: `U${index}` }))]),
    ).toEqual([]);
  });

  it('without a visit are named with an example', async () => {
    const lost = [0, 1, 2, 3].map((index) => sale(90 + index, { SubID: `zz99zz99_1_0000104${index}` }));
    expect(await checkSales([...usual, ...lost])).toEqual([
      expect.objectContaining({
        ...{
          code: 'sale_without_visit',
          campaign_id: 1,
          affected: 4,
          of: 14,
          money: 40,
          example: 'zz99zz99_1_00001040',
        },
        since: '2026-06-12',
      }),
    ]);
  });
});

describe('links and lists of other trackers', () => {
  const link = 'https://t.example.com/base.php?c=1&key=0123&kw={keyword}&zone={zoneid}';
  const campaigns = [
    { ID: '1', Name: 'Boots', TrafficSource: 'Search', CampaignUrl: link, Inactive: '0' },
    {
      ID: '2',
      Name: 'Mail',
      TrafficSource: 'Mailer',
      CampaignUrl: 'https://t.example.com/base.php?c=2&key=45',
      Inactive: '0',
    },
  ];
  const tokens = [
    { Slot: 'Keyword', Name: 'Keyword', Parameter: 'kw', Placeholder: '{keyword}' },
    { Slot: 'AdValue', Name: 'Zone', Parameter: 'site', Placeholder: '{zoneid}' },
  ];
  const visits = Array.from({ length: 60 }, (_, index) => ({
    ...{ Date: `2026-06-${10 + Math.floor(index / 12)} 12:00:00`, CampaignID: '1', Keyword: 'red' },
  })).toReversed();
  const ask = async (
    listed: readonly object[],
    sources: readonly object[],
    rows: readonly object[] = visits,
    sales: readonly object[] = [],
  ) => {
    const tracker = await startForeignTracker({
      'campaign/list': JSON.stringify(listed),
      'ts/list': JSON.stringify(sources),
      visitorstats: ({ camp = '0' }) => ({ body: JSON.stringify(camp === '2' ? [] : rows) }),
      conversions: JSON.stringify(sales),
    });
    const { data } = await connect({ url: tracker.url, now: () => now });
    return data<Checked>('check_tracking');
  };

  it('a parameter that no token declares is named with the one that does', async () => {
    const { findings, could_not_see } = await ask(campaigns, [
      { ID: '1', Name: 'Search', Tokens: tokens },
      { ID: '2', Name: 'Mailer' },
    ]);
    expect(findings).toEqual([
      expect.objectContaining({
        code: 'undeclared_parameter',
        campaign_id: 1,
        example: '{zoneid}',
        affected: 60,
        of: 60,
      }),
    ]);
    expect(findings[0]?.change).toEqual({ at: 'source', what: 'use “site={zoneid}”', use: 'site={zoneid}' });
    expect(could_not_see).toEqual([
      'The visitor list has no cost: cost that is missing or wrong is not seen.',
      'The visitor list has no clicks: clicks that do not arrive are not seen.',
      'The visitor list has no subIDs: wrong ones are not seen.',
      'The tracker shows no tokens of 1 of 2 campaigns: what their links should carry is not known.',
    ]);
  });

  it.each([
    [
      'the traffic source declares',
      [
        {
          ID: '1',
          Name: 'Search',
          Tokens: [{ Slot: 'AdValue', Name: 'Zone', Parameter: 'zone', Placeholder: '{zoneid}' }],
        },
      ],
    ],
    ['may be declared, because the Extra tokens alone are listed,', [{ ID: '1', Name: 'Search' }]],
  ])('a parameter that %s is not called undeclared', async (_, sources) => {
    const link = 'https://t.example.com/base.php?c=1&zone={zoneid}&site={site}';
    const extra = { CampaignUrl: link, ExtraTokenName1: 'Site', ExtraTokenParam1: '{site}', ExtraTokenName2: '' };
    const { findings } = await ask([{ ...campaigns[0], ...extra }], sources);
    expect(findings).toEqual([]);
  });

  it('a macro is named where the tracker shows no tokens', async () => {
    const { findings } = await ask(
      campaigns,
      [],
      visits.map((visit) => ({ ...visit, Keyword: '{keyword}', Ad: 'a1' })),
    );
    expect(brief({ findings })).toEqual([['literal_macro', 1, 60, 60, '2026-06-10', '{keyword}']]);
  });

  it.each(['Keyword', 'Ad', 'ExternalID'])(
    'a macro in %s is named where the tracker lists other tokens alone',
    async (slot) => {
      const { findings } = await ask(
        campaigns.map((one) => ({ ...one, ExtraTokenName1: 'Zone', ExtraTokenParam1: '{zoneid}' })),
        [],
        visits.map((visit, index) => ({
          ...visit,
          Keyword: `red ${index}`,
          [slot]: index % 2 ? '{keyword}' : `v${index}`,
        })),
      );
      const { campaign_id: campaign, code, affected, example } = findings[0] ?? {};
      expect([code, campaign, affected, example]).toEqual(['literal_macro', 1, 30, '{keyword}']);
    },
  );

  it.each([
    ['no subIDs', {}],
    ['blank subIDs alone', { SubID: '' }],
  ])('sales of a conversion list with %s are not taken for sales without a visit', async (_, subid) => {
    const rows = visits.map((visit, index) => ({ ...visit, SubID: `0000abcd_1_${10_000_000 + index}` }));
    const sale = { Date: '2026-06-12 13:00:00', CampaignID: '1', Offer: 'Deal', Payout: '10', ...subid };
    const { findings, could_not_see } = await ask(campaigns, [], rows, Array(20).fill(sale));
    expect(findings).toEqual([]);
    expect(could_not_see).toContain('The conversion list has no subIDs: sales without a visit are not seen.');
  });

  it.each([
    ['before the first visits that the tracker still lists', '2026-06-10', []],
    ['of days that it lists', '2026-06-12', ['sale_without_visit']],
  ])('sales of visits %s', async (_, day, codes) => {
    const rows = visits.map((visit, index) => ({ ...visit, SubID: `0000abcd_1_${10_000_000 + index}` }));
    const sales = Array.from({ length: 20 }, (_, index) => ({
      ...{ Date: '2026-06-12 13:00:00', VisitDate: `${day} 12:30:00`, CampaignID: '1', Offer: 'Deal', Payout: '10' },
      SubID: `0000abcd_1_${9_000_000 + index}`,
    }));
    const { findings } = await ask(campaigns, [], rows, sales);
    expect(findings.map(({ code }) => code)).toEqual(codes);
  });

  it('without tokens and visits nothing is found, and it is told what could not be seen', async () => {
    const { findings, could_not_see, looked_at } = await ask(campaigns, [], []);
    expect(findings).toEqual([]);
    expect(could_not_see).toEqual([
      'The tracker shows no tokens of 2 of 2 campaigns: what their links should carry is not known.',
    ]);
    expect(looked_at).toMatch(/^2 campaigns from .* before for what was usual: 0 visits and 0 sales;/);
  });

  it('a source that no campaign has is refused with those that there are', async () => {
    const tracker = await startForeignTracker({
      ...{ 'campaign/list': JSON.stringify(campaigns), 'ts/list': '[]', visitorstats: '[]', conversions: '[]' },
    });
    const { refusal } = await connect({ url: tracker.url, now: () => now });
    expect(await refusal('check_tracking', { source: 'Push' })).toMatch(
      /No traffic source has “Push” in its name.*“Search”, “Mailer”/s,
    );
  });
});
