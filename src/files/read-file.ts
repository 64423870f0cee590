import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import {
  type About,
  FileProblem,
  findFile,
  isMissing,
  modeOf,
  refuseIfOthersCanWrite,
  refuseOtherKinds,
} from './at-path.ts';

interface ReadOptions {
  /** The program keeps the file for itself: it is not read if others can change it. */
  readonly isKept?: boolean;
  /** Larger files are refused; by default, those over 64 MB. */
  readonly maxBytes?: number;
  /** Only the last bytes are read, as many as this. */
  readonly last?: number;
}

/** Opening never waits, even if the file was replaced by a pipe just now. Windows has no such flag. */
export const withoutWaiting = constants.O_NONBLOCK ?? 0;

/**
 * Reads a file.
 *
 * @returns its bytes, and its state when it was opened
 * @throws FileProblem, or an error of the system
 */
export async function readBytes(
  path: string,
  { isKept = false, maxBytes = 64 * 1024 * 1024, last }: ReadOptions = {},
): Promise<{ readonly bytes: Buffer; readonly about: About }> {
  const found = await findFile(path);
  const file = await open(found.path, constants.O_RDONLY | withoutWaiting);
  try {
    const about = await file.stat({ bigint: true });
    refuseOtherKinds(about);
    if (isKept) await refuseIfOthersCanWrite({ ...found, about });
    const size = Number(about.size);
    if (last !== undefined && size > last) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(last), { position: size - last });
      return { bytes: buffer.subarray(0, bytesRead), about };
    }
    if (size > maxBytes) throw new FileProblem('large');
    return { bytes: await file.readFile(), about };
  } finally {
    await file.close();
  }
}

/** The text of a file, without a byte order mark. Throws what `readBytes` throws. */
export async function readText(path: string, options: ReadOptions = {}): Promise<string> {
  return textOf((await readBytes(path, options)).bytes);
}

/** The text of a file, and its permissions. Throws what `readBytes` throws. */
export async function readTextAndMode(path: string) {
  const { bytes, about } = await readBytes(path);
  return { text: textOf(bytes), mode: modeOf(about) };
}

function textOf(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

/** What is read from a file, or undefined if there is no file. */
export async function ifThere<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  return reading.catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}

/** The names in a folder that have a form, whatever is there. */
export async function listNames(folder: string, form: RegExp): Promise<string[]> {
  return (await readdir(folder)).filter(isWhole(form));
}

/**
 * The names of the files in a folder, for a clean-up: it must not touch links, which this program does not make.
 *
 * @param form what the whole name must be, after its start
 */
export function listFiles(folder: string, form: RegExp, start = ''): Promise<string[]> {
  return listKind(folder, 'isFile', form, start);
}

/** The names of the folders in a folder, without links to others. */
export function listFolders(folder: string, form: RegExp): Promise<string[]> {
  return listKind(folder, 'isDirectory', form);
}

async function listKind(folder: string, kind: 'isFile' | 'isDirectory', form: RegExp, start = ''): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const named = isWhole(form, start);
  return entries.filter((entry) => named(entry.name) && entry[kind]()).map(({ name }) => name);
}

function isWhole(form: RegExp, start = ''): (name: string) => boolean {
  const whole = new RegExp(`^(?:${form.source})$`);
  return (name) => name.startsWith(start) && whole.test(name.slice(start.length));
}
