import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../e2e/support/run-command.ts';
import { newFolder } from '../support/folders.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

const sales = Array.from({ length: 40 }, (_, index) => ({
  SubID: `ab12cd34_7_${String(index + 1).padStart(8, '0')}`,
  Revenue: `${index}.50`,
  Date: `2026-06-01 12:${String(index).padStart(2, '0')}:00`,
}));
const foreign = await startForeignTracker({
  conversions: JSON.stringify(sales),
  'campaign/list': '[{"ID":"7","Name":"Seven"}]',
  'click/lookup': '{}',
});
const environment = { TRACKER_URL: foreign.url, TRACKER_API_KEY: 'the-key' };
const folder = await newFolder('statement ');

const lines = sales.map(({ SubID, Revenue, Date: date }) => `${SubID},${Revenue},${date}`);
/** One line with another amount, one missing, and one with a formula as its subID. */
const text = [
  'SubID,Payout,Time,Käufer',
  `${lines[0]?.replace('0.50', '9.99')},ü`,
  ...lines.slice(2),
  '=cmd|calc,5,2026-06-01 13:00:00',
].join('\r\n');

async function reconcile(bytes: string | Uint8Array, ...given: readonly string[]) {
  const file = join(folder, 'statement.csv');
  await writeFile(file, bytes);
  return runCommand(['reconcile', file, ...given], { environment });
}

const sums = [
  ['matched', 38, 38],
  ['amount_differs', 1, 1],
  ['tracker_only', 0, 1],
  ['unreadable', 1, 0],
];

function wide(set: 'be' | 'le', mark: boolean): Buffer {
  const bytes = Buffer.from(mark ? `\ufeff${text}` : text, 'utf16le');
  return set === 'le' ? bytes : bytes.swap16();
}

describe('tracker-mcp reconcile', () => {
  test.each([
    ['UTF-8', text],
    ['UTF-8 with a mark', `\ufeff${text}`],
    ['UTF-16 with a mark', wide('le', true)],
    ['UTF-16 without a mark', wide('le', false)],
    ['big-endian UTF-16', wide('be', true)],
    ['Windows-1252', Buffer.from(`${text}\nTotal: 20 \x80`, 'latin1')],
  ])('reads a file in %s', async (set, bytes) => {
    const { code, stdout, stderr } = await reconcile(bytes, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { tables, notices } = JSON.parse(stdout);
    expect(tables[0].rows.map((row: unknown[]) => row.slice(0, 3))).toEqual(sums);
    expect(tables[1]).toMatchObject({ name: 'lines', total_rows: 41, next_offset: null });
    expect(notices.join().includes('read as Windows-1252')).toBe(set === 'Windows-1252');
  });

  test('--csv has every line and conversion with its class, harmless formulas, and the notices on stderr', async () => {
    const { code, stdout, stderr } = await reconcile(text, '--csv');
    const [heading, ...rows] = stdout.trimEnd().split('\r\n');
    expect([code, rows.length]).toEqual([0, 41]);
    expect(heading).toBe('Class,Line,SubID,Time,Amount,Tracker time,Tracker amount,About');
    expect(rows[0]).toBe('amount_differs,2,ab12cd34_7_00000001,2026-06-01 12:00:00,9.99,2026-06-01 12:00:00,0.5,');
    expect(rows[39]).toMatch(/^unreadable,41,"'=cmd\|calc",/);
    expect(stderr).toMatch(/Columns: subIDs “SubID”, amounts “Payout” and times “Time”\./);
  });

  test('a table has sums and examples; one class can be paged, and standard input is a file', async () => {
    const { stdout } = await reconcile(text, '--wide');
    expect(stdout).toMatch(/^matched +38 +38/m);
    expect(stdout).toMatch(/^tracker_only .*ab12cd34_7_00000002/m);
    const given = ['reconcile', '-', '--class', 'matched', '--limit', '5', '--offset', '35', '--csv'];
    const paged = await runCommand(given, { environment, input: text });
    expect(paged.stdout.trimEnd().split('\r\n')).toHaveLength(1 + 3);
  });

  test('a campaign may be given by name', async () => {
    const { code, stdout } = await reconcile(text, '--campaign_id', 'seven', '--json');
    expect([code, JSON.parse(stdout).query.campaign_id]).toEqual([0, 7]);
    expect(foreign.taken().find(({ path }) => path.includes('conversions'))?.parameters).toContainEqual(['camp', '7']);
  });

  test('leaves no files behind', async () => {
    await reconcile(text, '--json');
    expect(await readdir(folder)).toEqual(['statement.csv']);
  });

  test.each([
    ['an Excel file', Buffer.from('PK\x03\x04\x14\0\0\0\x08\0', 'latin1'), 1, /an Excel file.*Export it as CSV/],
    ['bytes of no character set', Buffer.from('SubID,P\nab,\x81\n', 'latin1'), 1, /line 2 is not text in UTF-8/],
    ['no subIDs', 'Date,Payout\n2026-06-01,5', 1, /no column of subIDs/],
    ['a million lines', `SubID\n${'ab12cd34_7_00000001\n'.repeat(1_000_000)}`, 1, /more than 500,000 lines.*Split it/],
    ['70 MB', Buffer.alloc(70_000_000), 2, /has 70 MB; a statement may have 64 MB/],
  ])('%s is refused before the tracker is asked', async (_what, bytes, exit, error) => {
    const { code, stdout, stderr } = await reconcile(bytes);
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(error);
    expect(foreign.taken()).toEqual([]);
  });

  test('a missing file and a wrong class are mistakes in the command line', async () => {
    const missing = await runCommand(['reconcile', join(folder, 'none.csv')], { environment });
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('cannot be read: ENOENT')]);
    const wrong = await reconcile(text, '--class', 'fraud');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('class must be one of matched')]);
  });
});
