import { describe, expect, it } from 'vitest';
import { ExpectedSalesOf, type TimedSale } from '../../src/analysis/expected-sales.ts';
import { atOnce } from '../../src/api/steps.ts';
import { seededRandom } from '../../src/sandbox/rotation/random.ts';
import { lateKinds, measureLateSales } from '../calibrate/late-worlds.ts';

const [hourMs, dayMs] = [3_600_000, 86_400_000];
/** A Monday. */
const monday = Date.UTC(2026, 10, 16);
const from = monday - 31 * dayMs;
const dayOf = (moment: number) => new Date(moment).toISOString().slice(0, 10);
const of = { value: 10, campaign: '1', offer: 'a', network: 'n' };

/** A sale every hour of 60 days, booked as late as given, as far as it is booked by now. */
function hourly(now: number, delayOf: (visited: number, index: number) => number, offer = of): TimedSale[] {
  return Array.from({ length: 60 * 24 }, (_, index) => monday + 8 * hourMs - index * hourMs)
    .map((visited, index) => ({ ...offer, visited, booked: visited + delayOf(visited, index) }))
    .filter(({ visited, booked }) => visited <= now && booked <= now && booked >= from);
}

const expectOf = (sales: readonly TimedSale[], now: number, start: string, end: string) =>
  atOnce(ExpectedSalesOf.learn(sales, { from, until: now, now })).expect({ start, end });

describe('the range of sales to come', () => {
  const measured = new Map(
    Object.keys(lateKinds).map((name, index) => [name, measureLateSales(name, 60, index * 1009)]),
  );
  // Without older days nobody can know how late the last sales come.
  const unknowable = ['all new'];
  const usual = Object.keys(lateKinds).filter((name) => !unknowable.includes(name));

  it.each(unknowable)('holds in more than half of the worlds that were never like this before: %s', (name) => {
    expect(measured.get(name)?.covered).toBeGreaterThan(0.5);
  });

  it.each(usual)('holds in about 9 of 10 worlds, without leaning to one side: %s', (name) => {
    const { covered = 0, expectedPart = 0 } = measured.get(name) ?? {};
    expect(covered).toBeGreaterThan(0.78);
    expect(expectedPart).toBeGreaterThan(0.85);
    expect(expectedPart).toBeLessThan(1.15);
  });

  it('holds in 85 to 95% over all of them', () => {
    const parts = usual.map((name) => measured.get(name)?.covered ?? 0);
    const mean = parts.reduce((sum, part) => sum + part, 0) / parts.length;
    expect(mean).toBeGreaterThan(0.85);
    expect(mean).toBeLessThan(0.95);
  });

  it.each(usual)('is hardly wider than that of one who knows the delays: %s', (name) => {
    // Only few sales show new delays, or how an offer that is new shares the visits.
    expect(measured.get(name)?.width).toBeLessThan(['grown lately', 'a new offer'].includes(name) ? 1.7 : 1.5);
  });
});

