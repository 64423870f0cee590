import { afterAll, expect, test } from 'vitest';
import { setup } from '../support/fixture.ts';
import { startTracker } from '../support/tracker.ts';

const tracker = await startTracker(setup);
afterAll(() => tracker.close());

async function campaign(id: number) {
  const { Rows } = await tracker.ask('campaign/list');
  const { Bid, EngageRate, Priority, PassSubIdLp, PassSubIdOffer } = Rows?.find(({ ID }) => ID === String(id)) ?? {};
  return { Bid, EngageRate, Priority, PassSubIdLp, PassSubIdOffer };
}

test('every option can be set without changing the others', async () => {
  const steps: [Record<string, number | string>, Record<string, string>][] = [
    [{ bid: '0.123456' }, { Bid: '0.123456' }],
    [{ engage: 0 }, { EngageRate: '0' }],
    [{ priority: 10 }, { Priority: '10' }],
    [{ passsubidlp: 0 }, { PassSubIdLp: '0' }],
    [{ passsubidoffer: 1 }, { PassSubIdOffer: '1' }],
    [
      { bid: 100, passsubidlp: 1 },
      { Bid: '100', PassSubIdLp: '1' },
    ],
  ];
  let expected = await campaign(1);
  for (const [form, change] of steps) {
    expect(await tracker.ask('campaign/edit', { campaignid: 1, ...form })).toEqual({ Status: 'OK' });
    expected = { ...expected, ...change };
    expect(await campaign(1)).toEqual(expected);
  }
});

test.each([
  [{ bid: 1 }, 'required parameter campaignid is missing'],
  [
    { campaignid: 2 },
    'This changes nothing. Give at least one of engage, bid, priority, passsubidlp or passsubidoffer.',
  ],
  [{ campaignid: 99, bid: 1 }, 'There is no campaign with ID 99.'],
  [{ campaignid: 'x', bid: 1 }, 'campaignid must be a whole number from 1'],
  [{ campaignid: 2, bid: -1 }, 'bid must be a number from 0'],
  [{ campaignid: 2, bid: '$1' }, 'bid must be a number from 0'],
  [{ campaignid: 2, engage: 'high' }, 'engage must be a number from 0'],
  [{ campaignid: 2, priority: 1.5 }, 'priority must be a whole number from 0'],
  [{ campaignid: 2, passsubidlp: 2 }, 'passsubidlp must be 1 or 0'],
  [{ campaignid: 2, passsubidoffer: 'true' }, 'passsubidoffer must be 1 or 0'],
])('%j is refused and changes nothing', async (form, message) => {
  const before = await campaign(2);
  expect(await tracker.refusal('campaign/edit', form)).toContain(message);
  expect(await campaign(2)).toEqual(before);
});
