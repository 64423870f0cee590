import { describe, expect, test } from 'vitest';
import { Table } from '../../src/api/table.ts';
import { fromTracker, rawCell } from '../../src/api/text/tracker-text.ts';
import { maskVisitors } from '../../src/client/mask-visitors.ts';

/** The cells of a column that are shown for these. */
function shownFor(name: string, cells: readonly (string | null)[]): readonly (string | null)[] {
  const table = Table.fromColumns('visitors', [name], [cells]);
  const reply = maskVisitors({ kind: 'tables', tables: [table], notices: [] });
  if (reply.kind !== 'tables') throw new TypeError('tables stay tables');
  const [masked] = reply.tables;
  const column = masked?.column(0).map(rawCell) ?? [];
  const { codes, values } = masked?.coded(0) ?? { codes: [], values: [] };
  expect(Array.from(codes, (code) => rawCell(values[code] ?? null))).toEqual(column);
  return column;
}

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';
const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1';

describe('in a column', () => {
  test.each([
    ['203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8:1:2::5', '2001:db8:1::/48'],
    ['3405803783', '203.0.113.0/24'],
    ['::ffff:203.0.113.7', '::ffff:203.0.113.0/24'],
    ['203.0.113.7, 198.51.100.9', '203.0.113.0/24, 198.51.100.0/24'],
    ['unknown', 'unknown'],
    [null, null],
  ])('of addresses, %j is shown as %j', (text, shown) => {
    expect(shownFor('IP', [text, '203.0.113.200'])).toEqual([shown, '203.0.113.0/24']);
  });

  test.each([
    ['https://example.com/?ip=203.0.113.7&a=1', 'https://example.com/?ip=203.0.113.0/24&a=1'],
    ['https://example.com/?u=ip%3D203.0.113.7', 'https://example.com/?u=ip%3D203.0.113.0/24'],
    ['{"visitor":"2001:db8:1:2::5"}', '{"visitor":"2001:db8:1::/48"}'],
    [phone, 'Safari, iOS, mobile'],
    ['2026-11-28 12:30:45', '2026-11-28 12:30:45'],
    ['999.1.1.1 and 1.2.3.4.5', '999.1.1.1 and 1.2.3.4.5'],
    ['std::vector', 'std::vector'],
    ['1234567890', '1234567890'],
  ])('of any other name, %j is shown as %j', (text, shown) => {
    expect(shownFor('Referrer', [text])).toEqual([shown]);
  });

  test.each([
    [chrome, 'Chrome, Windows, desktop'],
    [phone, 'Safari, iOS, mobile'],
    ['curl/7.68.0', 'curl'],
    ['SomeApp/3.1 (build 77)', 'SomeApp'],
    [chrome.replace('Chrome/', 'HeadlessChrome/'), 'Chrome, Windows, desktop, Headless'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1)', 'Googlebot, bot'],
  ])('of user agents, %j is shown as %j', (text, shown) => {
    expect(shownFor('UserAgent', [text])).toEqual([shown]);
  });

  test('numbers stay numbers', () => {
    const table = Table.fromColumns('visitors', ['Cost'], [['0.5', '12']]);
    const reply = maskVisitors({ kind: 'tables', tables: [table], notices: [] });
    expect(reply.kind === 'tables' && reply.tables[0]?.numbers(0)).toBeTruthy();
  });

  test('the fields of a lookup are masked too', () => {
    const fields = [[fromTracker('IP'), fromTracker('203.0.113.7')]] as const;
    const reply = maskVisitors({ kind: 'groups', groups: [{ name: fromTracker('Geo Data'), fields }], notices: [] });
    expect(reply).toMatchObject({ groups: [{ fields: [['IP', '203.0.113.0/24']] }] });
  });
});
