import { expect, test } from 'vitest';
import { runCli } from '../e2e/support/run-cli.ts';

test('demo shows the three jobs on a narrow screen, and ends with lines that a client can read', async () => {
  const { code, stdout, stderr } = await runCli(['demo']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(100);
  const pasted = lines.slice(lines.indexOf('{'));
  const { mcpServers } = JSON.parse(pasted.join('\n'));
  expect(mcpServers.tracker).toMatchObject({ command: 'node', env: { TRACKER_SANDBOX: '1' } });
  // The path of the checkout is as long as it is.
  expect(lines.filter((line) => line.length > 80 && !line.includes('"args"'))).toEqual([]);
  for (const tool of ['get_stats', 'add_offer_to_campaign', 'edit_campaign_page', 'list_conversions', 'lookup_subid']) {
    expect(stdout).toContain(`> ${tool} `);
  }
  expect(stdout.indexOf('not sent (dry run)')).toBeLessThan(stdout.indexOf('add_offer_to_campaign: done, ID 6.'));
  expect(stdout).toMatch(/Pilates at home +10\n/);
  expect(stdout).toMatch(/Pilates at home +30\n/);
  const [, subid = ''] = /> lookup_subid subid=(\w+)/.exec(stdout) ?? [];
  expect(stdout).toMatch(new RegExp(`^ +SubID +${subid}$`, 'm'));
  expect(stdout).not.toContain('\x1b[');
});
