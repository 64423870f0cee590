import { spawnSync } from 'node:child_process';
import { Failure } from '../api/failure.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { shorten } from '../api/text/tracker-text.ts';
import { whyNot } from '../files/at-path.ts';
import { readTextAndMode } from '../files/read-file.ts';

/** Reads API keys from files and programs. No message holds a key, or anything that could be one. */

/** The configuration cannot work: a command line, a variable or the file is wrong, or something is missing. */
export class ConfigurationFailure extends Failure {
  override readonly name = 'ConfigurationFailure';
}

/**
 * Reads a key file, which has the key on its only line.
 *
 * @param source the setting that names the file, for messages
 * @param problems gets a message if that fails
 * @returns the key, and a warning if others may read it
 */
export async function readKeyFile(path: string, source: string, problems: Set<string>) {
  const fail = (problem: string) => {
    problems.add(`${source} names a file that ${problem}. It must be readable, and hold only the key.`);
    return undefined;
  };
  const read = await readTextAndMode(path).catch((error: unknown) =>
    fail(`cannot be read: ${path} (${whyNot(error)})`),
  );
  if (!read) return undefined;
  const [key, ...others] = linesOf(read.text);
  if (key === undefined || others.length > 0) return fail(`holds ${key ? others.length + 1 : 0} lines: ${path}`);
  return { key, warning: permissionWarning(path, read.mode) };
}

/**
 * Warns of a file that other users may read.
 *
 * @param secret what the file holds, in words
 * @returns undefined if only the owner may read it
 */
export function permissionWarning(path: string, mode: number, secret = 'a key'): string | undefined {
  if ((mode & 0o077) === 0) return undefined;
  return `${path} holds ${secret} and is open to others (mode ${(mode & 0o777).toString(8)}): chmod 600 it.`;
}

/** A password manager may ask its owner before it prints a key. */
const commandTimeoutMs = 20_000;

/** By program and folder, so that a password manager asks its owner once. */
const keys = new Map<string, string>();

/**
 * Runs a program that prints a key, once, without a shell and without standard input, which belongs to the protocol.
 *
 * @param folder its working directory
 * @param source the setting that names it, for messages
 * @param problems gets a message if it cannot be run, fails, takes too long or does not print exactly one line
 */
export function readKeyFromCommand(
  command: readonly string[],
  folder: string,
  source: string,
  problems: Set<string>,
): string | undefined {
  const id = JSON.stringify([folder, command]);
  const [program = '', ...given] = command;
  if (keys.has(id)) return keys.get(id);
  const { status, signal, error, stdout, stderr } = spawnSync(program, given, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    timeout: commandTimeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024,
    windowsHide: true,
  });
  const lines = linesOf(stdout ?? '');
  const fail = (problem: string) => {
    const advice = `${complaintOf(stderr ?? '', lines)}Run it by hand to see what it needs.`;
    problems.add(`${source} names the program ${JSON.stringify(program)}, which ${problem}. ${advice}`);
    return undefined;
  };
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (code === 'ETIMEDOUT') return fail(`did not end within ${commandTimeoutMs / 1000} s`);
  if (code !== undefined) return fail(`could not be run (${code})`);
  if (status !== 0) return fail(`failed (${signal ?? `exit code ${status}`})`);
  if (lines.length !== 1) return fail(`printed ${lines.length} lines; it must print only the key, on one line`);
  const [key = ''] = lines;
  keys.set(id, key);
  return key;
}

/** A long word with letters and digits. */
const hideKeyLike = (word: string) => (/\d/.test(word) && /[a-z]/i.test(word) ? '***' : word);

/** What a program wrote on stderr, without the lines it printed, which may be the key, and without what looks like one. */
function complaintOf(stderr: string, printed: readonly string[]): string {
  const masked = printed.reduce((text, line) => text.replaceAll(line, '***'), stderr);
  const clean = cleanText(masked)
    .replace(/[\w+=~-]{12,}/g, hideKeyLike)
    .trim();
  return clean === '' ? '' : `It said: ${shorten(clean, 300)}\n`;
}

function linesOf(text: string): string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter(Boolean);
}
