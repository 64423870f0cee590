import { describe, expect, it } from 'vitest';
import { listDays } from '../../../src/tools/period.ts';
import type { PresentedTables } from '../../../src/tools/present/outputs.ts';
import { connect } from '../../support/connect.ts';
import { rowsAsked, startForeignTracker } from '../../support/foreign-tracker.ts';

type Row = Readonly<Record<string, string>>;
type Asked = Readonly<Record<string, string>>;

const days = listDays('2026-05-29', '2026-06-09').reverse();

/** 40 visits a day from 29 May to 9 June, the latest first, of two campaigns in turn. */
const visits = Array.from({ length: 480 }, (_, index): Row => {
  const isSold = index % 3 === 0;
  return {
    Date: `${days[Math.floor(index / 40)]} 11:${59 - (index % 40)}:00`,
    ...{ SubID: `ab12cd34_${1 + (index % 2)}_${1000 + index}`, CampaignID: String(1 + (index % 2)) },
    ...{ Clicked: '1', Converted: isSold ? '1' : '0', Revenue: isSold ? '2.00' : '0', Cost: '0.10' },
  };
});

/** What a tool says of 6 to 9 June, if the tracker lists this. */
async function ask(
  list: (asked: Asked) => readonly Row[],
  campaign_id?: number,
  tool: 'get_breakdown' | 'explain_change' = 'get_breakdown',
) {
  const tracker = await startForeignTracker({
    'campaign/list': '[{"ID":"1","Name":"C1"},{"ID":"2","Name":"C2"},{"ID":"3","Name":"C3"}]',
    conversions: '[]',
    visitorstats: (asked) => ({ body: JSON.stringify(list(asked)) }),
  });
  const { data } = await connect({ url: tracker.url, now: () => new Date('2026-06-10T12:00:00Z') });
  const question = { start_date: '2026-06-06', end_date: '2026-06-09', campaign_id };
  const { tables, before, after, notices } = await data<
    PresentedTables & Partial<Record<'before' | 'after', { views: number }>>
  >(tool, { ...question, ...(tool === 'get_breakdown' ? { by: ['campaign'] } : {}) });
  const views = after ? [before?.views, after.views] : tables[0]?.totals?.['Views'];
  return { views, said: notices.join(' ') };
}

const ofCampaign = ({ camp }: Asked) => visits.filter(({ CampaignID }) => camp === '0' || camp === CampaignID);

describe('A list of other visits than those asked for', () => {
  it('that has all days counts those asked for', async () => {
    expect(await ask(ofCampaign)).toEqual({
      views: 160,
      said: expect.stringContaining('320 rows of days that were not asked for'),
    });
    expect(await ask(ofCampaign, 1)).toMatchObject({ views: 80 });
    expect(await ask((asked) => rowsAsked(visits, asked))).toEqual({
      views: 160,
      said: expect.not.stringContaining('not asked for'),
    });
  });

  it('that has the latest visits of all days is a part of those asked for', async () => {
    const { views, said } = await ask(() => visits.slice(0, 100));
    expect(views).toBe(100);
    expect(said).toContain(
      'lists only its latest visits, whichever days are asked for, so 2026-06-06 could not be read',
    );
  });

  it('that has all campaigns counts the one asked for', async () => {
    const list = (asked: Asked) => rowsAsked(visits, { ...asked, camp: '0' });
    expect(await ask(list, 2)).toEqual({
      views: 80,
      said: expect.stringContaining('80 rows of campaigns that were not asked for'),
    });
    expect(await ask(list, 2, 'explain_change')).toMatchObject({ views: [80, 80] });
    expect(await ask(list, 3)).toMatchObject({
      views: undefined,
      said: expect.stringContaining('160 rows of campaigns'),
    });
  });

  it('that has all days and campaigns is compared by those asked for', async () => {
    expect(await ask(() => visits, 1, 'explain_change')).toMatchObject({ views: [80, 80] });
  });
});
