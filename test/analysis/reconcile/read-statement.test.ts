import { describe, expect, it } from 'vitest';
import { readStatement } from '../../../src/analysis/reconcile/read-statement.ts';
import { gridOfRows, gridOfText } from '../../../src/analysis/reconcile/statement-grid.ts';
import { clock, now, read } from './statements.ts';

const subid = 'ab12cd34_7_00000345';
const second = 'ef56gh78_7_00000346';
const at = '2026-06-13 14:05:00';

/** The same two sales, of 1234.5 and 36, as six networks write them. */
const styles: Record<string, string> = {
  'commas and quoted thousands': `Date,Sub ID,Payout\n${at},${subid},"1,234.50"\n${at},${second},36.00`,
  'semicolons and decimal commas': `Datum;aff_sub;Provision\n13.06.2026 14:05;${subid};1.234,50\n13.06.2026 14:05;${second};36,00`,
  'tabs and currency signs': `Conversion Time\ts1\tRevenue\n06/13/2026 2:05 PM\t${subid}\t$1,234.50\n06/13/2026 2:05 PM\t${second}\t$36.00`,
  'bars, Unix seconds and codes': `timestamp|clickid|commission\n1781359500|${subid}|1234.5 USD\n1781359500|${second}|36 USD`,
  'quoted cells and zones': `"Sub ID 1","Event Date","Earnings (EUR)"\r\n"${subid}","2026-06-13T16:05:00+02:00","1 234,50 €"\r\n"${second}","2026-06-13T16:05:00+02:00","36,00 €"\r\n`,
  'lines before the heading, date and time in two columns, a total': `Report,June\n\nDate,Time,Affiliate Sub,Amount\n13 Jun 2026,14:05,${subid},"1,234.50"\n13 Jun 2026,14:05,${second},36.00\nTotal,,,"1,270.50"`,
};

