import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountIn, bareNotation, type Notation, parseAmount } from '../../../src/analysis/columns/amounts.ts';
import { readNumbers } from '../../../src/analysis/columns/columns.ts';
import { notationOf } from '../../../src/analysis/columns/notation.ts';
import { Table, type TablesReply, withOrigin } from '../../../src/api/table.ts';
import { type DecimalMark, TrackerNumbers } from '../../../src/api/tracker-numbers.ts';

const notations: Readonly<Record<DecimalMark, Notation>> = {
  point: { decimal: 'point', by: 'cells', readsOpenPoint: true },
  comma: { decimal: 'comma', by: 'cells', readsOpenPoint: true },
};

const read = (text: string, notation: Notation = bareNotation) => {
  const amount = parseAmount(text);
  return amount && amountIn(amount, notation);
};

describe('an amount', () => {
  it.each<[text: string, value: number, unit?: string]>([
    ['0', 0],
    ['1030.25', 1030.25],
    ['1,030.25', 1030.25],
    ['1,030,250', 1_030_250],
    ['1,00,000.5', 100_000.5],
    ["1'030.25", 1030.25],
    ['1\u2019030.25', 1030.25],
    ['1 030.25', 1030.25],
    ['1\u00a0030.25', 1030.25],
    ['1\u2009030 250', 1_030_250],
    ['-1.50', -1.5],
    ['\u22121.50', -1.5],
    ['1.50-', -1.5],
    ['(12.50)', -12.5],
    ['$(12.50)', -12.5, '$'],
    ['-$12.50', -12.5, '$'],
    ['$-12.50', -12.5, '$'],
    ['CA$ 12.50', 12.5, 'CA$'],
    ['$12.50 USD', 12.5, 'USD'],
    ['12.50usd', 12.5, 'USD'],
    ['12.50 (USD)', 12.5, 'USD'],
    ['Rs.12.50', 12.5, 'Rs'],
    ['12.50 kr.', 12.5, 'kr'],
    ['12.50 zł', 12.5, 'zł'],
    ['R$ 12.50', 12.5, 'R$'],
    ['12.5 %', 12.5, '%'],
    ['.5', 0.5],
    ['20.', 20],
    ['20,', 20],
    ['\u200f1030.25 \u200f₪', 1030.25, '₪'],
    ['1\u200b030', 1030],
    ['$.50', 0.5, '$'],
  ])('is read from %s', (text, value, unit) => {
    expect(read(text)).toBe(value);
    expect(parseAmount(text)?.unit).toBe(unit);
  });

  it.each<[string, number, number]>([
    ['1,234', 1234, 1.234],
    ['1.234', 1.234, 1234],
    ['330,079 €', 330_079, 330.079],
  ])('such as %s has two values', (text, withPoint, withComma) => {
    expect(parseAmount(text)?.isOpen).toBe(true);
    expect(read(text, notations.point)).toBe(withPoint);
    expect(read(text, notations.comma)).toBe(withComma);
  });

  it.each([...['1.234.567', '1.234,5', '12,5', '12,50', '0,350', '1,2345', '1030,250', '1 030,250', "1'030,2", ',5']])(
    'such as %s has a decimal comma',
    (text) => {
      expect(read(text, notations.point)).toBeUndefined();
      expect(read(text, notations.comma)).toBeTypeOf('number');
    },
  );

  it.each([
    ...['', 'x', '12abc', '1 of 2', '1,2,3', '1, 2', '12.05.2026', '192.168.1.1', '007', '1e5', '--5', '-$-5'],
    ...['(5', '5)', '(-5)', '$5%', '$5 EUR', '1 23', '1,234.567.890', '1.5 000', '12-13', '9007199254740993', '10:30'],
    ...['12.50 points', '5 (3%)', `${'1'.repeat(16)}.5`, '1'.repeat(100), '٣'],
  ])('is not read from %j', (text) => {
    expect([read(text, notations.point), read(text, notations.comma)]).toEqual([undefined, undefined]);
  });

  it('is the number that a locale wrote', () => {
    const locales: readonly [string, DecimalMark][] = [
      ...(['en-US', 'en-IN', 'de-CH', 'es-MX'] as const).map((locale): [string, DecimalMark] => [locale, 'point']),
      ...(
        ['de-DE', 'fr-FR', 'es-AR', 'pt-BR', 'pl-PL', 'sv-SE', 'nb-NO', 'da-DK', 'cs-CZ', 'ru-RU', 'it-IT'] as const
      ).map((locale): [string, DecimalMark] => [locale, 'comma']),
    ];
    const formats = locales.flatMap(([locale, mark]) =>
      [{}, { style: 'currency', currency: 'EUR' }, { style: 'currency', currency: 'USD' }].map(
        (options) =>
          [
            new Intl.NumberFormat(locale, { ...options, minimumFractionDigits: 2 } as Intl.NumberFormatOptions),
            mark,
          ] as const,
      ),
    );
    fc.assert(
      fc.property(fc.integer({ min: -1e11, max: 1e11 }), fc.constantFrom(...formats), (cents, [format, mark]) => {
        const text = format.format(cents / 100);
        expect(read(text, notations[mark]), text).toBe(cents / 100 + 0);
      }),
    );
  });
});

