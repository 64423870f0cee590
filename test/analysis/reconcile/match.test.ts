import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clock, counts, match, read, someSales, statementOf } from './statements.ts';

const sales = someSales();
const lines = statementOf(sales).split('\n');
const [heading = '', first = '', second = '', ...others] = lines;
const subid = sales[0]?.subid ?? '';
const when = '2026-06-03 10:00:00';

const added = (...more: readonly string[]) => [...lines, ...more];
const edited = (from: string, to: string) => [heading, first.replace(from, to), second, ...others];
const onlyStated = { matched: '40/40', statement_only: '1/0' };
const unread = { matched: '40/40', unreadable: '1/0' };
const elsewhere = { matched: '40/40', other_tracker: '1/0' };
const spoilt = { unreadable: '1/1', matched: '39/39' };
const unknown = `ab12cd99_7_99999999,5,${when}`;

/** Faults in a statement of 40 sales, and the resulting classes as lines/conversions. */
const faults: readonly (readonly [fault: string, text: readonly string[], classes: Record<string, string>])[] = [
  ['nothing', lines, { matched: '40/40' }],
  ['another amount', edited('10.25', '9.75'), { amount_differs: '1/1', matched: '39/39' }],
  ['half a cent of rounding', edited('10.25', '10.2499'), { matched: '40/40' }],
  ['a line without a conversion', added(unknown), onlyStated],
  ['a missing line', [heading, second, ...others], { matched: '39/39', tracker_only: '0/1' }],
  ['a line twice', added(first), { matched: '40/40', twice_in_statement: '1/0' }],
  ['an unknown line thrice', added(unknown, unknown, unknown), { ...onlyStated, twice_in_statement: '2/0' }],
  ['another form of ID', added(`0f8fad5b-d9cb-469f-a165-70867728950e,5,${when}`), elsewhere],
  ['a campaign that the tracker does not have', added(`ab12cd99_55_00000001,5,${when}`), elsewhere],
  ['another length of subID', added(`abc_7_00000001,5,${when}`), elsewhere],
  ['an empty subID', added(`,5,${when}`), unread],
  ['a placeholder', added(`{aff_sub},5,${when}`), unread],
  ['a subID that is cut off', added(`ab12cd10_7_,5,${when}`), unread],
  ['digits that a spreadsheet rounded away', added(`1.23457E+11,5,${when}`), unread],
  ['an amount in words', edited('10.25', 'ten'), spoilt],
  ['a day that no calendar has', edited('2026-06-01', '2026-06-31'), spoilt],
  ['zeros lost as in Excel', edited(subid, '1000'), { matched: '40/40' }],
  ['another letter case', edited(subid, subid.toUpperCase()), { matched: '40/40' }],
  ['a URL around the subID', edited(subid, `https://n.example/?s1=${subid}&x=1`), { matched: '40/40' }],
  ['a word before the subID', edited(subid, `aff_${subid}`), { matched: '40/40' }],
  ['spaces for underscores', edited(subid, subid.replaceAll('_', ' ')), { matched: '40/40' }],
  ['wide underscores, and one behind it', edited(subid, `${subid.replaceAll('_', '\uff3f')}_`), { matched: '40/40' }],
  [
    'the parts of two visitors',
    edited(subid, `${subid} ${sales[1]?.subid}`),
    { unreadable: '1/0', matched: '39/39', tracker_only: '0/1' },
  ],
  ['a formula', added(`=cmd|' /C calc'!A0,5,${when}`), unread],
];

