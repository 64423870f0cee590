import { describe, expect, it } from 'vitest';
import { findTrackingFaults } from '../../../src/analysis/tracking-faults.ts';
import { seeded } from '../../calibrate/simulated-campaigns.ts';
import { dayCount, type SimulatedVisit, simulateAccount, trackedOf } from '../../calibrate/tracked-accounts.ts';

/** The first fault of an account whose first campaign has it from a day on. */
async function firstFault(change: (visit: SimulatedVisit) => void, from: number, visitsKept = 1) {
  const account = simulateAccount(['none', 'none', 'organic', 'none'], seeded(7), 'PropellerAds push');
  account.visits = account.visits.filter(({ campaign }, index) => campaign > 0 || index % visitsKept === 0);
  const kept = new Set(account.visits.map(({ subid }) => subid));
  account.sales = account.sales.filter(({ subid }) => kept.has(subid ?? ''));
  const found = account.visits.filter(({ campaign, at }) => campaign === 0 && at >= from);
  for (const visit of found) change(visit);
  const [first] = await findTrackingFaults(trackedOf(account));
  return { code: first?.code, visits: first?.visits, changed: found.length };
}

const yesterday = dayCount - 1;

describe('a fault is seen', () => {
  it('of a click ID that stays the same, though more IDs than are kept came before', async () => {
    const { code, visits, changed } = await firstFault(({ tokens }) => {
      if (tokens.ExternalID !== undefined) tokens.ExternalID = '7000123';
    }, 9);
    expect(code).toBe('same_click_id');
    expect(visits).toBeGreaterThan(0.9 * changed);
  });

  it.each(['_id%', 'mpaign_id%', '\u00c2\u00ad_id%'])(
    'of a macro whose first letters were read as an escape: %s',
    async (value) => {
      const fault = await firstFault(({ tokens }) => {
        tokens.AdValue = value;
      }, 9);
      expect(fault.code).toBe('broken_macro');
    },
  );

  it('of a macro in a handful of visits of a small campaign', async () => {
    const { code, changed } = await firstFault(
      ({ tokens }) => {
        tokens.AdValue = '{bannerid}';
      },
      yesterday,
      10,
    );
    expect(changed).toBeLessThan(10);
    expect(code).toBe('literal_macro');
  });

  it.each([
    ['cents', 100, 'cost_too_large'],
    ['nothing', 0, 'no_cost'],
  ])('of a cost that is %s since yesterday, in a small campaign', async (_, factor, code) => {
    const fault = await firstFault(
      (visit) => {
        visit.cost *= factor;
      },
      yesterday,
      4,
    );
    expect(fault.changed).toBeLessThan(50);
    expect(fault.code).toBe(code);
  });
});

it('sales of the hour that clocks repeat when summer ends are not before their visit; the same on more days are', async () => {
  const account = simulateAccount(['none', 'none'], seeded(3), 'PropellerAds push');
  const [like] = account.sales;
  const early = (at: number) =>
    account.visits.slice(-8).map(({ subid }, index) => ({
      ...like,
      subid,
      at: at + index / 999,
      visitedAt: at + index / 999 + 0.03,
      campaign: 0,
      revenue: 1,
      offer: 'Pin A',
      transaction: `E${at}${index}`,
    }));
  const codes = async () => (await findTrackingFaults(trackedOf(account))).map(({ code }) => code);
  account.sales.push(...early(10));
  expect(await codes()).not.toContain('sale_before_visit');
  account.sales.push(...early(11));
  expect(await codes()).toContain('sale_before_visit');
});
