import { describe, expect, it } from 'vitest';
import { endpointNamed } from '../../src/api/endpoints.ts';
import { Guard } from '../../src/guard/guard.ts';
import type { Limits } from '../../src/guard/holder.ts';
import { askedPerson, connect, contextFor } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers, specifiedTools, validArguments, writingTools } from '../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);
const limited = (limits: Limits) => connect({ url: tracker.url, policy: { limits } });

const hosts = { urlHosts: ['offers.example.com', '*.shop.example'] };

type Case = [setting: string, argument: string, limits: Limits, allowed: unknown, refused: unknown, message: string];

const cases: readonly Case[] = [
  ['TRACKER_ALLOW_CAMPAIGNS', 'campaign_id', { campaigns: [4, 7] }, 7, 8, 'only campaigns 4, 7'],
  [
    ...(['TRACKER_ALLOW_URL_HOSTS', 'url', hosts, 'https://offers.example.com/x'] as const),
    ...(['https://elsewhere.example.com/x', 'offers.example.com, *.shop.example'] as const),
  ],
  ['TRACKER_MAX_BID', 'bid', { maxBid: 0.5 }, 0.5, 0.51, 'the highest bid that may be set is 0.5'],
  ['TRACKER_MAX_PAYOUT', 'payout', { maxPayout: 40 }, '40.00', '40.01', 'the highest payout that may be set is 40'],
];

describe.each(cases)('%s', (setting, argument, limits, allowed, refused, message) => {
  const tools = writingTools.filter(({ wire }) => wire[argument]);

  it('refuses every tool that breaks it, also on a dry run, and names the setting and the limit', async () => {
    const { refusal } = await limited(limits);
    expect(tools.length).toBeGreaterThan(0);
    for (const tool of tools) {
      const given = { ...validArguments(tool, argument), [argument]: refused };
      for (const dry_run of [false, true]) {
        const text = await refusal(tool.name, { ...given, dry_run });
        for (const part of [`(${setting})`, message, argument, 'nothing was sent']) expect(text).toContain(part);
      }
    }
    expect(tracker.taken()).toEqual([]);
  });

  it('allows values within it', async () => {
    const { data } = await limited(limits);
    for (const tool of tools) await data(tool.name, { ...validArguments(tool, argument), [argument]: allowed });
    expect(tracker.writes()).toHaveLength(tools.length);
  });

  it('does not apply to reading tools', async () => {
    const { data } = await limited(limits);
    for (const tool of specifiedTools.filter(({ access }) => access === 'read'))
      await data(tool.name, validArguments(tool));
    await data('get_stats', { campaign_id: 8 });
  });
});

it('a limit on campaigns checks campaign IDs as text too, and does not affect tools without a campaign', async () => {
  const { refusal, data } = await limited({ campaigns: [7] });
  expect(await refusal('edit_campaign', { campaign_id: '8', bid: 1 })).toContain('TRACKER_ALLOW_CAMPAIGNS');
  await data('edit_campaign', { campaign_id: '7', bid: 1 });
  await data('add_offer', { name: 'Gym', url: 'https://example.com' });
});

it('a limit of 0 allows 0 and nothing above it', async () => {
  const { refusal, data } = await limited({ maxBid: 0 });
  await data('edit_campaign', { campaign_id: 1, bid: 0 });
  expect(await refusal('edit_campaign', { campaign_id: 1, bid: 1e-7 })).toContain('TRACKER_MAX_BID');
});