describe('a statement with a fault', () => {
  it.each(faults)('%s: each line and conversion is in one class', async (_fault, text, classes) => {
    expect(counts(await match(text.join('\n'), sales))).toEqual(classes);
  });

  it('a matched line explains what was wrong with it', async () => {
    const upper = second.replace(sales[1]?.subid ?? '', 'AB12CD11_7_00001001');
    const { pairs } = await match([heading, first.replace(subid, '1000'), upper, ...others].join('\n'), sales);
    expect(pairs.slice(0, 2).flatMap(({ about }) => about)).toEqual([
      `zeros of the ClickID lost, as in Excel: “${subid}”`,
      'letter case differs: “ab12cd11_7_00001001”',
    ]);
  });

  it('a number that a spreadsheet rounded is matched only if one ClickID fits, with a remark', async () => {
    const large = ['123456789012', '123456999999', '999999999999'].map((click, index) => ({
      ...sales[index],
      subid: `ab12cd10_7_${click}`,
    }));
    const text = `${heading}\n1.23457E+11,10.25,${when}\n1E+12,12.25,${when}`;
    const { pairs } = await match(text, large as typeof sales);
    expect(pairs[0]).toMatchObject({ class: 'unreadable', about: [expect.stringContaining('digits are lost')] });
    expect(pairs[1]).toMatchObject({ class: 'matched', subid: 'ab12cd10_7_999999999999' });
  });

  it('a conversion twice in the tracker is found with a line and without', async () => {
    const twice = [...sales, { ...sales[0], transaction: 'X' }, { ...sales[1], transaction: 'Y' }] as typeof sales;
    const text = [heading, first, ...others].join('\n');
    const expected = { matched: '39/39', tracker_only: '0/1', twice_in_tracker: '0/2' };
    expect(counts(await match(text, twice))).toEqual(expected);
  });

  it('items with numbers behind that of their order add up to its conversion', async () => {
    const items = [`${subid},4,${when},A1-1`, `${subid},6.25,${when},A1-2`, ...others.map((line) => `${line},`)];
    const result = await match([`${heading},Transaction ID`, ...items].join('\n'), [
      ...sales.slice(0, 1),
      ...sales.slice(2),
    ]);
    expect(counts(result)).toEqual({ matched: '40/39' });
  });

  it('several sales of a visitor are paired by transaction, then by amount', async () => {
    const amounts = Object.entries({ A: 5, B: 7, C: 9 });
    const repeated = amounts.map(([transaction, amount]) => ({ ...sales[0], amount, transaction })) as typeof sales;
    const text = `SubID,Payout,Date,Transaction ID\n${subid},9,${when},\n${subid},7,${when},A\n${subid},5,${when},`;
    const { pairs } = await match(text, repeated);
    expect(pairs.map(({ line, sale, class: name }) => [line?.amount, sale?.amount, name])).toEqual([
      [9, 9, 'matched'],
      [7, 5, 'amount_differs'],
      [5, 7, 'amount_differs'],
    ]);
  });

  it('for one campaign, lines of other campaigns have a separate class', async () => {
    const text = [...lines, `ab12cd99_8_00000001,5,${when}`].join('\n');
    expect(counts(await match(text, sales, { campaignId: '7' }))).toEqual({ matched: '40/40', other_campaign: '1/0' });
  });

  it('conversions of the days before and after are only used for lines', async () => {
    const { pairs, outside } = await match(`${heading}\n${first}`, sales, { end: '2026-06-01' });
    expect([pairs.length, outside]).toEqual([3, 37]);
  });

  it('a missing sale of the last day is told, though that day has no other line with a conversion', async () => {
    const some = sales.slice(0, 5);
    const dates = statementOf(some).replace(/ \d\d:\d\d:\d\d/g, '');
    const text = `${dates}\nab12cd99_7_00000099,5,2026-06-04`;
    const missingAt = (time: string) => [...some, { ...(sales[9] ?? some[0]), time: Date.parse(time) }] as typeof sales;
    expect(counts(await match(text, missingAt('2026-06-04T01:30:00Z'), { end: '2026-06-04' }))).toEqual({
      matched: '5/5',
      statement_only: '1/0',
      tracker_only: '0/1',
    });
    // By a clock that is behind, this one is of the day after.
    const { outside } = await match(text, missingAt('2026-06-04T23:30:00Z'), { end: '2026-06-04' });
    expect(outside).toBe(1);
  });

  it.each([
    ['99,EUR', '$', 'matched'],
    ['99,USD', '$', 'amount_differs'],
    ['$99,', 'AUD', 'amount_differs'],
    ['€99,', 'AUD', 'matched'],
    ['99 kr,', 'SEK', 'amount_differs'],
    ['99,USD', undefined, 'amount_differs'],
  ])('%s against %s is %s: amounts of different currencies are not compared', async (cells, currency, name) => {
    const { pairs } = await match(`SubID,Payout,Currency\n${subid},${cells}`, sales.slice(0, 1), { currency });
    const found = pairs.map((pair) => [pair.class, pair.about.join().includes('not compared')]);
    expect(found).toEqual([[name, name === 'matched']]);
  });

  it('nothing is lost: every line is a sale or named as none, in its order, and so is every conversion', async () => {
    const cell = fc.oneof(
      fc.integer({ min: 0, max: 12 }).map((index) => sales[index]?.subid ?? ''),
      fc.integer({ min: 0, max: 12 }).map((index) => String(1000 + index)),
      fc.constantFrom(
        ...[
          '',
          'sub 1',
          ...'x_7_1 ab12cd99_9_00000001 ab12cd99_7_00000001 1E+3 1.0E+3 {sub} abc-def 7_1001'.split(' '),
        ],
      ),
    );
    const line = fc.tuple(
      cell,
      fc.constantFrom('10.25', '11.25', '', 'x', '-1'),
      fc.constantFrom(when, '', '2026-06-31', '2026-07-20'),
    );
    const listed = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 30 }), listed, async (some, indexes) => {
        const given = indexes.flatMap((index) => {
          const network = index % 4 === 0 ? undefined : `N${index % 3}`;
          return sales[index] ? [{ ...sales[index], network }] : [];
        });
        const filled = some.filter((cells) => cells.join('') !== '');
        const text = [heading, ...filled.map((cells) => cells.join(','))].join('\n');
        const [result, { noSales }] = await Promise.all([match(text, given), read(text)]);
        const ownLines = result.pairs.flatMap((pair) => pair.line?.line ?? []);
        expect(ownLines).toEqual(ownLines.toSorted((one, other) => one - other));
        const lineNumbers = [...ownLines, ...noSales.map(({ line }) => line)].sort((one, other) => one - other);
        const paired = result.pairs.flatMap(({ sale }) => sale ?? []);
        expect(lineNumbers).toEqual(filled.map((_, index) => index + 2));
        expect(new Set(paired).size).toBe(paired.length);
        const others = [...(result.others?.counts.values() ?? [])].reduce((sum, count) => sum + count, 0);
        expect(paired.length + result.outside + others).toBe(given.length);
      }),
      { numRuns: 200 },
    );
  });

  it('never speaks of fraud', async () => {
    const all = faults.map(([, text]) => match(text.join('\n'), sales));
    expect(JSON.stringify(await Promise.all(all))).not.toMatch(/fraud|cheat|scam/i);
  });
});