describe('columns', () => {
  it.each(Object.entries(styles))('%s', async (_, text) => {
    const { lines, subidColumns, hasClock } = await read(text);
    expect(lines.map(({ amount, time }) => [amount, clock(time ?? 0)])).toEqual([
      [1234.5, at],
      [36, at],
    ]);
    expect(subidColumns[0]?.cells).toEqual([subid, second]);
    expect(hasClock).toBe(true);
  });

  it('without a heading are found by their cells', async () => {
    const { lines, amountColumn, timeColumn } = await read(`${at},${subid},36.00\n${at},${second},9.00`);
    expect([lines.length, amountColumn, timeColumn]).toEqual([2, 'Column 3', 'Column 1']);
  });

  it('are taken as given', async () => {
    const text = `subid,payout,other,paid,when\nx,1,${subid},2,2026-06-01`;
    const given = { subid_column: 'OTHER', amount_column: 'paid', time_column: 'when' };
    const { lines, subidColumns } = await read(text, given);
    expect([subidColumns.map(({ name }) => name), lines[0]?.amount]).toEqual([['other'], 2]);
    const misspelt = read(text, { amount_column: 'pay out' });
    await expect(misspelt).rejects.toThrow(/no column “pay out”; did you mean “payout”/);
  });

  it('of a surer time that cannot be read are not passed over', async () => {
    const { timeProblem } = await read(`SubID,Payout,Conversion Date,Date\n${subid},1,2026-99-01 at noon,2026-06-20`);
    expect(timeProblem).toEqual({ kind: 'unreadable', column: 'Conversion Date', cell: '2026-99-01 at noon' });
  });

  it('of days that may be counted from 1904 are asked about', async () => {
    const [of2026, of2022] = [46186, 44724];
    const problemOf = async (day: number) => (await read(`SubID,Payout,Date\n${subid},1,${day}`)).timeProblem?.kind;
    expect([await problemOf(of2026), await problemOf(of2022)]).toEqual([undefined, 'old_count']);
  });

  it.each([
    { response: { status: 1, data: { page: 1, data: [{ subid, payout: 1 }] }, errors: [] } },
    { data: { commissions: { count: 1, records: [{ subid, payout: 1 }] } } },
  ])('of the only list in JSON are found at any depth: %j', async (json) => {
    expect((await read(JSON.stringify(json))).lines).toHaveLength(1);
  });

  it('of rows as data have the names in them and exact numbers', () => {
    const grid = gridOfRows([
      { subid, payout: 1.234, date: '2026-06-01' },
      { subid: second, payout: -2, status: null },
    ]);
    expect(readStatement(grid, {}, now).lines.map(({ line, amount }) => [line, amount])).toEqual([
      [1, 1.234],
      [2, -2],
    ]);
  });

  it('a line number counts the lines of quoted cells', async () => {
    const { lines } = await read(`SubID,Note,Payout\n\n${subid},"two\nlines",1\n${second},x,2`);
    expect(lines.map(({ line }) => line)).toEqual([3, 5]);
  });

  it.each([
    ['-36.00', -36],
    ['($36.00)', -36],
    ['36.00-', -36],
    ["CHF 1'234.50", 1234.5],
    ['1,23,456.50', 123456.5],
    ['.5', 0.5],
    ['0.125', 0.125],
    ['', undefined],
    ['free', undefined],
    ['1e3', undefined],
    ['12,50', undefined],
  ])('the amount %j is %s in a column of decimal points', async (cell, amount) => {
    const { lines } = await read(`SubID\tPayout\n${subid}\t${cell}\n${second}\t7.25\n${second}\t8.25`);
    expect(lines[0]?.amount).toBe(amount);
    expect(lines[0]?.problems).toEqual(amount === undefined && cell !== '' ? [`amount “${cell}”`] : []);
  });

  it.each([
    ['13/06/2026', '02/06/2026', '2026-06-02'],
    ['06/13/2026', '06/02/2026', '2026-06-02'],
    ['13-06-26', '02-06-26', '2026-06-02'],
    ['2026/06/13', '2026/06/02', '2026-06-02'],
    ['20260613', '20260602', '2026-06-02'],
    ['Jun 13, 2026', 'June 2, 2026', '2026-06-02'],
    ['46186', '46175', '2026-06-02'],
    ['1781359500000', '1780401600000', '2026-06-02'],
  ])('the whole column decides: with %s, %s is %s', async (decides, cell, day) => {
    const { lines, notices } = await read(`SubID;Date;Payout\n${subid};${decides};1\n${second};${cell};2`);
    expect(clock(lines[1]?.time ?? 0).slice(0, 10)).toBe(day);
    expect(notices.map(({ code }) => code)).not.toContain('date-order-open');
  });

  it('an open order of day and month is a notice, unless the order is given', async () => {
    const text = `SubID,Date,Payout\n${subid},06/01/2025,1\n${second},06/12/2025,2`;
    const { lines, notices } = await read(text);
    expect(lines.map(({ time }) => clock(time ?? 0).slice(0, 10))).toEqual(['2025-06-01', '2025-06-12']);
    expect(notices).toContainEqual({ code: 'date-order-open', isDayFirst: false });
    const given = await read(text, { date_order: 'dmy' });
    expect(clock(given.lines[1]?.time ?? 0).slice(0, 10)).toBe('2025-12-06');
  });
});

