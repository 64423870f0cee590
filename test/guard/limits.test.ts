import { afterEach, describe, expect, it } from 'vitest';
import type { Limits } from '../../src/guard/limits.ts';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers, specifiedTools, validArguments, writingTools } from '../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);
const limited = (limits: Limits) => connect({ url: tracker.url, policy: { limits } });
afterEach(() => {
  tracker.taken();
});

interface Case {
  readonly setting: string;
  readonly argument: string;
  readonly limits: Limits;
  readonly allowed: unknown;
  readonly refused: unknown;
  readonly says: string;
}

const cases: readonly Case[] = [
  {
    setting: 'TRACKER_ALLOW_CAMPAIGNS',
    argument: 'campaign_id',
    limits: { campaigns: [4, 7] },
    allowed: 7,
    refused: 8,
    says: 'only campaigns 4, 7',
  },
  {
    setting: 'TRACKER_ALLOW_URL_HOSTS',
    argument: 'url',
    limits: { urlHosts: ['offers.example.com', '*.shop.example'] },
    allowed: 'https://offers.example.com/x',
    refused: 'https://elsewhere.example.com/x',
    says: 'offers.example.com, *.shop.example',
  },
  {
    setting: 'TRACKER_MAX_BID',
    argument: 'bid',
    limits: { maxBid: 0.5 },
    allowed: 0.5,
    refused: 0.51,
    says: 'the highest bid that may be set is 0.5',
  },
  {
    setting: 'TRACKER_MAX_PAYOUT',
    argument: 'payout',
    limits: { maxPayout: 40 },
    allowed: '40.00',
    refused: '40.01',
    says: 'the highest payout that may be set is 40',
  },
];

describe.each(cases)('$setting', ({ setting, argument, limits, allowed, refused, says }) => {
  const tools = writingTools.filter(({ wire }) => wire[argument]);

  it('refuses every tool that breaks it, naming the setting and the limit, also on a dry run, and sends nothing', async () => {
    const { refusal } = await limited(limits);
    expect(tools.length).toBeGreaterThan(0);
    for (const tool of tools) {
      const given = { ...validArguments(tool, argument), [argument]: refused };
      for (const dry_run of [false, true]) {
        const text = await refusal(tool.name, { ...given, dry_run });
        expect(text).toContain(`(${setting})`);
        expect(text).toContain(says);
        expect(text).toContain(argument);
        expect(text).toContain('nothing was sent');
      }
    }
    expect(tracker.taken()).toEqual([]);
  });

  it('lets through what keeps it', async () => {
    const { data } = await limited(limits);
    for (const tool of tools) await data(tool.name, { ...validArguments(tool, argument), [argument]: allowed });
    expect(tracker.taken()).toHaveLength(tools.length);
  });

  it('concerns no reading tool', async () => {
    const { data } = await limited(limits);
    for (const tool of specifiedTools.filter(({ access }) => access === 'read'))
      await data(tool.name, validArguments(tool));
    await data('get_stats', { campaign_id: 8 });
  });
});

it('a campaign may be named as text, and is held against the limit all the same', async () => {
  const { refusal, data } = await limited({ campaigns: [7] });
  expect(await refusal('edit_campaign', { campaign_id: '8', bid: 1 })).toContain('TRACKER_ALLOW_CAMPAIGNS');
  await data('edit_campaign', { campaign_id: '7', bid: 1 });
});

it('tools that name no campaign are not limited to campaigns', async () => {
  const { data } = await limited({ campaigns: [7] });
  await data('add_offer', { name: 'Gym', url: 'https://example.com' });
});

it('a limit of 0 allows 0 and nothing above it', async () => {
  const { refusal, data } = await limited({ maxBid: 0 });
  await data('edit_campaign', { campaign_id: 1, bid: 0 });
  expect(await refusal('edit_campaign', { campaign_id: 1, bid: 1e-7 })).toContain('TRACKER_MAX_BID');
});

describe('a host', async () => {
  const hosts = ['good.com', '*.wild.com', 'XN--BCHER-KVA.de', 'Dotted.com.', '127.0.0.1'];
  const { call } = await limited({ urlHosts: hosts });
  const isAllowed = async (url: string) => {
    const { isError, content } = await call('add_offer', { name: 'Gym', url });
    if (isError) expect(JSON.stringify(content)).toContain('TRACKER_ALLOW_URL_HOSTS');
    expect(tracker.taken()).toHaveLength(isError ? 0 : 1);
    return !isError;
  };

  it.each([
    'https://good.com',
    'http://good.com/path?x=1',
    'https://GOOD.COM/',
    'https://good.com./',
    'https://good.com:8443/',
    'https://user:password@good.com/',
    'https://evil.com@good.com/',
    'https://good.com/?u=https://evil.com',
    'https://a.wild.com/',
    'https://a.b.WILD.com/',
    'https://bücher.de/',
    'https://xn--bcher-kva.de/',
    'https://dotted.com/',
    'https://127.0.0.1/',
    // A browser reads a backslash as a slash.
    'https://good.com\\@evil.com/',
  ])('%s may be set', async (url) => {
    expect(await isAllowed(url)).toBe(true);
  });

  it.each([
    'https://evil.com/',
    'https://good.com@evil.com/',
    'https://good.com:443@evil.com/',
    'https://good.com%40evil.com/',
    'https://evil.com\\@good.com/',
    'https://evil.com/good.com',
    'https://evil.com?good.com',
    'https://evil.com#good.com',
    'https://good.com.evil.com/',
    'https://notgood.com/',
    'https://www.good.com/',
    'https://wild.com/',
    'https://evilwild.com/',
    'https://wild.com.evil.com/',
    'https://goоd.com/',
    'https://good.co/',
    'https://127.0.0.2/',
    'https://[::1]/',
    'http://{!subid!}/',
  ])('%s may not be set', async (url) => {
    expect(await isAllowed(url)).toBe(false);
  });
});

it('a limit is refused before a person is asked', async () => {
  const questions: string[] = [];
  const { refusal } = await connect({
    url: tracker.url,
    policy: { limits: { maxBid: 1 }, confirm: true },
    person: (question) => {
      questions.push(question);
      return { action: 'accept', content: { agree: true } };
    },
  });
  expect(await refusal('edit_campaign', { campaign_id: 1, bid: 2 })).toContain('TRACKER_MAX_BID');
  expect(questions).toEqual([]);
});
