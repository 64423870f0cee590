import { describe, expect, test } from 'vitest';
import { arrive, click, convert } from '../../../src/sandbox/rotation/journey.ts';
import { seededRandom } from '../../../src/sandbox/rotation/random.ts';
import { landing, makeCampaign, money, offer, thanks, unknownOrigin } from '../traffic/fixtures.ts';

const random = seededRandom(3);
const at = Date.UTC(2026, 0, 31, 12);

function arriveWith(parameters: Record<string, string>, rest: Parameters<typeof makeCampaign>[2] = {}) {
  const campaign = makeCampaign('Landing Page Sequence', [landing(1)], {
    tokens: [
      { slot: 'Keyword', parameter: 'kw' },
      { slot: 'Extra15', parameter: 'last' },
      { slot: 'Cost', parameter: 'cost' },
      { slot: 'ExternalID', parameter: 'gid' },
    ],
    ...rest,
  });
  const parameter = (name: string) => parameters[name] ?? null;
  const arrival = arrive(campaign, { clickId: 9, at, parameter, origin: unknownOrigin, referrer: null }, random);
  if (arrival.kind === 'nowhere') throw new Error(arrival.reason);
  return arrival;
}

describe('an arrival', () => {
  test('is recorded as a visit and the step to its first page', () => {
    const { visit, step, page } = arriveWith({});
    expect(visit).toMatchObject({ clickId: 9, campaignId: 7, at, path: 1 });
    expect(visit.subid).toMatch(/^[a-z0-9]{8}_7_00000009$/);
    expect(step).toEqual({ clickId: 9, campaignId: 7, at, page: 101, fromPage: null });
    expect(page.pageId).toBe(1);
  });

  test('keeps the tokens that the traffic source declares, and drops every other parameter', () => {
    const { visit } = arriveWith({ kw: 'red shoes', last: 'z', gid: '007', keyword: 'undeclared', ad: 'undeclared' });
    expect(visit.tokens).toEqual({ Keyword: 'red shoes', Extra15: 'z', ExternalID: '007' });
  });

  test('takes an empty value for none', () => {
    expect(arriveWith({ kw: '' }).visit.tokens).toEqual({});
  });

  test.each([
    ['costs what its link says', { cost: '0.1234' }, '0.1234'],
    ['costs nothing where its link says 0', { cost: '0' }, '0'],
    ['costs the bid where its link says nothing', {}, '0.25'],
    ['costs the bid where its link says no amount', { cost: '{cpc}' }, '0.25'],
  ])('%s', (_, parameters, cost) => {
    expect(arriveWith(parameters).visit.cost).toBe(money(cost));
  });

  test('costs the bid where no cost parameter is declared', () => {
    expect(arriveWith({ cost: '0.5' }, { tokens: [] }).visit.cost).toBe(money('0.25'));
  });
});

test('a click is recorded as a step from one page to the next', () => {
  const campaign = makeCampaign('Landing Page Sequence', [landing(1), offer(2)]);
  const next = click(campaign, { clickId: 9, at, path: 1, from: landing(1) }, random);
  expect(next).toMatchObject({
    step: { clickId: 9, campaignId: 7, at, page: 102, fromPage: 101 },
    subscriber: undefined,
  });
});

test('reaching the thank-you page is subscribing', () => {
  const campaign = makeCampaign('Lead Capture', [landing(1), thanks(2), offer(3)]);
  const next = click(campaign, { clickId: 9, at, path: 1, from: landing(1) }, random);
  expect(next).toMatchObject({ subscriber: { clickId: 9, campaignId: 7, at, thankYouPage: 102 } });
});

describe('a conversion', () => {
  const target = { clickId: 9, campaignId: 7, at, offerPage: 102 };
  const first = convert(target, {
    revenue: money('11'),
    add: false,
    status: 'pending',
    transactionId: 'T1',
    custom: ['a', undefined, 'c'],
  });

  test('holds what the postback said', () => {
    expect(first).toEqual({
      ...target,
      revenue: money('11'),
      status: 'pending',
      transactionId: 'T1',
      custom: ['a', null, 'c', null, null],
    });
  });

  test('is replaced by a second postback: 11 then 12 is 12', () => {
    expect(convert(target, { revenue: money('12'), add: false, custom: [] }, first).revenue).toBe(money('12'));
  });

  test('is added to by a postback that says so: 11 then 12 is 23', () => {
    expect(convert(target, { revenue: money('12'), add: true, custom: [] }, first).revenue).toBe(money('23'));
    expect(convert(target, { revenue: money('12'), add: true, custom: [] }).revenue).toBe(money('12'));
  });

  test('keeps its moment and offer, and what a later postback leaves out', () => {
    const later = { ...target, at: at + 1000, offerPage: 103 };
    const second = convert(
      later,
      { revenue: money('12'), add: false, status: 'approved', custom: [undefined, 'b'] },
      first,
    );
    expect(second).toEqual({
      ...target,
      revenue: money('12'),
      status: 'approved',
      transactionId: 'T1',
      custom: ['a', 'b', 'c', null, null],
    });
  });
});
