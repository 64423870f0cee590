import { describe, expect, test } from 'vitest';
import { arrive, convert, makeSubid, pageUrl, parseSubid } from '../../../src/sandbox/rotation/journey.ts';
import { seededRandom } from '../../../src/sandbox/rotation/random.ts';
import { parseMoney } from '../../../src/sandbox/rotation/records.ts';
import { landing, makeCampaign, money, offer, tokensOf, unknownOrigin } from '../traffic/fixtures.ts';

const random = seededRandom(3);
const at = Date.UTC(2026, 0, 31, 12);

const tokens = tokensOf({ Cost: 'cost' });

test.each([
  ['the cost in its link', { cost: '0.1234' }, tokens, '0.1234'],
  ['nothing if the cost in its link is 0', { cost: '0' }, tokens, '0'],
  ['the bid if its link has no cost', {}, tokens, '0.25'],
  ['the bid if the cost in its link is not an amount', { cost: '{cpc}' }, tokens, '0.25'],
  ['the bid if the traffic source declares no cost', { cost: '0.5' }, [], '0.25'],
])('a visit costs %s', (_, parameters: Record<string, string>, declared, cost) => {
  const campaign = makeCampaign('Landing Page Sequence', [landing(1)], { tokens: declared });
  const parameter = (name: string) => parameters[name] ?? null;
  const arrival = arrive(campaign, { clickId: 9, at, parameter, origin: unknownOrigin, referrer: null }, random);
  expect(arrival).toMatchObject({ visit: { cost: money(cost) } });
});

test('a second postback keeps the moment and offer of the conversion, and the fields that it leaves out', () => {
  const target = { clickId: 9, campaignId: 7, at, offerPage: 102 };
  const postback = { revenue: money('11'), add: true, status: 'pending', transactionId: 'T1' };
  const first = convert(target, { ...postback, custom: ['a', undefined, 'c'] });
  expect(first).toMatchObject({ ...target, revenue: money('11'), custom: ['a', null, 'c', null, null] });
  const second = { revenue: money('12'), add: false, status: 'approved', custom: [undefined, 'b'] };
  expect(convert({ ...target, at: at + 1000, offerPage: 103 }, second, first)).toEqual({
    ...{ ...target, revenue: money('12'), status: 'approved', transactionId: 'T1' },
    custom: ['a', 'b', 'c', null, null],
  });
});

describe('the URL of a page', () => {
  const passing = makeCampaign('Multiple Option', [], { passSubidToLandingPage: true, passSubidToOffer: true });
  const toOffers = makeCampaign('Multiple Option', [], { passSubidToLandingPage: false, passSubidToOffer: true });
  const silent = makeCampaign('Multiple Option', [], { passSubidToLandingPage: false, passSubidToOffer: false });

  test.each([
    ['https://example.com', 'https://example.com?subid=S'],
    ['https://example.com/a?b=c', 'https://example.com/a?b=c&subid=S'],
    ['https://example.com/a?', 'https://example.com/a?subid=S'],
    ['https://example.com/a?b=c&', 'https://example.com/a?b=c&subid=S'],
    ['https://example.com/a#part', 'https://example.com/a?subid=S#part'],
    ['https://example.com/a?b#part?x', 'https://example.com/a?b&subid=S#part?x'],
  ])('%s gets the SubID appended', (url, expected) => {
    expect(pageUrl(passing, offer(1, { url }), 'S')).toBe(expected);
  });

  test.each([passing, silent])('gets the SubID in each placeholder, even if the campaign passes none', (campaign) => {
    const url = 'https://example.com/{!subid!}?a={!subid!}&b={subid}';
    expect(pageUrl(campaign, offer(1, { url }), 'S')).toBe('https://example.com/S?a=S&b={subid}');
  });

  test('follows the setting for its kind of page', () => {
    const url = 'https://example.com/';
    expect(pageUrl(toOffers, landing(1, { url }), 'S')).toBe(url);
    expect(pageUrl(toOffers, offer(1, { url }), 'S')).toBe(`${url}?subid=S`);
    expect(pageUrl(silent, offer(1, { url }), 'S')).toBe(url);
    expect(pageUrl(passing, landing(1, { url }), 'S')).toBe(`${url}?subid=S`);
  });
});

describe('a SubID', () => {
  test('is eight letters and digits, the campaign ID and the click ID in at least eight digits', () => {
    expect(makeSubid({ campaignId: 12, clickId: 345 }, random)).toMatch(/^[a-z0-9]{8}_12_00000345$/);
    const parts = { campaignId: 3, clickId: 123_456_789 };
    expect(parseSubid(makeSubid(parts, random))).toEqual(parts);
  });

  const malformed = ['', '345', '00000345', 'ab_1', 'ab_x_1', 'a-b_1_2', '_1_2', 'ab_1_2_3', 'ab_1_2 '];
  test.each(malformed)('is not %j', (text) => {
    expect(parseSubid(text)).toBeUndefined();
  });
});

describe('money', () => {
  test.each([
    ['12', 12_000_000n],
    ['0.35', 350_000n],
    ['1200.5', 1_200_500_000n],
    ['0.1234567', 123_456n],
    ['7.', 7_000_000n],
    ['999999999999.999999', 999_999_999_999_999_999n],
  ])('%s is read to the millionth', (text, amount) => {
    expect(parseMoney(text)).toBe(amount);
  });

  test.each(['', '-1', '1e5', '1,200', '$5', 'NaN', '0x10', ' 1', '.5', '1000000000000'])('is not %j', (text) => {
    expect(parseMoney(text)).toBeUndefined();
  });
});
