import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { clientsOn } from '../../src/commands/install/clients.ts';
import { runCli } from '../e2e/support/run-cli.ts';
import { newHome } from './support/home.ts';
import { programCalled, programs } from './support/programs.ts';

/** The placeholder of docs/clients.md for the reader's own path. */
const placeholder = '/path/to/tracker-mcp';
const page = await readFile('docs/clients.md', 'utf8');

describe.concurrent('a line of docs/clients.md adds the server:', () => {
  const lines = [...page.matchAll(/^(\w+) (mcp add .*)$/gm)].map(([line, command = '', given = '']) => {
    return { line, command, given: given.split(' ').map((word) => word.replace(placeholder, process.cwd())) };
  });

  test('there is one per program with such a command', () => {
    expect(lines.map(({ command }) => command).sort()).toEqual(['claude', 'codex', 'copilot', 'gemini']);
  });

  test.for(lines)('$line', async ({ command, given }, context) => {
    const program = programCalled(command);
    const home = await newHome(context, program);
    await home.run(...given);
    expect(await home.list()).toMatch(program.shows);
  });
});

describe.concurrent('JSON of docs/clients.md in a project file is read by', () => {
  const blocks = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json = '']) =>
    json.replaceAll(placeholder, JSON.stringify(process.cwd()).slice(1, -1)),
  );
  const linesWith = (key: string) => blocks.find((json) => Object.keys(JSON.parse(json)).includes(key)) ?? '';

  test('Claude Code as .mcp.json, after a question', async (context) => {
    const home = await newHome(context, programCalled('claude'));
    await writeFile(join(home.project, '.mcp.json'), linesWith('mcpServers'));
    expect(await home.run('mcp', 'list')).toMatch(/^tracker: .* Pending approval/m);
  });

  test('opencode as opencode.json', async (context) => {
    const program = programCalled('opencode');
    const home = await newHome(context, program);
    await writeFile(join(home.project, 'opencode.json'), linesWith('mcp'));
    expect(await home.list()).toMatch(program.shows);
  });
});

describe.concurrent('JSON printed by check is read in a moved settings folder by', () => {
  let lines: string;
  beforeAll(async () => {
    const { stdout } = await runCli(['check', '--sandbox']);
    lines = stdout.slice(stdout.indexOf('\n{'));
  });
  const usual = clientsOn({ platform: 'linux', home: '', environment: {} }).filter(({ at }) => at === 'mcpServers');
  const readers = programs.filter(({ id }) => usual.some((client) => client.id === id));

  test.for(readers)('$command', async (program, context) => {
    const home = await newHome(context, program, true);
    const file = clientsOn(home).find(({ id }) => id === program.id)?.files[0] ?? '';
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, lines);
    expect(await home.list()).toMatch(program.shows);
  });
});
