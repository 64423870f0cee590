import { describe, expect, test } from 'vitest';
import { setup } from '../support/fixture.ts';
import { rowOf, startTracker } from '../support/tracker.ts';

const tracker = await startTracker(setup);

describe('the campaign list', () => {
  test('has every campaign with its options, traffic source and tokens', async () => {
    const { Rows } = await tracker.ask('campaign/list');
    expect(Rows?.map(({ ID }) => ID)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    const first = rowOf(`
      ID=1 Name=Sequence Type=Landing Page Sequence TrafficSourceID=1 TrafficSource=Search Bid=0.25 EngageRate=2.5
      Priority=3 PassSubIdLp=1 PassSubIdOffer=0 Inactive=0 KeywordTokenName=Keyword KeywordTokenParam={keyword}
      CostTokenParam={cpc} ExtraTokenName1=Match type ExtraTokenParam1={matchtype} ExtraTokenName2=Ad group
      ExtraTokenName3= ExtraTokenParam15=
    `);
    expect(Rows?.[0]).toMatchObject(first);
    expect(Rows?.[2]).toMatchObject({ TrafficSource: 'Bare', KeywordTokenName: '', EngageRate: '0', Bid: '0.01' });
  });

  test('has the link of a campaign on this tracker, with a placeholder for each token', async () => {
    const { Rows } = await tracker.ask('campaign/list');
    const key = '0123456789abcdef0123456789abcdef';
    expect(Rows?.[0]?.['CampaignUrl']).toBe(
      `${tracker.url}/base.php?c=1&key=${key}&kw={keyword}&ad={creative}&cost={cpc}&clid={clickid}&match={matchtype}&group={group}`,
    );
    expect(Rows?.[2]?.['CampaignUrl']).toBe(`${tracker.url}/base.php?c=3&key=${key}`);
  });

  test('has only active campaigns with active=1 and only inactive campaigns with active=0', async () => {
    const ids = async (active: number) => (await tracker.ask('campaign/list', { active })).Rows?.map(({ ID }) => ID);
    expect(await ids(1)).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(await ids(0)).toEqual(['7']);
    expect(await tracker.refusal('campaign/list', { active: 2 })).toContain('active must be 1 or 0');
  });
});

test('the traffic source list nests the tokens in the order of their slots', async () => {
  const { Rows } = await tracker.ask('ts/list');
  expect(Rows).toHaveLength(2);
  expect(Rows?.[0]).toMatchObject({ ID: '1', Name: 'Search' });
  const tokens = Rows?.[0]?.['Tokens'] as unknown as Record<string, string>[];
  expect(tokens.map(({ Slot }) => Slot)).toEqual(['Keyword', 'AdValue', 'Cost', 'ExternalID', 'Extra1', 'Extra2']);
  expect(tokens[4]).toEqual({ Slot: 'Extra1', Name: 'Match type', Parameter: 'match', Placeholder: '{matchtype}' });
  expect(Rows?.[1]).toEqual({ ID: '2', Name: 'Bare', Tokens: '' });
});