describe('a record that campaigns share', () => {
  const updates = writingTools.filter(({ access }) => access === 'update');
  const shared = updates.filter(({ wire }) => !wire['campaign_id']);

  it('cannot be changed if campaigns are limited, also on a dry run', async () => {
    const { refusal } = await limited({ campaigns: [7] });
    expect(shared.map(({ name }) => name)).toEqual(['edit_landing_page', 'edit_offer']);
    for (const tool of shared) {
      for (const dry_run of [false, true]) {
        const text = await refusal(tool.name, { ...validArguments(tool), dry_run });
        expect(text).toMatch(/nothing was sent: what it changes may run in any campaign, and only campaigns 7/);
        expect(text).toContain('TRACKER_ALLOW_PREDEFINED=1');
      }
    }
    expect(tracker.taken()).toEqual([]);
  });

  it.each([{ campaigns: [7], predefined: true }, { predefined: false }, {}])(
    'can be changed with %j',
    async (given) => {
      const { data } = await limited(given);
      for (const tool of shared) await data(tool.name, validArguments(tool));
      expect(tracker.writes()).toHaveLength(shared.length);
    },
  );

  it('is not a page of a campaign, and allowing it opens no other campaign', async () => {
    const { data, refusal } = await limited({ campaigns: [7], predefined: true });
    await data('edit_campaign_page', { campaign_id: 7, page_id: 1, share: 10 });
    const elsewhere = await refusal('edit_campaign_page', { campaign_id: 8, page_id: 1, share: 10 });
    expect(elsewhere).toContain('only campaigns 7');
  });
});

describe('the description of an argument names its limit', () => {
  const described = async (limits: Limits) => {
    const { client } = await limited(limits);
    const { tools } = await client.listTools();
    return tools.flatMap(({ name, annotations, inputSchema }) =>
      Object.entries(inputSchema.properties ?? {}).map(([argument, schema]) => ({
        ...{ tool: name, argument, isReading: annotations?.readOnlyHint === true },
        description: (schema as { description?: string }).description ?? '',
      })),
    );
  };

  it.each([
    [{ campaigns: [4, 7] }, 'campaign_id', 'Limit: only 4, 7 may be changed (TRACKER_ALLOW_CAMPAIGNS).'],
    [{ urlHosts: ['a.com', '*.b.com'] }, 'url', 'Limit: only on a.com, *.b.com (TRACKER_ALLOW_URL_HOSTS).'],
    [{ maxBid: 0.5 }, 'bid', 'Limit: at most 0.5 (TRACKER_MAX_BID).'],
    [{ maxPayout: 40 }, 'payout', 'Limit: at most 40 (TRACKER_MAX_PAYOUT).'],
  ])('%j', async (limits, argument, sentence) => {
    for (const listed of await described(limits)) {
      const isLimited = listed.argument === argument && !listed.isReading;
      expect(listed.description.includes(sentence), JSON.stringify(listed)).toBe(isLimited);
    }
  });

  it('for predefined pages too, if they are refused', async () => {
    const refused = (await described({ campaigns: [7] })).filter(({ description }) => description.includes('refused'));
    const names = refused.map(({ tool, argument }) => `${tool} ${argument}`);
    expect(names).toEqual(['edit_landing_page landing_page_id', 'edit_offer offer_id']);
  });

  it('and at most ten values', async () => {
    const campaigns = Array.from({ length: 500 }, (_, index) => index + 1);
    const [shares] = (await described({ campaigns })).filter(({ tool }) => tool === 'set_shares');
    expect(shares?.description).toMatch(/only 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 490 more may be changed/);
  });

  it('and nothing without limits', async () => {
    for (const { description } of await described({})) expect(description).not.toContain('Limit:');
  });
});

it('the guard checks every write that it executes', async () => {
  const guard = new Guard({ readOnly: false, limits: { maxBid: 1 }, confirm: false });
  const { client } = contextFor({ url: tracker.url });
  const request = client.request(endpointNamed('edit_campaign'), { campaign_id: 1, bid: 2 });
  const executed = guard.execute(
    { tool: 'edit_campaign', steps: [{ request }], consent: 'Change it?' },
    {
      ...{ client: 'test', currency: undefined, ask: async () => 'yes' },
      proposalContext: async () => expect.unreachable(),
      send: (step) => client.write(step.request),
    },
  );
  await expect(executed).rejects.toThrow('TRACKER_MAX_BID');
  expect(tracker.taken()).toEqual([]);
});

it('a write beyond a limit is refused before a person is asked', async () => {
  const { questions, person } = askedPerson();
  const { refusal } = await connect({ url: tracker.url, policy: { limits: { maxBid: 1 }, confirm: true }, person });
  expect(await refusal('edit_campaign', { campaign_id: 1, bid: 2 })).toContain('TRACKER_MAX_BID');
  expect(questions).toEqual([]);
});
