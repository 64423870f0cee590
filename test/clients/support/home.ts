import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import type { TestContext } from 'vitest';
import type { System } from '../../../src/commands/user-folders.ts';
import { runCli } from '../../e2e/support/run-cli.ts';
import { type Program, startOf } from './programs.ts';

/** A fresh home directory for a program. */
export interface Home extends System {
  /** The working directory of the program. */
  readonly project: string;
  /** Starts the program. */
  readonly start: (given: readonly string[], stdin: 'ignore' | 'pipe') => ChildProcess;
  /** Runs the program to its end; returns its output. */
  readonly run: (...given: readonly string[]) => Promise<string>;
  /** The output of its `mcp list`, repeated until it shows the server. */
  readonly list: (shows?: RegExp) => Promise<string>;
  /** Runs the built command line; returns its output. */
  readonly tracker: (...given: readonly string[]) => Promise<string>;
  /** The same with an entry for a server over HTTP, and a token for it. */
  readonly enter: (url: string, token: string) => Promise<string>;
}

/** On a busy machine a server may miss the program's time limit. */
const maxLists = 3;

/** Nothing listens there, so network requests fail at once. */
const nowhere = 'http://127.0.0.1:9';
const offline = { HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, NO_PROXY: '127.0.0.1,localhost' };

/**
 * Creates a home for a program, until the test ends.
 *
 * @param moved whether the program's variable moves its settings to a different folder
 */
export async function newHome({ onTestFinished }: TestContext, program: Program, moved = false): Promise<Home> {
  const home = await mkdtemp(join(tmpdir(), 'home of '));
  const children: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of children) child.kill();
    // A child of the program may still write for a moment.
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
    list: async (shows = program.shows) => {
      let output = '';
      for (let count = 0; count < maxLists && !shows.test(output); count += 1) output = await run('mcp', 'list');
      return output;
    },
    tracker: async (...given) => {
      const { code, stdout, stderr } = await runCli(given, { environment });
      return ended(`tracker-mcp ${given.join(' ')}`, code, [stdout, stderr]);
    },
    enter: async (url, token) => {
      const given = ['install', program.id, '--yes', '--url-of-server', url];
      const { code, stdout, stderr } = await runCli(given, { environment, input: token });
      return ended(`tracker-mcp ${given.join(' ')}`, code, [stdout, stderr]);
    },
  };
}

function outputOf({ stdout, stderr }: ChildProcess): Promise<string>[] {
  return [stdout, stderr].map(async (stream) => (stream ? text(stream) : ''));
}

/** Returns the output; throws an Error with it if the exit code is not 0. */
function ended(command: string, code: number | null, printed: readonly string[]): string {
  const output = stripVTControlCharacters(printed.join(''));
  if (code !== 0) throw new Error(`${command} exits with ${code}: ${output}`);
  return output;
}
