import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { startHttp } from '../support/http-server.ts';
import { token, verifier } from '../support/team-token.ts';
import { askCodex } from './support/codex-session.ts';
import { newHome } from './support/home.ts';
import { programCalled, programs } from './support/programs.ts';

const foreign = await startForeignTracker({ 'campaign/list': '[{"ID":"1","Name":"One"}]' });

describe.concurrent('a program shows the entry of install, and no entry after uninstall:', () => {
  test.for(programs)('$command', async (program, context) => {
    const home = await newHome(context, program);
    const log = join(home.home, 'audit log.jsonl');
    const tracker = ['--url', foreign.url, '--api-key', 'key-of-no-tracker', '--with-key'];
    await home.tracker('install', program.id, '--yes', ...tracker, '--audit-log', log);
    expect(await home.list()).toMatch(program.shows);
    // The server opens its log at the start, which shows that it got the settings of the entry.
    if (program.connects) await access(log);
    await home.tracker('uninstall', program.id, '--yes');
    expect(await home.run('mcp', 'list')).not.toContain('tracker');
  });
});

describe.concurrent('a program shows a server for a team with the entry and token of install:', () => {
  test.for(programs)('$command', async (program, context) => {
    const home = await newHome(context, program);
    const { url, logged } = await startHttp({ url: foreign.url }, { verifier });
    await home.enter(url, token);
    expect(await home.list(program.showsRemote)).toMatch(program.showsRemote);
    expect(logged).toEqual([]);
  });
});

test('Codex starts the server from the entry of install, and gets its tools', async (context) => {
  const home = await newHome(context, programCalled('codex'));
  await home.tracker('install', 'codex', '--yes', '--sandbox');
  expect(await askCodex(home)).toMatchObject([
    { name: 'tracker', serverInfo: { name: 'tracker-mcp' }, tools: { get_stats: { name: 'get_stats' } } },
  ]);
});

test('Copilot CLI reads the entry of install, with all tools', async (context) => {
  const home = await newHome(context, programCalled('copilot'));
  await home.tracker('install', 'copilot', '--yes', '--sandbox');
  const output = await home.run('mcp', 'get', 'tracker');
  expect(output).toContain('Status: Enabled');
  expect(output).toContain(`Command: ${process.execPath} ${join(process.cwd(), 'dist', 'cli.js')}`);
  expect(output).toContain('Tools: * (all)');
});