describe('sales to come', () => {
  const held = (hours: number, isStopped = false) => {
    const random = seededRandom(hours + 1);
    const now = monday + 14 * hourMs;
    const since = now - 4 * dayMs;
    const sales = Array.from({ length: 4000 }, () => {
      const visited = now - random() * 40 * dayMs;
      const delay = -Math.log(1 - random()) * 3 * hourMs + (visited >= since ? hours * hourMs : 0);
      return { ...of, visited, booked: visited + delay };
    }).filter(({ visited, booked }) => booked <= now && booked >= from && !(isStopped && visited >= since));
    return { now, since, learned: atOnce(ExpectedSalesOf.learn(sales, { from, until: now, now })) };
  };

  it('are those of the last hours where each is held back by as many, with when that began', () => {
    const { since, learned } = held(30);
    expect(learned.heldBack?.hours).toBeGreaterThanOrEqual(29);
    expect(learned.heldBack?.hours).toBeLessThanOrEqual(31);
    expect(Math.abs((learned.heldBack?.since ?? 0) - since)).toBeLessThan(hourMs);
    expect(learned.usualPartIn(0, '1')).toBeLessThan(0.05);
    expect(learned.usualPartIn(2, '1')).toBeGreaterThan(0.95);
  });

  it.each([
    ['come as before', held(0)],
    ['come two hours later', held(2)],
    ['stopped', held(0, true)],
  ])('are not held back where they %s', (_, { learned }) => {
    expect(learned.heldBack).toBeUndefined();
    expect(learned.usualPartIn(1, '1')).toBeGreaterThan(0.9);
  });

  it('are not held back where the visits ended, so that only late ones go on to come', () => {
    const random = seededRandom(1);
    const now = monday;
    const sales = Array.from({ length: 8000 }, () => {
      const visited = now - (2 + random() * 38) * dayMs;
      return { ...of, visited, booked: visited - Math.log(1 - random()) * 48 * hourMs };
    }).filter(({ booked }) => booked <= now && booked >= from);
    const ended = { levels: [0, 0, 0, ...Array.from({ length: 13 }, () => 1)], isSeen: true, deviation: 0 };
    const learned = atOnce(ExpectedSalesOf.learn(sales, { from, until: now, now }, () => ended));
    expect(learned.heldBack).toBeUndefined();
  });

  it.each([0.5, 7, 12.5, 23.5])(
    'are half of those of the last 24 hours where all come 12 hours late, at %d hours',
    (hour) => {
      const now = monday - dayMs + hour * hourMs;
      const sales = hourly(now, () => 12 * hourMs);
      const learned = atOnce(ExpectedSalesOf.learn(sales, { from, until: now, now }));
      expect(learned.usualPartIn(0, '1')).toBeCloseTo(0.5, 1);
      expect(learned.usualPartIn(1, '1')).toBeCloseTo(1, 1);
    },
  );

  it.each([1, 2, 3, 4, 5])('are those of each network as it reports: at once, or once a week (%d)', (seed) => {
    const random = seededRandom(seed);
    const now = monday + 4 * dayMs + 14 * hourMs;
    const reportedAfter = (visited: number) => {
      const report = monday + 8 * hourMs;
      return report + Math.ceil((visited - report) / (7 * dayMs)) * 7 * dayMs;
    };
    const sales = Array.from({ length: 3000 }, () => {
      const visited = now - random() * 40 * dayMs;
      const soon = visited - Math.log(1 - random()) * (random() < 0.85 ? 1 : 24) * hourMs;
      const offer = random() < 0.6 ? of : { ...of, offer: 'b', network: 'm' };
      return { ...offer, visited, booked: offer === of ? soon : reportedAfter(soon) };
    }).filter(({ booked }) => booked <= now && booked >= from);
    const learned = atOnce(ExpectedSalesOf.learn(sales, { from, until: now, now }));
    for (const day of [0, 1, 2, 3]) {
      expect(learned.usualPartIn(day, '1', 'a'), `day ${day}`).toBeGreaterThan(day === 0 ? 0.8 : 0.92);
      expect(learned.usualPartIn(day, '1', 'b'), `day ${day}`).toBeLessThan(0.1);
    }
    expect(learned.usualPartIn(6, '1', 'b')).toBeGreaterThan(0.85);
    expect(learned.usualPartIn(0, '1')).toBeGreaterThan(0.45);
    expect(learned.usualPartIn(0, '1')).toBeLessThan(0.75);
    expect(learned.usualPartIn(0, '1', 'new')).toBe(learned.usualPartIn(0, '1'));
  });

  it('of some days are the sum over the days and over the campaigns', () => {
    const now = monday + 9 * hourMs;
    const sales = [1, 2].flatMap((campaign) =>
      hourly(now, (_, index) => ((index * campaign) % 5) * 9 * hourMs, { ...of, campaign: `${campaign}` }),
    );
    const late = atOnce(ExpectedSalesOf.learn(sales, { from, until: now, now }));
    const days = [6, 5, 4, 3, 2, 1, 0].map((ago) => dayOf(monday - ago * dayMs));
    const whole = late.expect({ start: days[0] ?? '', end: days[6] ?? '' });
    const sumOf = (parts: readonly { readonly count: number }[]) => parts.reduce((sum, { count }) => sum + count, 0);
    expect(whole.count).toBeGreaterThan(10);
    expect(sumOf(days.map((day) => late.expect({ start: day, end: day })))).toBeCloseTo(whole.count, 6);
    const span = { start: days[0] ?? '', end: days[6] ?? '' };
    const ofCampaigns = ['1', '2'].map((name) => late.expect(span, (campaign) => campaign === name));
    expect(sumOf(ofCampaigns)).toBeCloseTo(whole.count, 6);
  });

  it('are known of all campaigns where one with a new offer went dark', () => {
    const now = monday + 9 * hourMs;
    const late = (_: number, index: number) => (index % 5) * 9 * hourMs;
    const dark = { ...of, campaign: '2' };
    const ofDark = ['old', 'new'].flatMap((offer) =>
      hourly(now, late, { ...dark, offer }).filter(({ visited }) => visited < now - 6 * dayMs),
    );
    const isNew = ({ offer, visited }: TimedSale) => offer !== 'new' || visited > now - 20 * dayMs;
    const gone = { levels: [0, 0, 0, 0, 0, 0, 1], isSeen: true, deviation: 0 };
    const learning = ExpectedSalesOf.learn(
      [...hourly(now, late), ...ofDark.filter(isNew)],
      { from, until: now, now },
      (campaign) => (campaign === '2' ? gone : undefined),
    );
    const { count, low, high } = atOnce(learning).expect({ start: dayOf(now - 9 * dayMs), end: dayOf(now) });
    expect(count).toBeGreaterThan(10);
    expect(low).toBeLessThan(count);
    expect(high).toBeGreaterThan(count);
  });

  it('are known on Monday at 7 of a network that rests on weekends', () => {
    const now = monday + 7 * hourMs;
    // All since Friday at 18 is reported on Monday at 8.
    const reportedAt = (moment: number) => {
      const intoWeek = (((moment - monday) % (7 * dayMs)) + 7 * dayMs) % (7 * dayMs);
      const hours = intoWeek / hourMs;
      if (hours >= 4 * 24 + 18) return moment + 7 * dayMs - intoWeek + 8 * hourMs;
      return hours < 8 ? moment - intoWeek + 8 * hourMs : moment;
    };
    const sales = hourly(now, (visited) => reportedAt(visited + 2 * hourMs) - visited);
    const expected = expectOf(sales, now, '2026-11-14', '2026-11-15');
    expect(expected.seen).toBe(0);
    expect(expected.count).toBeGreaterThan(44);
    expect(expected.count).toBeLessThan(52);
  });

  it('of a day just begun are those of its hours so far', () => {
    const now = monday + 4 * hourMs + 1;
    const today = dayOf(monday);
    const expected = expectOf(
      hourly(now, () => 3 * hourMs - 60_000),
      now,
      today,
      today,
    );
    expect(expected.count + expected.seen).toBeGreaterThan(4);
    expect(expected.count + expected.seen).toBeLessThan(6);
    expect(expected.count).toBeGreaterThan(2.5);
  });

  it('are expected of days without a sale', () => {
    const now = monday + 9 * hourMs;
    const expected = expectOf(
      hourly(now, () => 50 * hourMs),
      now,
      '2026-11-15',
      '2026-11-15',
    );
    expect(expected).toMatchObject({ seen: 0, revenue: expect.closeTo(expected.count * 10) });
    expect(expected.count).toBeGreaterThan(20);
    expect(expected.count).toBeLessThan(27);
  });

  it('are learned from whole days before, if the last ones could not be read', () => {
    const now = monday + 9 * hourMs;
    const until = monday - 3 * dayMs;
    const sales = hourly(now, () => 20 * hourMs).filter(({ booked }) => booked <= until);
    const expected = atOnce(ExpectedSalesOf.learn(sales, { from, until, now })).expect({
      start: '2026-11-15',
      end: '2026-11-15',
    });
    expect(expected.count).toBeGreaterThan(9);
    expect(expected.count).toBeLessThan(13);
  });

  it('are none if all come at once, and nothing is known of a network before its first sale', () => {
    const now = monday + 9 * hourMs;
    expect(
      expectOf(
        hourly(now, () => 0),
        now,
        '2026-11-15',
        '2026-11-15',
      ),
    ).toMatchObject({ count: 0, low: 0, high: 0 });
    expect(expectOf([], now, '2026-11-15', '2026-11-15')).toMatchObject({ seen: 0, count: 0, revenue: 0 });
  });
});
