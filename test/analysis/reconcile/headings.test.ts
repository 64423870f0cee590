import { describe, expect, it } from 'vitest';
import { headings } from '../../../src/analysis/reconcile/headings.ts';
import { accountWords, noSaleWords } from '../../../src/analysis/reconcile/line-words.ts';
import { networkOf, standingOf, statusWords } from '../../../src/analysis/reconcile/status-words.ts';
import { read } from './statements.ts';

const [first, second] = ['ab12cd34_7_00000345', 'ef56gh78_7_00000346'];

/** A statement whose third column has the heading and these cells. */
const under = (heading: string, cells: readonly [string, string], others = 'SubID;Payout') =>
  read(`${others};${heading}\n${first};1.00;${cells[0]}\n${second};2.00;${cells[1]}`);

type Check = (heading: string) => Promise<unknown>;

/** What a statement shows of a column with a heading of each meaning, and what that must be. */
const shown: Record<(typeof headings)[number][0], readonly [Check, unknown]> = {
  subid: [
    async (heading) => (await read(`${heading};Payout\n00000345;1.00\n00000346;2.00`)).subidColumns[0]?.cells,
    ['00000345', '00000346'],
  ],
  payout: [
    async (heading) => {
      const { amountColumn, lines } = await read(`SubID;Other;${heading}\n${first};9.99;12.50\n${second};9.99;30.00`);
      return [amountColumn === heading, lines.map(({ amount = 0 }) => (amount < 1 ? amount * 100 : amount))];
    },
    [true, [12.5, 30]],
  ],
  amount: [
    async (heading) =>
      (await read(`SubID;${heading}\n${first};12.50\n${second};30.00`)).lines.map(({ amount }) => amount),
    [12.5, 30],
  ],
  sale_value: [
    async (heading) => {
      const { amountColumn, amountColumns, notices } = await read(`SubID;${heading}\n${first};12.50\n${second};30.00`);
      return [
        amountColumn,
        amountColumns.likely,
        notices.some((note) => note.code === 'no-payouts' && note.paid !== undefined),
      ];
    },
    [undefined, [], true],
  ],
  time: [async (heading) => (await under(heading, ['2026-08-02', 'x'])).timeColumn === heading, true],
  clock: [
    async (heading) => {
      const { lines } = await read(`SubID;Date;${heading}\n${first};2026-08-02;10:00\n${second};2026-08-02;11:30`);
      return lines.map(({ time = 0 }) => new Date(time).toISOString().slice(11, 16));
    },
    ['10:00', '11:30'],
  ],
  click_time: [
    async (heading) => {
      const others = await read(`SubID;Payout;${heading};Zork\n${first};1.00;2026-08-01;2026-08-02`);
      return [(await under(heading, ['2026-08-02', '2026-08-03'])).timeColumn === heading, others.timeProblem?.kind];
    },
    [true, 'several'],
  ],
  later_time: [
    async (heading) => {
      const { timeColumn, timeProblem } = await under(heading, ['2026-08-02', '2026-08-03']);
      return [timeColumn, timeProblem?.kind];
    },
    [undefined, 'later'],
  ],
  long_time: [
    async (heading) => {
      const { timeColumn, timeProblem } = await under(heading, ['2026-08', '36']);
      return [timeColumn, timeProblem];
    },
    [undefined, expect.objectContaining({ kind: 'unreadable', cell: '2026-08' })],
  ],
  status: [
    async (heading) => (await under(heading, ['x', 'y'])).lines.map(({ statuses }) => statuses.map(({ cell }) => cell)),
    [['x'], ['y']],
  ],
  type: [
    async (heading) => (await under(heading, ['x', 'y'])).lines.map(({ statuses }) => statuses.map(({ kind }) => kind)),
    [['type'], ['type']],
  ],
  other: [
    async (heading) => {
      const { amountColumn, amountColumns } = await read(`SubID;${heading}\n${first};12.50\n${second};30.00`);
      return [amountColumn, amountColumns.likely, amountColumns.possible];
    },
    [undefined, [], []],
  ],
  currency: [
    async (heading) => (await under(heading, ['eur', 'USD'])).lines.map((line) => line.currency),
    ['EUR', 'USD'],
  ],
  transaction: [
    async (heading) => (await under(heading, ['T1', 'T2'])).lines.map((line) => line.transaction),
    ['T1', 'T2'],
  ],
  offer: [async (heading) => (await under(heading, ['A', 'B'])).lines.map(({ offer }) => offer), ['A', 'B']],
};

const rows = headings.map(([meaning, by, names]) => ({
  meaning,
  by,
  names: names.split(',').map((name) => name.trim()),
}));

describe('a known heading', () => {
  it.each(rows)('of $by means $meaning: $names', async ({ meaning, names }) => {
    const [check, expected] = shown[meaning];
    for (const heading of names) expect([heading, await check(heading)]).toEqual([heading, expected]);
  });

  it.each(['Stat.payout', 'Payout (USD)', 'PAYOUT $', 'payout_amount', 'Vergutung', 'commission EUR'])(
    'may have a unit, a prefix, or other separators: %s',
    async (heading) => expect(await shown.payout[0](heading)).toEqual([true, [12.5, 30]]),
  );

  it('of two meanings in different networks is in the table once for each', () => {
    const all = rows.flatMap(({ meaning, names }) => names.map((name) => `${meaning} ${name.toLowerCase()}`));
    expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([]);
  });
});

it.each(
  Object.values(noSaleWords)
    .join(',')
    .split(',')
    .map((word) => word.trim()),
)('a line with the word “%s” is no sale', async (word) => {
  const { lines } = await read(`SubID;Payout\n${first};1.00\n${second};2.00\n${word} 2026;4.00`);
  expect(lines).toHaveLength(2);
});

it.each(accountWords.split(',').map((word) => word.trim()))('a line of an account is no sale: %s', async (word) => {
  const lines = `${first};x;2026-08-02;1.00\n;${word};2026-08-03;4.00\n${second};${word};2026-08-04;2.00`;
  expect((await read(`SubID;What;Date;Payout\n${lines}`)).lines.map(({ amount }) => amount)).toEqual([1, 2]);
});

describe('a status', () => {
  it.each(statusWords)('%s, %s: %s', (network, standing, words) => {
    for (const word of words.split(','))
      expect([word, standingOf(word.toUpperCase(), network, network.endsWith('line'))]).toEqual([word, standing]);
  });

  it('on which networks contradict each other means nothing without its network', () => {
    for (const word of ['1', '2', '3', 'hold', 'new', 'dep', 'chargeback', 'lead'])
      expect([word, standingOf(word, undefined)]).toEqual([word, undefined]);
    expect([standingOf('2', 'Affise'), standingOf('2', 'CJ')]).toEqual(['pending', undefined]);
  });

  it.each([
    ['the conversions', ['SubID'], ['Affise', 'My Affise account'], 'Affise'],
    ['one of several networks', ['SubID'], ['Affise', 'AdCombo'], undefined],
    ['an unknown network', ['SubID'], ['Affise', 'Private deal'], undefined],
    ['a longer word', ['SubID'], ['CJX'], undefined],
    ['the headings', ['Publisher SID'], [], 'CJ'],
    ['nothing', ['SubID'], [], undefined],
  ] as const)('is read by the network of %s', (_what, columns, sources, network) => {
    expect(networkOf(columns, sources)).toBe(network);
  });
});
