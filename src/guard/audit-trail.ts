import { randomInt, randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { WireParameters } from '../api/endpoints.ts';
import { Failure, type Outcome } from '../api/failure.ts';
import { findFile, isMissing, whyNot } from '../files/at-path.ts';
import { type FileHandle, makeFolder, openToAppend, removeFile, setAside } from '../files/write-file.ts';
import { type AuditLog, readAuditLog, rotatedFrom, type SetPlace } from './read-audit-log.ts';

/** A request that is about to be sent. */
export interface Operation {
  readonly tool: string;
  /** The name of the caller's token; absent without tokens. */
  readonly owner?: string | undefined;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The wire parameters, with the key masked. */
  readonly sent: WireParameters;
  readonly client: string;
  readonly change: string;
  /** The tool that was called, which may send several requests. */
  readonly act: string;
  readonly before: Readonly<Record<string, unknown>>;
  readonly undoes?: string | undefined;
  /** The set of writes that the change is of. */
  readonly set?: SetPlace | undefined;
  /** How many requests the change has, if more than one; if the log has fewer, the others were not sent. */
  readonly requests?: number | undefined;
  readonly proposal?: string;
  readonly approver?: string;
}

/** How a request ended: `ok` with the ID that the tracker returned, or why it is not known to be done. */
export interface Ending {
  readonly outcome: 'ok' | Outcome;
  readonly id?: string | null;
  readonly message?: string;
}

/** One line of the trail: a request before it is sent, or its outcome. */
export type AuditLine = { readonly time: string; readonly run: string; readonly operation: string } & (
  | ({
      readonly event: 'begin';
      readonly tracker?: string | undefined;
      readonly tracker_name?: string | undefined;
    } & Operation)
  | ({ readonly event: 'end'; readonly tool: string; readonly duration_ms: number } & Ending)
);

/** Enough for thousands of writes. */
const maxBytesReadBack = 8 * 1024 * 1024;

const maxAttempts = 3;

/** A change log is replaced by a new one at this size, and this many earlier ones are kept: all of it can be read back. */
const [maxLogBytes, maxRotated] = [maxBytesReadBack / 4, 3];

export interface TrailOptions {
  /** The tracker's identity, because several can share a log; undefined if the tracker ends with this run. */
  readonly tracker?: string | undefined;
  readonly trackerName?: string | undefined;
  /**
   * Makes it a change log, which a server keeps unasked: it is bounded, its folder is created, and writes go on without it. Gets
   * once why it cannot be written.
   */
  readonly onUnwritable?: (problem: string) => void;
  readonly now?: () => Date;
}

/** The audit trail: two JSON lines for each request, one on disk before it is sent, one when its outcome is known. */
export class AuditTrail {
  readonly #pathOf: () => Promise<string>;
  readonly #options: TrailOptions;
  /** Names this run in the log. */
  readonly run = randomUUID();
  readonly #now: () => Date;
  /** Why the change log cannot be written. */
  problem: string | undefined;
  #file: Promise<FileHandle> | undefined;
  /** What was read last, and of which state of the file. */
  #read: { readonly state: string | undefined; readonly log: Promise<AuditLog> } | undefined;
  #appended: Promise<void> = Promise.resolve();

  /** @param path a function is called with the first write or read, and only then */
  constructor(path: string | (() => Promise<string>), options: TrailOptions = {}) {
    let found: Promise<string> | undefined;
    this.#pathOf = () => {
      found ??= typeof path === 'string' ? Promise.resolve(path) : path();
      return found;
    };
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
  }

  /** The latest writes to this tracker, by all runs that share the log. Throws a Failure if it cannot be read. */
  async readWrites(): Promise<AuditLog> {
    const { tracker: own, onUnwritable } = this.#options;
    if (own === undefined) return { writes: [], unreadable: 0 };
    if (!onUnwritable) await this.open();
    const path = await this.#pathOf();
    const { about } = await findFile(path).catch(() => ({ about: undefined }));
    const state = about && `${about.ino} ${about.size} ${about.mtimeNs}`;
    if (state === undefined || state !== this.#read?.state) {
      const log = readAuditLog(path, {
        maxBytes: maxBytesReadBack,
        mayBeMissing: onUnwritable !== undefined,
        isKept: true,
      });
      this.#read = { state, log };
    }
    const { writes, unreadable } = await this.#read.log;
    return { writes: writes.filter(({ tracker }) => tracker === own), unreadable };
  }

  /** Opens the log, and reopens it if it was rotated or deleted. Throws a Failure if it cannot be written. */
  async open(): Promise<FileHandle> {
    const path = await this.#pathOf();
    const opened = this.#file;
    try {
      const file = await opened;
      if (file && (await isAt(path, file))) return file;
      // If two callers find it gone, the second uses the file that the first opened.
      if (this.#file === opened) this.#file = this.#openLog(path, file);
      return await (this.#file ?? this.#openLog(path));
    } catch (error) {
      this.#file = undefined;
      throw this.#unwritable(path, error);
    }
  }

  /** Writes the first line of a request to disk. Returns a function for the second. Both throw a Failure if they cannot. */
  async begin(operation: Operation): Promise<(ending: Ending) => Promise<void>> {
    const id = randomUUID();
    const startedAt = performance.now();
    const line = () => ({ time: this.#now().toISOString(), run: this.run, operation: id });
    const tracker = { tracker: this.#options.tracker, tracker_name: this.#options.trackerName };
    await this.#write({ ...line(), event: 'begin', ...tracker, ...operation });
    return (ending) => {
      const duration_ms = Math.round(performance.now() - startedAt);
      return this.#write({ ...line(), event: 'end', tool: operation.tool, duration_ms, ...ending });
    };
  }

  async close(): Promise<void> {
    const file = await this.#file?.catch(() => undefined);
    this.#file = undefined;
    await file?.close();
  }

  async #write(line: AuditLine): Promise<void> {
    const { onUnwritable } = this.#options;
    if (!onUnwritable) return this.#append(line);
    await this.#append(line).catch((error: Failure) => {
      if (this.problem === undefined) onUnwritable(error.happened);
      this.problem = error.happened;
    });
  }

  /** Opens the log, and closes the file that had its place before. */
  async #openLog(path: string, before?: FileHandle): Promise<FileHandle> {
    await before?.close();
    if (this.#options.onUnwritable) await makeFolder(dirname(path));
    return openToAppend(path);
  }

  /** One line at a time, so that no call writes to a file that a different call is closing. */
  #append(line: AuditLine): Promise<void> {
    const appended = this.#appended.then(() => this.#appendNow(line));
    this.#appended = appended.catch(() => undefined);
    return appended;
  }

  async #appendNow(line: AuditLine): Promise<void> {
    const path = await this.#pathOf();
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const file = await this.open();
      try {
        if (this.#options.onUnwritable && (await file.stat()).size >= maxLogBytes) {
          await rotate(path, file);
          continue;
        }
        const start = (await endsWithPartialLine(file)) ? '\n' : '';
        await file.appendFile(`${start}${JSON.stringify(line)}\n`);
        await file.datasync();
        // If the log was rotated just now, the line is still there; if it was deleted, the line is lost.
        if ((await file.stat()).nlink > 0 || (await isAt(path, file))) return;
      } catch (error) {
        throw this.#unwritable(path, error);
      }
    }
    throw this.#unwritable(path);
  }

  #unwritable(path: string, error?: unknown): Failure {
    const reason = error === undefined ? 'other programs replace it all the time' : whyNot(error);
    if (this.#options.onUnwritable)
      return new Failure(
        `The change log ${path} cannot be written (${reason}): changes are known only until this server ends.`,
      );
    return new Failure(
      `The audit log ${path} cannot be written (${reason}), so no write is sent.`,
      'The person who runs this server has to fix TRACKER_AUDIT_LOG; reading works.',
    );
  }
}

/**
 * Makes room for a new log, unless another process just did. Each name is a new one: a late process then moves the log that the other
 * began, and overwrites nothing.
 */
async function rotate(path: string, file: FileHandle): Promise<void> {
  if (!(await isAt(path, file))) return;
  await setAside(path, `.${randomInt(2 ** 46, 2 ** 47)}`).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  const tooOld = (await rotatedFrom(path, /\.\d{10,15}/)).slice(maxRotated);
  await Promise.all(tooOld.map((file) => removeFile(file).catch(() => undefined)));
}

/** Whether the path still names the file that was opened. */
async function isAt(path: string, file: FileHandle): Promise<boolean> {
  const [{ about }, opened] = await Promise.all([findFile(path), file.stat({ bigint: true })]);
  return about?.ino === opened.ino && about.dev === opened.dev;
}

/** Whether a crash or a full disk left half a line, which would corrupt the next one; true if the log cannot be read. */
async function endsWithPartialLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1).catch(() => undefined);
  return last.toString() !== '\n';
}
