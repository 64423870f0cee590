import { describe, expect, it } from 'vitest';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

/** 400 visits of one day; those of one provider come from one placement at night. */
const visits = Array.from({ length: 400 }, (_, index) => ({
  SubID: `ab12cd34_7_${String(index).padStart(8, '0')}`,
  CampaignID: '7',
  Campaign: 'Seven',
  Date: `2026-11-19 ${String(index % 20 === 0 ? 3 : 8 + (index % 12)).padStart(2, '0')}:30:00`,
  ISP: index % 20 === 0 ? 'Cloud “Nine” Hosting' : `Cable ${index % 3}`,
  Extra1: index % 20 === 0 ? 'zone-66' : `zone-${index % 7}`,
  UserAgent: `Agent ${index}`,
  Revenue: index % 20 === 0 ? '9.00' : '',
}));

const tracker = await startForeignTracker({
  'campaign/list': JSON.stringify([{ ID: '7', Name: 'Seven', ExtraTokenName1: 'Zone' }]),
  conversions: () => ({
    body: JSON.stringify(
      visits.filter(({ Revenue }) => Revenue !== '').map((visit) => ({ ...visit, VisitDate: visit.Date })),
    ),
  }),
});

interface Answer {
  readonly shared?: {
    readonly values: readonly Readonly<Record<string, unknown>>[];
    readonly values_tested: number;
  } & Readonly<Record<string, unknown>>;
  readonly notices: readonly string[];
}

async function ask(given: readonly { readonly SubID: string }[]) {
  tracker.taken();
  const { data } = await connect({ url: tracker.url, now: () => new Date('2026-11-20T12:00:00Z') });
  return data<Answer>('diagnose_subid', { subids: given.map(({ SubID }) => SubID) });
}

const listAll = () => tracker.answer('visitorstats', JSON.stringify(visits.toReversed()));

describe('what many visits share', () => {
  it('is named by dimension and value, with how often others have it', async () => {
    listAll();
    const { shared, notices } = await ask(visits.filter((_, index) => index % 20 === 0).slice(0, 12));
    expect(shared).toMatchObject({ given: 12, others: 388, false_findings: 0.01 });
    const sums = { given: 12, given_of: 12, others: 8, others_of: 388 };
    expect(shared?.values.map(({ chance: _, ...value }) => value)).toEqual(
      expect.arrayContaining([
        { dimension: 'isp', value: 'Cloud “Nine” Hosting', ...sums },
        { dimension: 'hour', value: '03', ...sums },
        { dimension: 'Zone', value: 'zone-66', ...sums },
      ]),
    );
    for (const { chance } of shared?.values ?? []) expect(chance).toBeLessThan(1e-6);
    expect(notices.join('\n')).toContain("isp “Cloud 'Nine' Hosting” (12 of 12; of the others 8 of 388)");
  });

  it('is nothing if the visits are like the others', async () => {
    listAll();
    const { shared, notices } = await ask(visits.filter((_, index) => index % 37 === 5));
    expect(shared).toMatchObject({ values: [] });
    expect(notices.join('\n')).toMatch(/Nothing stands out among \d+ values, against 389 other visits/);
  });

  it('is not tested if the other visits cannot be read, and that is said', async () => {
    tracker.answer('visitorstats', '{"error":"list is off"}');
    tracker.answer('click/lookup', '{"error":"no such visitor"}');
    const { shared, notices } = await ask(visits.filter((_, index) => index % 20 === 0).slice(0, 5));
    expect(shared).toBeUndefined();
    expect(notices.join('\n')).toMatch(/What these visits share was not tested: .*list is off/);
  });
});