describe('bad input', () => {
  it.each([
    ['no column of subIDs', 'Date,Payout\n2026-06-01,5', /no column of subIDs.*“Date”, “Payout”/],
    ['nothing', ' \n', /it is empty/],
    ['an Excel file', 'PK\x03\x04\x14', /an Excel file \(xlsx\).*Export it as CSV/],
    ['a web page', '<!DOCTYPE html><p>', /a web page/],
    ['XML', '<rows><row><subid>ab12cd34_7_00000345</subid></row></rows>', /it is XML/],
    ['gzip', '\x1f\x8b\x08\0', /compressed \(gzip\)/],
    ['gzip, decoded', '\x1f‹\x08\0', /compressed \(gzip\)/],
    ['RTF', '{\\rtf1\\ansi SubID}', /\(RTF\)/],
    ['an old Excel file in base64', '0M8R4KGxGuEAAAAAAAAAAA==', /old Excel file \(xls\), in base64/],
    ['CSV in base64', Buffer.from(`SubID,Payout\n${subid},1`).toString('base64'), /it is text, in base64/],
    ['CSV in a data URL', `data:text/csv;base64,${btoa(`SubID;Payout\n${subid};1`)}`, /it is text, in base64/],
    ['a URL', 'https://net.example/statement.csv', /the place of a file, and not its text/],
    ['a path', '/home/me/My.csv\n', /the place of a file, and not its text/],
    ['bytes', 'SubID\nab\x00', /line 2 is not text in UTF-8/],
    ['an open quotation mark', `SubID,Payout\n${subid},1\n"${second},2,3\n${second},4`, /quotation mark in line 3/],
    ['too many lines', `SubID\n${`${subid}\n`.repeat(1001)}`, /more than 1,000 lines/],
  ])('%s is refused, with the line', async (_what, text, error) => {
    await expect(read(text)).rejects.toThrow(error);
  });

  it.each([
    ['subIDs in base64', `SubID\n${Buffer.from(subid).toString('base64')}`],
    ['a URL and an amount', `https://net.example/?s=${subid};12.50`],
  ])('but not %s', async (_what, text) => {
    expect((await read(text)).lines).toHaveLength(1);
  });

  it('a quotation mark that does not enclose a cell is text', async () => {
    const { lines, notices } = await read(`SubID\tOffer\tPayout\n${subid}\t"Best" one\t1\n${second}\t"x\t2`);
    expect(lines.map(({ amount }) => amount)).toEqual([1, 2]);
    expect(notices).toContainEqual({ code: 'quotes-as-text' });
  });

  it('the total of a statement is not a line, and is told', async () => {
    const { lines, noSales } = await read(`SubID,Payout\n${subid},5\n${second},6\nTotal,11`);
    expect(lines).toHaveLength(2);
    expect(noSales).toEqual([{ line: 4, kind: 'total', cells: ['Total', '11'] }]);
  });

  it('a line with more cells than headings has a problem', async () => {
    const { lines } = await read(`SubID,Payout\n${subid},1,250\n${second},2,`);
    expect(lines.map(({ problems }) => problems)).toEqual([['3 cells under 2 headings'], []]);
  });
});

describe('a statement that is larger than it looks is refused', () => {
  const many = (count: number, write: (index: number) => string, separator = ',') =>
    Array.from({ length: count }, (_, index) => write(index)).join(separator);
  const rows = (columns: number) =>
    Array.from({ length: 20_000 }, (_, index) => ({ [`k${index % columns}`]: 1, SubID: subid }));

  it('with a column for each row', () => {
    expect(() => gridOfRows(rows(20_000))).toThrow('it has more than 500 columns');
    expect(() => gridOfRows(rows(400))).toThrow('it has more than 1,000,000 cells, most of them empty');
  });

  it('with many columns that its lines leave out', async () => {
    const text = `SubID,${many(400, (index) => `k${index}`)}\n${many(19_000, () => subid, '\n')}`;
    await expect(gridOfText(text, 20_000)).rejects.toThrow('it has more than 1,000,000 cells, most of them empty');
    await expect(read(`${many(50_000, () => '')}\n${subid},5`)).rejects.toThrow('it has more than 500 columns');
  });

  it('but not with a few columns that most rows leave out', () => {
    expect(gridOfRows(rows(30)).columns).toHaveLength(31);
  });
});

it('of days in an open order, the first that is open is quoted', async () => {
  const [one, other, third] = ['ab12cd34_7_00000101', 'ab12cd34_7_00000102', 'ab12cd34_7_00000103'];
  const { timeProblem } = await read(
    `SubID,Date\n${one},2026-11-03 10:15:00\n${other},11/03/2026\n${third},2026-07-05`,
  );
  expect(timeProblem).toMatchObject({ kind: 'open_order', cell: '11/03/2026' });
});