describe('conversions without a line', () => {
  const places = ['Summit', 'Harbor', undefined, 'Lead'] as const;
  const named = (by: 'network' | 'offer') =>
    sales.map((sale, index) => ({ ...sale, offer: 'Plan', [by]: places[index % places.length] }));
  /** A statement of Summit without one of its ten sales. */
  const ofSummit = [heading, ...lines.slice(1).filter((_, index) => index % 4 === 0 && index > 0)];

  it.each(['network', 'offer'] as const)('of a different %s than all lines are counted by name', async (by) => {
    const result = await match(ofSummit.join('\n'), named(by));
    expect(counts(result)).toEqual({ matched: '9/9', tracker_only: '0/11' });
    expect(result.others).toEqual({
      by,
      names: new Set(['Summit']),
      counts: new Map([
        ['Harbor', 10],
        ['Lead', 10],
      ]),
    });
  });

  it.each([
    ['nothing matched', [heading, unknown], '0/40'],
    ['more lines lack a conversion than have one', [heading, first, unknown, unknown.replace('9999', '8888')], '0/39'],
    ['lines are of all networks', [heading, first, second, ...others.slice(1, 2)], '0/37'],
  ])('are all counted if %s', async (_when, text, tracker_only) => {
    const result = await match(text.join('\n'), named('network'));
    expect(counts(result)).toMatchObject({ tracker_only });
    expect(result.others).toBeUndefined();
  });
});

