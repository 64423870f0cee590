import { describe, expect, it } from 'vitest';
import { findTotal } from '../../../src/analysis/columns/tracker-total.ts';
import { Table } from '../../../src/api/table.ts';

/** Finds the total of a table that is given as text, a line a row, cells by |, `~` is empty. */
function find(heading: string, ...lines: string[]) {
  const rows = lines.map((line) => line.split('|').map((cell) => (cell === '~' ? null : cell)));
  return findTotal(Table.fromRows('offer', heading.split('|'), rows));
}

describe('a row is the tracker’s own total', () => {
  it.each(['Total', 'totals', 'TOTAL:', 'Grand Total', 'Sum', 'All', 'Overall', 'Summary'])(
    'where it is called %s and is the sum of the others',
    (name) => {
      expect(find('Name|Views', 'A|10', 'B|20', `${name}|30`)).toEqual({ index: 2, name });
      expect(find('Name|Views', `${name}|30`, 'A|10', 'B|20')).toEqual({ index: 0, name });
    },
  );

  it('with blanks where it has nothing to say, and ratios that do not add up', () => {
    expect(find('ID|Name|Status|Views|CTR', '1|A|on|10|5.0%', '2|B|off|20|8.0%', '~|Total|-|30|7.0%')?.index).toBe(2);
  });

  it('up to the rounding of money, but not of counts', () => {
    expect(find('Name|Views|Cost', 'A|10|0.33', 'B|20|0.33', 'C|1|0.33', 'Total|31|1.00')?.index).toBe(3);
    expect(find('Name|Views|Cost', 'A|10|0.33', 'B|20|0.33', 'C|1|0.33', 'Total|32|1.00')).toBeUndefined();
  });
});

describe('a row is none', () => {
  it.each<[string, string[]]>([
    ['where a campaign is called Total and the sums do not match', ['A|10|1', 'B|20|2', 'Total|30|4']],
    ['where it stands among the others', ['A|10|1', 'Total|30|3', 'B|20|2']],
    ['where its name says more', ['A|10|1', 'B|20|2', 'Total Gym|30|3']],
    ['without a name, as visitors without a keyword are', ['A|10|1', 'B|20|2', '~|30|3']],
    ['where all is 0', ['A|0|0', 'Total|0|0']],
    ['alone', ['Total|30|3']],
  ])('%s', (_, rows) => {
    expect(find('Name|Views|Conversions', ...rows)).toBeUndefined();
  });

  it('where no column adds up', () => {
    expect(find('Name|Payout', 'A|10', 'B|20', 'Total|30')).toBeUndefined();
  });
});
