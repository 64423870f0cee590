import { describe, expect, test } from 'vitest';
import { pageUrl } from '../../../src/sandbox/rotation/journey.ts';
import { landing, makeCampaign, offer } from '../traffic/fixtures.ts';

const passing = makeCampaign('Multiple Option', [], { passSubidToLandingPage: true, passSubidToOffer: true });
const silent = makeCampaign('Multiple Option', [], { passSubidToLandingPage: false, passSubidToOffer: false });

test.each([
  ['https://example.com', 'https://example.com?subid=S'],
  ['https://example.com/a?b=c', 'https://example.com/a?b=c&subid=S'],
  ['https://example.com/a?', 'https://example.com/a?subid=S'],
  ['https://example.com/a?b=c&', 'https://example.com/a?b=c&subid=S'],
  ['https://example.com/a#part', 'https://example.com/a?subid=S#part'],
  ['https://example.com/a?b#part?x', 'https://example.com/a?b&subid=S#part?x'],
])('the SubID is appended to %s', (url, expected) => {
  expect(pageUrl(passing, offer(1, { url }), 'S')).toBe(expected);
});

describe('the placeholder', () => {
  const url = 'https://example.com/{!subid!}?a={!subid!}&b={subid}';
  test.each([passing, silent])(
    'is replaced wherever it stands, whether the campaign passes the SubID on or not',
    (campaign) => {
      expect(pageUrl(campaign, offer(1, { url }), 'S')).toBe('https://example.com/S?a=S&b={subid}');
    },
  );
});

test('each kind of page has a switch of its own', () => {
  const toOffers = makeCampaign('Multiple Option', [], { passSubidToLandingPage: false, passSubidToOffer: true });
  const url = 'https://example.com/';
  expect(pageUrl(toOffers, landing(1, { url }), 'S')).toBe(url);
  expect(pageUrl(toOffers, offer(1, { url }), 'S')).toBe(`${url}?subid=S`);
  expect(pageUrl(silent, offer(1, { url }), 'S')).toBe(url);
  expect(pageUrl(passing, landing(1, { url }), 'S')).toBe(`${url}?subid=S`);
});
