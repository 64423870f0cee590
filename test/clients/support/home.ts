import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import type { TestContext } from 'vitest';
import type { System } from '../../../src/commands/install/clients.ts';
import { runCli } from '../../e2e/support/run-cli.ts';
import { type Program, startOf } from './programs.ts';

/** A home directory in which a program has never run. */
export interface Home extends System {
  /** The folder that the program runs in. */
  readonly project: string;
  /** Starts the program. */
  readonly start: (given: readonly string[], stdin: 'ignore' | 'pipe') => ChildProcess;
  /** Runs the program to its end, and gives what it printed. */
  readonly run: (...given: readonly string[]) => Promise<string>;
  /** What its `mcp list` prints: that it has the server, if it ever says so. */
  readonly list: () => Promise<string>;
  /** The same of the built command line. */
  readonly tracker: (...given: readonly string[]) => Promise<string>;
}

/** A server has some seconds to answer in, which a busy machine may let pass: a person would look again. */
const maxLists = 3;

/** Nobody listens there: what a program asks of the network is refused at once. */
const nowhere = 'http://127.0.0.1:9';
const offline = { HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, NO_PROXY: '127.0.0.1,localhost' };

/**
 * Makes a home for a program, until the test ends.
 *
 * @param moved whether the program's variable has its settings elsewhere than in its usual folder
 */
export async function newHome({ onTestFinished }: TestContext, program: Program, moved = false): Promise<Home> {
  const home = await mkdtemp(join(tmpdir(), 'home of '));
  const children: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of children) child.kill();
    // A process that a program left behind may still write for a moment.
    await rm(home, { recursive: true, force: true, maxRetries: 10 });
  });
  const [project, elsewhere] = [join(home, 'project'), join(home, 'elsewhere')];
  await Promise.all([project, elsewhere].map((folder) => mkdir(folder)));
  const environment: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    USERPROFILE: home,
    APPDATA: join(home, 'AppData', 'Roaming'),
    LOCALAPPDATA: join(home, 'AppData', 'Local'),
    NO_COLOR: '1',
    CI: 'true',
    ...offline,
    ...program.environment,
    ...(moved ? { [program.movedBy]: elsewhere } : {}),
  };
  const [file, ...first] = await startOf(program);
  const start: Home['start'] = (given, stdin) => {
    const child = spawn(file, [...first, ...given], { cwd: project, env: environment, stdio: [stdin, 'pipe', 'pipe'] });
    children.push(child);
    return child;
  };
  const run: Home['run'] = async (...given) => {
    const child = start(given, 'ignore');
    const [[code], ...printed] = await Promise.all([once(child, 'close'), ...outputOf(child)]);
    return ended(`${program.command} ${given.join(' ')}`, code, printed);
  };
  return {
    ...{ platform: process.platform, home, environment, project, start, run },
    list: async () => {
      let said = '';
      for (let count = 0; count < maxLists && !program.shows.test(said); count += 1) said = await run('mcp', 'list');
      return said;
    },
    tracker: async (...given) => {
      const { code, stdout, stderr } = await runCli(given, { environment });
      return ended(`tracker-mcp ${given.join(' ')}`, code, [stdout, stderr]);
    },
  };
}

function outputOf({ stdout, stderr }: ChildProcess): Promise<string>[] {
  return [stdout, stderr].map(async (stream) => (stream ? text(stream) : ''));
}

/** @throws Error where it failed, with all that it printed */
function ended(command: string, code: number | null, printed: readonly string[]): string {
  const said = stripVTControlCharacters(printed.join(''));
  if (code !== 0) throw new Error(`${command} exits with ${code}: ${said}`);
  return said;
}
