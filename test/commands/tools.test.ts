import { expect, test } from 'vitest';
import { catalogue } from '../../src/tools/catalogue.ts';
import { runCommand } from '../e2e/support/run-command.ts';

test('tools lists every tool with its access, without a tracker', async () => {
  const { code, stdout, stderr } = await runCommand(['tools']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.split(/ {2,}/))).toEqual(
    catalogue.map(({ name, access, title }) => [name, access, title].map((text) => text.trim())),
  );
});

test('tools --json has the schemas of every tool', async () => {
  const { stdout } = await runCommand(['tools', '--json']);
  const tools = JSON.parse(stdout) as { name: string; inputSchema: { type: string }; outputSchema: { type: string } }[];
  expect(tools.map(({ name }) => name)).toEqual(catalogue.map(({ name }) => name));
  for (const { inputSchema, outputSchema } of tools) {
    expect([inputSchema.type, outputSchema.type]).toEqual(['object', 'object']);
  }
});

test.each([['tools'], ['call', 'list_campaigns']])('%s %s warns of an unknown variable', async (...given) => {
  const { stderr } = await runCommand(given, { environment: { TRACKER_TIMEZON: 'UTC' } });
  expect(stderr).toMatch(/^tracker-mcp: TRACKER_TIMEZON is not a setting .*TRACKER_TIMEZONE\?\n/);
});
