import { accessSync, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative } from 'node:path';
import { Failure } from '../api/failure.ts';
import { textFor } from '../api/text/destinations.ts';
import { forTerminal, wrap } from './terminal/look.ts';

/** The process of a command: how it was called, what it prints, and how it ends. */

/** From the keyboard, the program that started it, and a closed terminal or session. */
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs a handler on the first signal to end. A second signal ends the process immediately. */
export function onEndSignal(end: () => void): void {
  for (const signal of endSignals) process.once(signal, end);
}

/** The absolute path of dist/cli.js, without the links that npm makes to it. */
export function commandLinePath(): string {
  return realpathSync(process.argv[1] ?? '');
}

/** How a person calls this program: `tracker-mcp` if it is on the PATH, or `node dist/cli.js`. */
export function typedName(): string {
  if (isOnPath()) return 'tracker-mcp';
  const path = process.argv[1] ?? '';
  const nearby = relative(process.cwd(), path);
  return `node ${quoted(nearby.startsWith('..') || isAbsolute(nearby) ? path : nearby)}`;
}

/** Folders that npx and npm add to the PATH, and the shell of the person does not have. */
const isFromNpm = (folder: string) => /node_modules[\\/]\.bin[\\/]?$/.test(folder);

function isOnPath(): boolean {
  const here = commandLinePath();
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '' && !isFromNpm(folder));
  return folders.some((folder) => {
    try {
      if (process.platform !== 'win32') return realpathSync(join(folder, 'tracker-mcp')) === here;
      // On Windows npm writes a script, next to the folder of the program.
      accessSync(join(folder, 'tracker-mcp.cmd'));
      return realpathSync(join(folder, 'node_modules', 'tracker-mcp', 'dist', 'cli.js')) === here;
    } catch {
      return false;
    }
  });
}

/** A word with the quotes that the shell of this system needs. */
export function quoted(word: string): string {
  const isWindows = process.platform === 'win32';
  if ((isWindows ? /^[\w@%+=:,.\\/-]+$/ : /^[\w@%+=:,./-]+$/).test(word)) return word;
  return isWindows ? `"${word.replaceAll('"', '\\"')}"` : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A command line after variables, for the shell of this system: PowerShell on Windows. */
export function withVariables(variables: Readonly<Record<string, string>>, line: string): string {
  const set = Object.entries(variables).map(([name, value]) =>
    process.platform === 'win32' ? `$env:${name}='${value}';` : `${name}=${quoted(value)}`,
  );
  return [...set, line].join(' ');
}

/** A text in which this program has the name that works here, so that a person can paste its lines. */
export function pasteable(text: string): string {
  const name = typedName();
  return name === 'tracker-mcp'
    ? text
    : text.replace(/(?<![\w./-])tracker-mcp(?=$|[\s`)"',;]|\.(?:\s|$))/gm, () => name);
}

/** A help text or an error for a stream: commands can be pasted, and sentences are wrapped at the width of the terminal. */
export function printable(text: string, { columns }: { readonly columns?: number }): string {
  const name = typedName();
  const lines = pasteable(text).split('\n');
  if (!columns) return lines.join('\n');
  return lines
    .map((line) => {
      const [indent = ''] = /^ */.exec(line) ?? [];
      // A command to copy is not wrapped, because the line breaks would be copied.
      return indent !== '' && line.includes(name) ? line : wrap(line, columns, `${indent}  `.slice(0, 4));
    })
    .join('\n');
}

export function print(...lines: readonly string[]): void {
  process.stdout.write(`${forTerminal(lines.join('\n'))}\n`);
}

/** Sentences for stdout, wrapped at the width of the terminal if it is one. */
export function wrapped(text: string, indent = '  '): string {
  const { columns = Number.POSITIVE_INFINITY } = process.stdout;
  return wrap(text, columns, indent);
}

/** Prints sentences on stdout, wrapped at the width of the terminal. */
export function printSentences(...lines: readonly string[]): void {
  print(...lines.map((line) => wrapped(line)));
}

/** Prints JSON on stdout, character for character. */
export function printJson(json: string): void {
  process.stdout.write(`${json}\n`);
}

const forPerson = (message: string): void =>
  console.error(printable(textFor('terminal', `tracker-mcp: ${message}`), process.stderr));

let writeMessage = forPerson;

export function printToStderr(message: string): void {
  writeMessage(message);
}

/** Has the messages for stderr written in another form from now on. */
export function writeMessagesAs(write: (message: string) => void): void {
  writeMessage = write;
}

/** A failure if an error is about writing the output; undefined for other errors. */
export function outputFailure(error: unknown): Failure | undefined {
  // All other writes turn their errors into failures themselves.
  if (!(error instanceof Error && 'syscall' in error && error.syscall === 'write')) return undefined;
  return new Failure(`The output cannot be written: ${error.message}.`);
}

/** Ends a command whose output cannot be written. If a reader such as `head` has hung up, that is not an error. */
export function endWithoutOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  printToStderr(outputFailure(error)?.message ?? error.message);
  process.exit(1);
}

/** Prints the whole text; throws if that fails. */
export async function printAll(text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