describe('the column of subIDs', () => {
  it('names most visitors of the tracker, even if other columns have better names', async () => {
    const text = [
      'SubID,Click ID,sub3,Payout',
      ...sales.map((sale, index) => `aff${index},${9000 + index},${sale.subid},${sale.amount}`),
    ];
    const result = await match(text.join('\n'), sales);
    expect([result.subidColumn, counts(result)]).toEqual(['sub3', { matched: '40/40' }]);
  });

  it('may hold ClickIDs alone', async () => {
    const text = ['click_id;commission', ...sales.map((sale) => `${sale.subid.split('_')[2]};${sale.amount}`)];
    expect(counts(await match(text.join('\n'), sales))).toEqual({ matched: '40/40' });
  });
});

describe('amounts that could be thousands or fractions', () => {
  it.each([
    ['1.234', 1234, 'a thousand'],
    ['1.234', 1.234, 'a fraction'],
    ['1,234', 1234, 'a thousand'],
    ['1,234', 1.234, 'a fraction'],
  ])('%s against %d is read as %s, with a notice', async (written, amount, words) => {
    const result = await match(`SubID;Payout\n${subid};${written}`, [{ ...sales[0], amount }] as typeof sales);
    expect(counts(result)).toEqual({ matched: '1/1' });
    const isThousand = words === 'a thousand';
    expect(result.notices).toContainEqual({ code: 'open-amount', cell: expect.any(String), isThousand });
  });
});

const shift = (given: typeof sales, hours: number) =>
  given.map((sale) => ({ ...sale, time: (sale.time ?? 0) + hours * 3_600_000 }));

/** UTC-12 to UTC+14, and zones of half and quarter hours. */
const zones = [...Array.from({ length: 27 }, (_, index) => index - 12), 3.5, 5.5, -9.5, 5.75, 12.75];

describe('the shift between the clocks', () => {
  it.each(zones)('of %d hours is found, and every line is matched', async (hours) => {
    const moved = shift(sales, hours);
    const days = moved.map(({ time }) => clock(time).slice(0, 10)).sort();
    const result = await match(statementOf(moved), sales, { start: days[0] ?? '', end: days.at(-1) ?? '' });
    expect(result.shift).toEqual({ minutes: hours * 60, fits: 40, timed: 40 });
    expect(counts(result)).toEqual({ matched: '40/40' });
  });

  it('is found if postbacks are minutes late and some sales are days apart', async () => {
    const moved = sales.map((sale, index) => ({
      ...sale,
      time: (sale.time ?? 0) + 3 * 3_600_000 - (index % 9) * 60_000 - (index % 10 === 0 ? 5 * 86_400_000 : 0),
    }));
    expect((await match(statementOf(moved), sales)).shift).toEqual({ minutes: 180, fits: 36, timed: 40 });
  });

  it.each([-9, 5.5, 14])('of %d hours does not change the days of a statement on either clock', async (hours) => {
    const dense = Array.from({ length: 400 }, (_, index) => ({
      ...sales[0],
      subid: `ab12cd10_7_${String(2000 + index).padStart(8, '0')}`,
      time: Date.UTC(2026, 5, 1) + index * 1_800_000,
    })) as typeof sales;
    const moved = shift(dense, hours);
    const isWithin = ({ time }: { time?: number | undefined }) =>
      clock(time ?? 0) >= '2026-06-04' && clock(time ?? 0) < '2026-06-07';
    const ofItsClock = moved.filter(isWithin);
    const ofTheTracker = moved.filter((_, index) => isWithin(dense[index] ?? {}));
    for (const stated of [ofItsClock, ofTheTracker]) {
      const days = stated.map(({ time }) => clock(time).slice(0, 10));
      const whole = { start: days[0] ?? '', end: days.at(-1) ?? '' };
      const result = await match(statementOf(stated.filter((_, index) => index !== 70)), dense, whole);
      expect(counts(result)).toEqual({ matched: '143/143', tracker_only: '0/1' });
    }
  });

  it('is not found for days without a time of day, nor for too few sales', async () => {
    const dates = statementOf(sales).replace(/ \d\d:\d\d:\d\d/g, '');
    expect((await match(dates, sales)).shift).toBeUndefined();
    expect((await match(statementOf(sales.slice(0, 2)), sales)).shift).toBeUndefined();
  });
});
