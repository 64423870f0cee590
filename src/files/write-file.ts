import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lchown, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type About, findFile, isRoot, refuseOtherKinds } from './at-path.ts';
import { withoutWaiting } from './read-file.ts';

export type { FileHandle };

interface WriteOptions {
  /** Only the owner may read it, even if others could before. */
  readonly isSecret?: boolean;
  /** A file whose owner and mode the file gets, even if it had others before. */
  readonly like?: string;
}

/** What is left if a process is killed in the middle of a write: the name of the file, and this. */
export const leftOver = String.raw`\.[\da-f]{8}`;

/**
 * Replaces a file at once, or makes it. Links to it stay, and so do its owner and mode. A new file is for its owner alone.
 *
 * @returns the path of the file, behind all links
 * @throws FileProblem, or an error of the system
 */
export async function replaceFile(path: string, content: string | Buffer, options: WriteOptions = {}): Promise<string> {
  const { path: target, about } = await findFile(path);
  const next = `${target}.${randomBytes(4).toString('hex')}`;
  try {
    await makeFile(next, content, { ...(about && { like: target }), ...options });
    await rename(next, target);
  } catch (error) {
    await removeFile(next);
    throw error;
  }
  return target;
}

/** Makes a file that must not exist, on disk when it returns. Throws an error with the code EEXIST if it exists. */
export function createFile(path: string, content: string | Buffer, options: WriteOptions = {}): Promise<void> {
  return makeFile(path, content, options, (file) => file.sync());
}

async function makeFile(
  path: string,
  content: string | Buffer,
  { isSecret = false, like }: WriteOptions,
  finish?: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const about = like === undefined ? undefined : (await findFile(like)).about;
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await setOwner(file, path, about, isSecret);
    await finish?.(file);
  } finally {
    await file.close();
  }
}

/** Opens a file, or makes it, to add to its end. Throws what `replaceFile` throws. */
export async function openToAppend(path: string): Promise<FileHandle> {
  const { path: target, about } = await findFile(path);
  const flags = constants.O_APPEND | constants.O_CREAT | withoutWaiting;
  const file = await open(target, flags | constants.O_RDWR, 0o600).catch((error: NodeJS.ErrnoException) => {
    // It may be writable but not readable.
    if (error.code === 'EACCES') return open(target, flags | constants.O_WRONLY, 0o600);
    throw error;
  });
  try {
    refuseOtherKinds(await file.stat({ bigint: true }));
    if (!about) await setOwner(file, target);
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

/** Gives a file owner and mode of another, or, if root made it, the owner of its folder. */
async function setOwner(file: FileHandle, path: string, like?: About, isSecret = false): Promise<void> {
  const { uid, gid } = like ?? (isRoot ? await stat(dirname(path)) : {});
  const own = await file.stat();
  let mode = like === undefined || isSecret ? 0o600 : Number(like.mode & 0o777n);
  if (uid !== undefined && (own.uid !== Number(uid) || own.gid !== Number(gid))) {
    await file.chown(Number(uid), Number(gid)).catch((error: unknown) => {
      if (own.uid !== Number(uid)) throw error;
      // A user may not give a file to a group of others, which then gets no rights.
      mode &= 0o707;
    });
  }
  if (mode !== (own.mode & 0o777)) await file.chmod(mode);
}

/** Gives a file that another library made the owner of its folder, if root made it. */
export async function giveToFolderOwner(path: string): Promise<void> {
  if (!isRoot) return;
  const { uid, gid } = await stat(dirname(path));
  await lchown(path, uid, gid);
}

/** Makes a folder and those above it. If root makes them, they belong to the owner of the folder that they are in. */
export async function makeFolder(path: string, mode = 0o700): Promise<void> {
  const whole = resolve(path);
  const first = await mkdir(whole, { recursive: true, mode });
  if (first === undefined || !isRoot) return;
  const { uid, gid } = await stat(dirname(first));
  for (let made = whole; made.length >= first.length; made = dirname(made)) {
    await lchown(made, uid, gid);
  }
}

/** Renames a file, behind all links to it. Returns its new path. */
export async function setAside(path: string, ending: string): Promise<string> {
  const { path: target } = await findFile(path);
  await rename(target, `${target}${ending}`);
  return `${target}${ending}`;
}

/** Removes a folder with all that is in it; of a link, only the link. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
}

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}
