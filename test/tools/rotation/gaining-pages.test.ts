import { describe, expect, it } from 'vitest';
import type { Rotation } from '../../support/answers.ts';
import { askedPerson, connect } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';

interface Figures {
  readonly views: number;
  readonly clicks: number;
  readonly sales: number;
}

const page = (PageID: string, Name: string, { views, clicks, sales }: Figures) => ({
  ...{ PageID, Name, Path: '1', Level: '1', Share: '50', Inactive: '0' },
  ...{ Views: views, Clicks: clicks, Conversions: sales, Revenue: sales * 10 },
});

const month = { views: 2000, clicks: 800, sales: 40 };
const days = { views: 200, clicks: 80, sales: 4 };

/** Two landing pages and two offers of one campaign, with the figures of a month and of the last days. */
async function start(
  lately: { readonly landing?: Partial<Figures>; readonly offer?: Partial<Figures> },
  whole = month,
) {
  const tracker = await startForeignTracker({
    'campaign/list': JSON.stringify([{ ID: '1', Name: 'Search', Type: 'Landing Page' }]),
    'campaign/editpage': '{"Status":"OK"}',
    stats: ({ start: first = '' }) => {
      const isWhole = first < '2026-11-01';
      const usual = isWhole ? month : days;
      const own = (figures: Partial<Figures> = {}) => (isWhole ? whole : { ...days, ...figures });
      const landing = [page('1', 'Quiz', own(lately.landing)), page('2', 'Story', usual)];
      const offer = [page('3', 'Fit', own(lately.offer)), page('4', 'Gym', usual)];
      return { body: JSON.stringify({ Reports: { landing, offer } }) };
    },
  });
  const { questions, person } = askedPerson();
  const now = () => new Date('2026-11-20T12:00:00Z');
  const connected = await connect({ url: tracker.url, now, policy: { confirm: true }, person });
  const dry = (pageId: number) =>
    connected.data<Rotation>('set_shares', {
      ...{ campaign_id: 1, dry_run: true },
      shares: [{ page_id: pageId, percent: 80 }],
    });
  return { ...connected, questions, dry };
}

const lackIn = ({ groups }: Rotation, pageId: string) =>
  groups.flatMap(({ pages }) => pages).find(({ page_id }) => page_id === pageId);

describe('a page that gains traffic', () => {
  it('is warned of if it gets no clicks lately, in the dry run and in the question', async () => {
    const { dry, data, questions } = await start({ landing: { clicks: 0, sales: 0 } });
    const shown = await dry(1);
    const lack = { lacks: 'clicks', visits: 200, expected: 89, rate_of: 'page', since: '2026-11-18' };
    expect(lackIn(shown, '1')).toMatchObject(lack);
    const warning =
      'Page 1 “Quiz” (landing page) gains traffic, but had no click in 200 visits since 2026-11-18: at its usual rate it would have 89.';
    expect(shown.notices).toContain(warning);
    await data('set_shares', { campaign_id: 1, shares: [{ page_id: 1, percent: 80 }] });
    await data('edit_campaign_page', { campaign_id: 1, page_id: 1, share: 90 });
    expect(questions).toHaveLength(2);
    for (const question of questions) expect(question).toContain(warning);
  });

  it('is warned of if it never got a click where the others do', async () => {
    const { dry } = await start({ landing: { clicks: 0 } }, { ...month, clicks: 0 });
    expect(lackIn(await dry(1), '1')).toMatchObject({ lacks: 'clicks', expected: 80, rate_of: 'others' });
  });

  it('is warned of if it sells nothing where the others do, over the days that show it', async () => {
    const { dry } = await start({ offer: { sales: 0 } }, { ...month, sales: 0 });
    // Four sales of the last days prove nothing, forty of the month do.
    const lack = { lacks: 'sales', visits: 2000, expected: 40, rate_of: 'others', since: '2026-10-22' };
    expect(lackIn(await dry(3), '3')).toMatchObject(lack);
  });

  it.each([
    ['it is well', {}, 1],
    ['it is the other that gets none, and loses traffic', { landing: { clicks: 0 } }, 2],
    ['it had too few visits to tell', { landing: { views: 4, clicks: 0, sales: 0 } }, 1],
  ])('is not warned of if %s', async (_, lately, pageId) => {
    const { dry } = await start(lately);
    const shown = await dry(pageId);
    expect(lackIn(shown, String(pageId))).not.toHaveProperty('lacks');
    expect(shown.notices.join()).not.toContain('gains traffic');
  });
});
