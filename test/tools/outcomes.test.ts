import { beforeEach, describe, expect, it } from 'vitest';
import type { ChangeOutcome } from '../../src/answer/outcomes.ts';
import { Changes } from '../../src/guard/changes.ts';
import { Guard } from '../../src/guard/guard.ts';
import { apiKey, startTracker } from '../sandbox/support/tracker.ts';
import { connect, contextFor } from '../support/connect.ts';

/** Campaigns 1 and 2 each have a landing page (row 1, 11) and three offers (rows 2 to 4, 12 to 14), whose shares are 50, 50 and 0. */
const campaigns = [1, 2].flatMap((id) => [
  `INSERT INTO campaigns VALUES (${id}, 'Campaign ${id}', 'Landing Page Sequence', '${'0'.repeat(32)}', 1, true, 0, 0.1, 0, true, true)`,
  ...[0, 1, 2, 3].map((page) => {
    const [kind, name] = page === 0 ? ['landing', 'Page'] : ['offer', `Offer ${page}`];
    const share = [100, 50, 50, 0][page];
    return `INSERT INTO campaign_pages VALUES (${id * 10 - 9 + page}, ${id}, ${page + 1}, '${kind}', NULL, '${name}', 'https://x.example/${page}', true, ${share}, 1, 1, NULL, 20)`;
  }),
]);

/** The visitors of an offer on each of some days: how many, how many of them buy, what for, and how many days later. */
interface Visitors {
  readonly campaign?: number;
  readonly offer: number;
  readonly days: readonly [first: string, last: string];
  readonly visits: number;
  readonly sales: number;
  readonly pays?: number;
  readonly daysLate?: number;
}

let lastClick = 0;

function visitorsOf({ campaign = 1, offer, days: [first, last], visits, sales, pays = 20, daysLate = 0 }: Visitors) {
  const day = `range(DATE '${first}', DATE '${last}' + 1, INTERVAL 1 DAY) days(day)`;
  const dayCount = (Date.parse(last) - Date.parse(first)) / 86_400_000 + 1;
  const rows = `(SELECT ${lastClick} + row_number() OVER (ORDER BY day, number) AS click, number, day + INTERVAL 12 HOUR + number * INTERVAL 1 SECOND AS moment FROM range(${visits}) numbers(number), ${day})`;
  lastClick += visits * dayCount;
  const row = campaign * 10 - 9;
  return [
    `INSERT INTO visits (click_id, subid, campaign_id, "at", path, cost) SELECT click, 'a_' || click, ${campaign}, moment, 1, 0.1 FROM ${rows}`,
    `INSERT INTO steps SELECT click, ${campaign}, moment, ${row}, NULL FROM ${rows}`,
    `INSERT INTO steps SELECT click, ${campaign}, moment + INTERVAL 1 SECOND, ${row + offer}, ${row} FROM ${rows}`,
    `INSERT INTO conversions (click_id, campaign_id, "at", offer_page, revenue) SELECT click, ${campaign}, moment + INTERVAL ${daysLate} DAY + INTERVAL 1 MINUTE, ${row + offer}, ${pays} FROM ${rows} WHERE number < ${sales}`,
  ];
}

const before = ['2026-05-01', '2026-05-20'] as const;
const after = ['2026-05-21', '2026-06-10'] as const;
const changed = '2026-05-20T14:00:00Z';
const closed = '2026-06-09T12:00:00Z';

interface Listed {
  readonly changes: readonly { readonly change_id: string; readonly outcome?: ChangeOutcome }[];
  readonly elsewhere?: readonly {
    readonly day: string;
    readonly campaign_id: number;
    readonly outcome: ChangeOutcome;
  }[];
}

async function serverWith(...visitors: readonly Visitors[]) {
  let now = new Date(changed);
  const fixture = [`SET TimeZone = 'UTC'`, ...campaigns, ...visitors.flatMap(visitorsOf)];
  const tracker = await startTracker(fixture, { now: () => now });
  const context = contextFor({ url: tracker.url, apiKey, now: () => now, timeoutMs: 30_000 });
  const guard = new Guard(
    { readOnly: false, limits: {}, confirm: false },
    undefined,
    new Changes(undefined, undefined, () => now),
  );
  const { data, call } = await connect({ context: { ...context, guard } });
  const at = (time: string) => {
    now = new Date(time);
  };
  const outcomes = async (given: object = {}, time = closed) => {
    at(time);
    const listed = await data<Listed>('list_changes', { outcomes: true, ...given });
    return { ...listed, outcome: listed.changes[0]?.outcome };
  };
  const setShares = (...shares: readonly number[]) =>
    data('set_shares', { campaign_id: 1, shares: shares.map((share, index) => ({ page_id: index + 2, share })) });
  return { data, call, at, outcomes, setShares };
}

/** Offer 1 earns twice what offer 2 does, and has gone from half of the visitors to 80%. */
const better = [
  { offer: 1, days: before, visits: 100, sales: 10 },
  { offer: 2, days: before, visits: 100, sales: 5 },
  { offer: 1, days: after, visits: 160, sales: 16 },
  { offer: 2, days: after, visits: 40, sales: 2 },
] as const;

describe('a change of shares', () => {
  beforeEach(() => {
    lastClick = 0;
  });

  it('paid if its visitors earned more than the old shares would have earned with them', async () => {
    const { outcomes, setShares } = await serverWith(...better);
    await setShares(80, 20, 0);
    const { outcome } = await outcomes();
    expect(outcome).toMatchObject({ state: 'paid', start: '2026-05-21', end: '2026-06-03' });
    // 14 days of 200 visitors: 18 sales a day, and 15 with half of them each.
    expect(outcome).toMatchObject({ earned: 14 * 18 * 20, without_it: 14 * 15 * 20, difference: 14 * 3 * 20 });
  });
});
