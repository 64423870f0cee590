import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** What stops a path from being used, besides the errors of the system. */
const problems = {
  folder: 'it is a folder, not a file',
  pipe: 'it is a pipe, not a file',
  socket: 'it is a socket, not a file',
  device: 'it is a device, not a file',
  loop: 'it is a link that leads back to itself',
  'others-link': 'it is a link of another user to what is not theirs',
  large: 'it is too large',
  'open-to-others': 'it can be written by others',
  'open-folder': 'it is in a folder that everyone can write to',
  others: 'it belongs to another user',
} as const;

/** What a person can do about a file that others can change. */
const remedies: Partial<Record<keyof typeof problems, string>> = {
  'open-to-others': 'chmod go-w fixes it.',
  'open-folder': 'chmod o-w for the folder fixes it.',
  others: 'chown gives it to the user who runs this.',
};

/** A path cannot be used, though the system may allow it. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem';
  readonly code: keyof typeof problems;
  /** What a person can do; undefined unless others can change the file. */
  readonly remedy: string | undefined;

  constructor(code: keyof typeof problems) {
    super(problems[code]);
    this.code = code;
    this.remedy = remedies[code];
  }
}

/** Why a file could not be used, as a part of a sentence. Throws any error that is not about a file. */
export function whyNot(error: unknown): string {
  if (error instanceof FileProblem) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (!(error instanceof Error) || code === undefined) throw error;
  return code === 'ENOSPC' ? 'ENOSPC, the disk is full' : code;
}

export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The state of a file, in the form that tells two files apart. */
export type About = Awaited<ReturnType<typeof aboutPath>>;

export interface FoundFile {
  /** Where the file is, behind all links, or where it can be made. */
  readonly path: string;
  /** Undefined if there is no file. */
  readonly about: About | undefined;
}

const aboutPath = (path: string) => lstat(path, { bigint: true });

/** Windows has no owners and modes. */
const hasOwners = process.platform !== 'win32';

/** The permissions of a file; none where the system keeps them elsewhere. */
export const modeOf = (about: About | undefined): number => (hasOwners && about ? Number(about.mode & 0o777n) : 0);

export const isRoot = process.geteuid?.() === 0;

/** As many as Linux follows. */
const maxLinks = 40;

/**
 * Follows links to a file, or to the place where the last one says that it is.
 *
 * @throws FileProblem if there is something that is not a file, or a loop
 */
export async function findFile(path: string): Promise<FoundFile> {
  let target = resolve(path);
  const makers = new Set<bigint>();
  for (let links = 0; links <= maxLinks; links += 1) {
    const about = await aboutPath(target).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ELOOP') throw new FileProblem('loop');
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (!about?.isSymbolicLink()) {
      if (about) refuseOtherKinds(about);
      await refuseLinksOfOthers(target, about, makers);
      return { path: target, about };
    }
    makers.add(about.uid);
    // A relative link begins in its real folder.
    target = resolve(await realpath(dirname(target)), await readlink(target));
  }
  throw new FileProblem('loop');
}

/** A device could block, or answer for ever; a pipe blocks until somebody writes. */
export function refuseOtherKinds(about: Pick<About, 'isFile' | 'isDirectory' | 'isFIFO' | 'isSocket'>): void {
  if (about.isFile()) return;
  const kind = about.isDirectory() ? 'folder' : about.isFIFO() ? 'pipe' : about.isSocket() ? 'socket' : 'device';
  throw new FileProblem(kind);
}

/** A user could make root write a file that is not theirs. */
async function refuseLinksOfOthers(target: string, about: About | undefined, makers: ReadonlySet<bigint>) {
  if (!isRoot || [...makers].every((maker) => maker === 0n)) return;
  const owner = (about ?? (await stat(dirname(target), { bigint: true }))).uid;
  if ([...makers].some((maker) => maker !== 0n && maker !== owner)) throw new FileProblem('others-link');
}

/**
 * Refuses a file that others can change. Root may use the files of any user.
 *
 * @throws FileProblem
 */
export async function refuseIfOthersCanWrite({ path, about }: FoundFile): Promise<void> {
  if (!hasOwners || !about) return;
  if ((about.mode & 0o022n) !== 0n) throw new FileProblem('open-to-others');
  const own = BigInt(process.geteuid?.() ?? 0);
  if (!isRoot && about.uid !== 0n && about.uid !== own) throw new FileProblem('others');
  // There anyone can replace the file, unless the sticky bit is set, as for /tmp.
  const { mode } = await stat(dirname(path));
  if ((mode & 0o002) !== 0 && (mode & 0o1000) === 0) throw new FileProblem('open-folder');
}