/** The tables of one answer, each a column. */
function answer(columns: Readonly<Record<string, readonly (string | null)[]>>, numbers = new TrackerNumbers()) {
  const names = Object.keys(columns);
  const table = Table.fromColumns('report', names, Object.values(columns));
  const reply: TablesReply = { kind: 'tables', tables: [table], notices: [] };
  const { tables } = withOrigin(reply, numbers) as TablesReply;
  const [only = table] = tables;
  const sums = names.map((_, index) => readNumbers(only, index)?.sum);
  return { sums, notation: notationOf(only) };
}

it('blanks around a number are none of it, as where a message of PHP was', () => {
  expect(parseAmount(`${' '.repeat(90)}200\n`)).toEqual(parseAmount('200'));
});

describe('the columns of an answer decide together', () => {
  it.each<[Record<string, string[]>, (number | undefined)[]]>([
    [{ Cost: ['330,079'], Revenue: ['312,5'] }, [330.079, 312.5]],
    [{ Cost: ['330,079'], Revenue: ['312.5'] }, [330_079, 312.5]],
    [{ Cost: ['330,079'], Revenue: ['312'] }, [undefined, 312]],
    [{ Cost: ['330.079'], Revenue: ['312'] }, [330.079, 312]],
    [{ Cost: ['330.079'], Revenue: ['312,5'] }, [330_079, 312.5]],
    [{ Cost: ['330.079'], Revenue: ['330,079'] }, [undefined, undefined]],
    [{ Views: ['1.400'], Cost: ['330,079'] }, [1400, 330.079]],
    [{ Views: ['1,400'], Cost: ['330,079'] }, [1400, 330_079]],
    // A count with points does not show that money has them too.
    [{ Views: ['1.400'], Cost: ['330.079'] }, [1400, undefined]],
    [{ Views: ['1.400'], Cost: ['112.4'] }, [undefined, 112.4]],
    [{ Conversions: ['1.250', '0.5'], Cost: ['1'] }, [undefined, 1]],
    [{ Cost: ['12.50 €'], Revenue: ['12,50 €'] }, [undefined, undefined]],
    [{ Keyword: ['12,5'], Cost: ['330,079'] }, [undefined, undefined]],
    [{ 'Payout (EUR)': ['12,50'], Cost: ['1.000'] }, [12.5, 1000]],
    [{ ID: ['1', '2'], Device: ['R1', 'R2'], Place: ['Top 1', 'Top 2'] }, [3, undefined, undefined]],
  ])('%j', (columns, sums) => {
    expect(answer(columns).sums).toEqual(sums);
    expect(answer(columns).sums).toEqual(sums);
  });

  it('what is configured decides the rest', () => {
    const sumsWith = (mark: DecimalMark, columns: Record<string, string[]>) =>
      answer(columns, new TrackerNumbers(mark)).sums;
    expect(sumsWith('comma', { Cost: ['330,079'] })).toEqual([330.079]);
    expect(sumsWith('comma', { Cost: ['330.079'] })).toEqual([330_079]);
    expect(sumsWith('comma', { Cost: ['330,079'], EPV: ['0.2232'] })).toEqual([330.079, 0.2232]);
    expect(sumsWith('point', { Views: ['1.400'], Cost: ['330,079'] })).toEqual([undefined, 330_079]);
    expect(sumsWith('point', { Cost: ['12,5'] })).toEqual([12.5]);
  });

  it('earlier answers settle what is open, and change nothing that is read', () => {
    const numbers = new TrackerNumbers();
    answer({ Cost: ['12,5'] }, numbers);
    expect(answer({ Cost: ['330,079'] }, numbers).sums).toEqual([330.079]);
    expect(answer({ Cost: ['330.079'] }, numbers).sums).toEqual([undefined]);
    expect(answer({ Cost: ['330.07'] }, numbers).sums).toEqual([330.07]);
    answer({ Cost: ['1,012.50'] }, numbers);
    expect(answer({ Cost: ['330,079'] }, numbers).sums).toEqual([undefined]);
  });

  it('plain numbers of an earlier answer do not show how texts are written', () => {
    const numbers = new TrackerNumbers();
    answer({ Bid: ['0.35'] }, numbers);
    expect(answer({ Cost: ['330,079'] }, numbers).sums).toEqual([undefined]);
  });
});
