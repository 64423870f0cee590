import { expect, it } from 'vitest';
import { findTrackingFaults } from '../../../src/analysis/tracking-faults.ts';
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
