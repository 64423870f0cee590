import { expect } from 'vitest';
import type { Ended } from '../e2e/support/run-cli.ts';

/** What the demo shows on every day, at every hour. */
export function expectSixJobs({ code, stdout, stderr }: Ended): void {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(120);
  const pasted = lines.slice(lines.indexOf('{'));
  const { mcpServers } = JSON.parse(pasted.join('\n'));
  expect(mcpServers.tracker).toMatchObject({ command: 'node', env: { TRACKER_SANDBOX: '1' } });
  // The path of the checkout may be longer.
  expect(lines.filter((line) => line.length > 80 && !line.includes('"args"'))).toEqual([]);
  const tools = [
    ...['get_overview', 'review_account', 'explain_change', 'compare_pages', 'set_shares', 'undo_change'],
    ...['list_conversions', 'diagnose_subid'],
  ];
  const calls = [...stdout.matchAll(/^> (\w+) /gm)].map(([, tool]) => tool);
  expect(calls).toEqual(tools);
  // Which campaigns lost most depends on the day; the last row is all of them.
  const figures = /^ {2}\S.*? {2,}[\d.,]+ +-?[\d.,]+ +(?:-?[\d.,]+%)? +-?[\d.,]+$/gm;
  expect(stdout.split('\n2. ')[0]?.match(figures)).toHaveLength(5);
  // The problems of the sample data that cost most on each day, one of them also as the cause of a fall.
  const unwrapped = stdout.replace(/\n +/g, ' ');
  const darkPage =
    / a day {2}“Phone plans, search”: landing page “Phone plan finder”: [\d,]+ visits, 0 clicks in (?:24 hours|\d days)/;
  const placement = / a day {2}“Home fitness, search”: keyword “free workout videos”: cost [\d.]+ and earned 0/;
  for (const finding of [darkPage, placement]) expect(unwrapped).toMatch(finding);
  const [, since = ''] = /"Profit of Phone plans is down since (\w+ \d+ \w+)\. Why\?"/.exec(stdout) ?? [];
  const cause = `-[\\d.]+ because landing page “Phone plan finder” stopped getting clicks .* since ${since}`;
  expect(unwrapped).toMatch(new RegExp(`Profit of ${since}(?: \\d{4})? to .* fell by [\\d,.]+ against .*: ${cause}`));
  expect(stdout).toMatch(/"Home gym plan" earns most/);
  // What is recommended in the fourth is set in the fifth.
  const [, , , , fourth = '', fifth = ''] = stdout.split(/^\d\. /m);
  expect(fourth).toMatch(/^ +Home gym plan +\S+ to \S+ +\S+ to \S+ +>?99% +96$/m);
  expect(fifth).toMatch(/4 “Home gym plan” \(offer\): share 40 -> 96, 40% -> 96% of the traffic/);
  expect(fifth).toMatch(/page_id 4: share 96 -> 40 \(ok\)/);
  const [, subid = ''] = /> diagnose_subid subid=(\w+)/.exec(stdout) ?? [];
  expect(stdout).toContain(`  ${subid}, times in UTC`);
  expect(stdout).toMatch(/^ +converted: yes /m);
  expect(stdout).not.toContain('\x1b[');
}
