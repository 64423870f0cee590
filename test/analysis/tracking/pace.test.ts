import { expect, it } from 'vitest';
import { sameInAll } from '../../../src/analysis/coded.ts';
import { findTrackingFaults } from '../../../src/analysis/tracking-faults.ts';
import type { Reading } from '../../../src/analysis/visit-dimensions.ts';
import { unhurried } from '../../../src/api/running-call.ts';
import { seeded } from '../../calibrate/simulated-campaigns.ts';
import { simulateAccount, trackedOf } from '../../calibrate/tracked-accounts.ts';

const simulated = simulateAccount(['none', 'none'], seeded(1));
for (const campaign of simulated.campaigns) campaign.active = false;
const account = trackedOf(simulated);

it('the search for faults of tracking stops with its call', async () => {
  const rest = () => Promise.reject(new Error('cancelled'));
  await expect(findTrackingFaults(account, { ...unhurried, rest })).rejects.toThrow('cancelled');
});

it('once the time of its call is over it looks at no more visits, and alarms nobody about those', async () => {
  expect((await findTrackingFaults(account)).map(({ code }) => code)).toContain('visits_while_off');
  expect(await findTrackingFaults(account, { ...unhurried, isOver: true })).toEqual([]);
});

it('it rests between the visits of one large campaign, too', async () => {
  const rowCount = 20_000;
  let [sinceRest, most] = [0, 0];
  /** A column whose cells are counted when they are read. */
  const watched = ({ codes, values }: Reading): Reading => {
    const large = Uint16Array.from({ length: rowCount }, (_, row) => codes[row % codes.length] ?? 0);
    const get = (all: Uint16Array, key: string) => {
      if (/^\d+$/.test(key)) sinceRest += 1;
      most = Math.max(most, sinceRest);
      return Reflect.get(all, key, all);
    };
    return { codes: new Proxy(large, { get } as ProxyHandler<Uint16Array>), values };
  };
  const lists = account.lists.map((list) => ({
    ...{ ...list, rowCount, subids: undefined, moments: new Float64Array(rowCount).fill(Number.NaN) },
    campaigns: sameInAll(rowCount, account.campaigns[0]),
    days: sameInAll<string | null>(rowCount, account.days.last),
    slots: new Map([...list.slots].map(([slot, reading]) => [slot, watched(reading)])),
    ...{ landingPage: list.landingPage && watched(list.landingPage), offer: list.offer && watched(list.offer) },
  }));
  const rest = async () => {
    sinceRest = 0;
  };
  await findTrackingFaults({ ...account, lists }, { ...unhurried, rest });
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(rowCount);
});
