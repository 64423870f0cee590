import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { Failure } from '../api/failure.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { shorten } from '../api/text/tracker-text.ts';

/** Reads API keys from where people keep them. No message has a key in it, nor anything that could be one. */

/** The configuration cannot work: a command line, a variable or the file is wrong, or something is missing. */
export class ConfigurationFailure extends Failure {
  override readonly name = 'ConfigurationFailure';
}

/**
 * The one line of a key file that is not empty; undefined if there is none.
 *
 * @param source what names the file, for messages
 * @throws ConfigurationFailure if the file cannot be read or holds more
 */
export function readKeyFile(path: string, source: string): string | undefined {
  const wrong = (problem: string, next: string) =>
    new ConfigurationFailure(`${source} names a file that ${problem}: ${path}.`, next);
  let lines: readonly string[];
  try {
    lines = linesOf(readFileSync(path, 'utf8'));
  } catch {
    throw wrong('cannot be read', 'Check its path and permissions.');
  }
  if (lines.length > 1) throw wrong('holds more than one line', 'It must hold the key alone.');
  return lines[0];
}

/**
 * Why others than its owner may read a file, and what to do. Windows keeps that elsewhere.
 *
 * @param secret what it holds, in words
 * @returns undefined if no other user may, or the file is not there
 */
export function filePermissionWarning(path: string, secret = 'a key'): string | undefined {
  if (process.platform === 'win32') return undefined;
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & 0o077) === 0) return undefined;
  return `${path} holds ${secret} and is open to others (mode ${(mode & 0o777).toString(8)}): chmod 600 it.`;
}

/** How long a program may take to print a key: a password manager may first ask its owner. */
const maxCommandMs = 20_000;

const maxComplaint = 300;

/** The keys of programs that ran, so that a password manager asks its owner once. */
const keys = new Map<string, string>();

/**
 * Runs a program that prints a key, without a shell and without standard input, which is the protocol's. The same program is run
 * once.
 *
 * @param folder its working directory
 * @param source what names it, for messages
 * @throws ConfigurationFailure if it cannot be run, fails, takes too long or prints something else than one line
 */
export function readKeyFromCommand(command: readonly string[], folder: string, source: string): string {
  const id = JSON.stringify([folder, command]);
  const known = keys.get(id);
  if (known !== undefined) return known;
  const [program = '', ...given] = command;
  const { status, signal, error, stdout, stderr } = spawnSync(program, given, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: maxCommandMs,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024,
    windowsHide: true,
  });
  const lines = linesOf(stdout ?? '');
  const [key] = lines;
  const problem = problemOf();
  if (problem === undefined && key !== undefined) {
    keys.set(id, key);
    return key;
  }
  throw new ConfigurationFailure(
    `${source} names the program ${JSON.stringify(program)}, which ${problem}.`,
    `${complaintOf(stderr ?? '', lines)}Run it by hand to see what it needs.`,
  );

  function problemOf(): string | undefined {
    const code = (error as NodeJS.ErrnoException | undefined)?.code;
    if (code === 'ETIMEDOUT') return `did not end within ${maxCommandMs / 1000} s`;
    if (code !== undefined) return `could not be run (${code})`;
    if (status !== 0) return `failed (${signal ?? `exit code ${status}`})`;
    return lines.length === 1 ? undefined : `printed ${lines.length} lines, and must print the key alone on one`;
  }
}

const keyLike = /(?=[\w+=~-]*\d)(?=[\w+=~-]*[a-z])[\w+=~-]{12,}/gi;

/** What a program said about its failure, without what it printed, which may be the key, and without what looks like one. */
function complaintOf(stderr: string, printed: readonly string[]): string {
  const said = printed.reduce((text, line) => text.replaceAll(line, '***'), stderr);
  const clean = cleanText(said).replace(keyLike, '***').trim();
  return clean === '' ? '' : `It said: ${shorten(clean, maxComplaint)}\n`;
}

function linesOf(text: string): string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter(Boolean);
}
