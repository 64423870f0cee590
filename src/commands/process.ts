import { accessSync, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative } from 'node:path';
import { Failure } from '../api/failure.ts';
import { wrap } from './terminal/look.ts';

/** The process of a command: how it was called, what it says on its terminal, and how it ends. */

/** What asks a process to end: the keyboard, the program that started it, and a terminal or session that is gone. */
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Has a signal end the process in its own way, once; the same signal again ends it at once. */
export function onEndSignal(end: () => void): void {
  for (const signal of endSignals) process.once(signal, end);
}

/** The absolute path of the command line that runs, behind any link that npm made to it. */
export function commandLinePath(): string {
  return realpathSync(process.argv[1] ?? '');
}

/** How a person types what runs here: `tracker-mcp` if the PATH leads to it, or `node dist/cli.js`. */
export function typedName(): string {
  if (isOnPath()) return 'tracker-mcp';
  const called = process.argv[1] ?? '';
  const near = relative(process.cwd(), called);
  return `node ${quoted(near.startsWith('..') || isAbsolute(near) ? called : near)}`;
}

/** npx and npm put folders of their own into the PATH, which the person's shell does not have. */
const isOfNpm = (folder: string) => /node_modules[\\/]\.bin[\\/]?$/.test(folder);

function isOnPath(): boolean {
  const here = commandLinePath();
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '' && !isOfNpm(folder));
  return folders.some((folder) => {
    try {
      if (process.platform !== 'win32') return realpathSync(join(folder, 'tracker-mcp')) === here;
      // There npm writes a script, beside the folder of what it starts.
      accessSync(join(folder, 'tracker-mcp.cmd'));
      return realpathSync(join(folder, 'node_modules', 'tracker-mcp', 'dist', 'cli.js')) === here;
    } catch {
      return false;
    }
  });
}

/** A word as the shell of this system has to be given it. */
export function quoted(word: string): string {
  const isWindows = process.platform === 'win32';
  if ((isWindows ? /^[\w@%+=:,.\\/-]+$/ : /^[\w@%+=:,./-]+$/).test(word)) return word;
  return isWindows ? `"${word.replaceAll('"', '\\"')}"` : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A command line with variables ahead of it, for the shell of this system: PowerShell on Windows. */
export function withVariables(variables: Readonly<Record<string, string>>, line: string): string {
  const set = Object.entries(variables).map(([name, value]) =>
    process.platform === 'win32' ? `$env:${name}='${value}';` : `${name}=${quoted(value)}`,
  );
  return [...set, line].join(' ');
}

/** A text in which this program is called as it is called here, so that its lines can be pasted. */
export function pasteable(text: string): string {
  const name = typedName();
  return name === 'tracker-mcp'
    ? text
    : text.replace(/(?<![\w./-])tracker-mcp(?=$|[\s`)"',;]|\.(?:\s|$))/gm, () => name);
}

/** A help text or an error for a stream: its commands can be pasted, and its sentences are no wider than the terminal. */
export function printable(text: string, { columns }: { readonly columns?: number }): string {
  const name = typedName();
  const lines = pasteable(text).split('\n');
  if (!columns) return lines.join('\n');
  return lines
    .map((line) => {
      const [indent = ''] = /^ */.exec(line) ?? [];
      // What a person copies stays in one line, which the terminal itself breaks.
      return indent !== '' && line.includes(name) ? line : wrap(line, columns, `${indent}  `.slice(0, 4));
    })
    .join('\n');
}

/** Prints lines of the output of a command. */
export function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Tells a person something beside the output of a command. */
export function tell(message: string): void {
  console.error(printable(`tracker-mcp: ${message}`, process.stderr));
}

/** The failure that an error of writing the output is; undefined for any other error. */
export function outputFailure(error: unknown): Failure | undefined {
  // Nothing else is written here whose errors are not failures already.
  if (!(error instanceof Error && 'syscall' in error && error.syscall === 'write')) return undefined;
  return new Failure(`The output cannot be written: ${error.message}.`);
}

/** Ends a command whose output goes nowhere. A reader that hung up, such as `head`, wants no more; anything else is an error. */
export function endWithoutOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  tell(outputFailure(error)?.message ?? error.message);
  process.exit(1);
}
