import { randomUUID } from 'node:crypto';
import { type FileHandle, open, stat } from 'node:fs/promises';
import type { WireParameters } from '../api/endpoints.ts';
import { Failure, type Outcome } from '../api/failure.ts';
import { type AuditLog, readAuditLog } from './read-audit-log.ts';

/** A write that is about to be sent. */
export interface Operation {
  readonly tool: string;
  /** Whose token the call came with; absent without tokens. */
  readonly owner?: string | undefined;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The wire parameters, with the key masked. */
  readonly sent: WireParameters;
  readonly client: string;
  readonly change: string;
  /** The tool that was called, which may send several writes. */
  readonly act: string;
  readonly before: Readonly<Record<string, unknown>>;
  readonly undoes?: string;
  readonly proposal?: string;
  readonly approver?: string;
}

/** How a write ended: `ok` with the ID the tracker gave, or what kept it from being known as done. */
export interface Ending {
  readonly outcome: 'ok' | Outcome;
  readonly id?: string | null;
  readonly message?: string;
}

/** One line of the trail: a write about to be sent, or one whose outcome is known. */
export type AuditLine = { readonly time: string; readonly run: string; readonly operation: string } & (
  | ({
      readonly event: 'begin';
      readonly tracker?: string | undefined;
      readonly tracker_name?: string | undefined;
    } & Operation)
  | ({ readonly event: 'end'; readonly tool: string; readonly duration_ms: number } & Ending)
);

/** So much of the end of a log is read back: thousands of writes, in a moment. */
const maxBytesReadBack = 8 * 1024 * 1024;

const maxAttempts = 3;

/** The audit trail: two JSON lines a write, one on disk before the request leaves, one when its outcome is known. */
export class AuditTrail {
  readonly #path: string;
  readonly #tracker: string | undefined;
  readonly #trackerName: string | undefined;
  readonly #run = randomUUID();
  #file: Promise<FileHandle> | undefined;
  #appended: Promise<void> = Promise.resolve();

  /** @param tracker which one is written to, since several may share a log; undefined if it ends with this run */
  constructor(path: string, tracker?: string, trackerName?: string) {
    this.#path = path;
    this.#tracker = tracker;
    this.#trackerName = trackerName;
  }

  /** The latest writes to this tracker that earlier runs left in the log. Throws a Failure if it cannot be read. */
  async readEarlierWrites(): Promise<AuditLog> {
    if (this.#tracker === undefined) return { writes: [], unreadable: 0 };
    await this.open();
    const { writes, unreadable } = await readAuditLog(this.#path, maxBytesReadBack);
    return { writes: writes.filter(({ run, tracker }) => run !== this.#run && tracker === this.#tracker), unreadable };
  }

  /** Opens the log, also anew if it was rotated or deleted. Throws a Failure if it cannot be written. */
  async open(): Promise<FileHandle> {
    const opened = this.#file;
    try {
      const file = await opened;
      if (file && (await isAt(this.#path, file))) return file;
      // Of two callers that find it gone, the second takes what the first opened.
      if (this.#file === opened) this.#file = openLog(this.#path, file);
      return await (this.#file ?? openLog(this.#path));
    } catch (error) {
      this.#file = undefined;
      throw unwritable(this.#path, error);
    }
  }

  /** Records on disk that a write is about to be sent, and returns how to record its end. Throws a Failure if it cannot. */
  async begin(operation: Operation): Promise<(ending: Ending) => Promise<void>> {
    const id = randomUUID();
    const startedAt = performance.now();
    const about = () => ({ time: new Date().toISOString(), run: this.#run, operation: id });
    await this.#append({
      ...about(),
      event: 'begin',
      tracker: this.#tracker,
      tracker_name: this.#trackerName,
      ...operation,
    });
    return (ending) =>
      this.#append({
        ...about(),
        event: 'end',
        tool: operation.tool,
        duration_ms: Math.round(performance.now() - startedAt),
        ...ending,
      });
  }

  async close(): Promise<void> {
    const file = await this.#file?.catch(() => undefined);
    this.#file = undefined;
    await file?.close();
  }

  /** One line after another, so that none is written to a log that another call closes. */
  #append(line: AuditLine): Promise<void> {
    const appended = this.#appended.then(() => this.#appendNow(line));
    this.#appended = appended.catch(() => undefined);
    return appended;
  }

  async #appendNow(line: AuditLine): Promise<void> {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const file = await this.open();
      try {
        const start = (await endsInHalfALine(file)) ? '\n' : '';
        await file.appendFile(`${start}${JSON.stringify(line)}\n`);
        await file.datasync();
        // A log that was rotated in between has the line still; one that was deleted has not.
        if ((await file.stat()).nlink > 0 || (await isAt(this.#path, file))) return;
      } catch (error) {
        throw unwritable(this.#path, error);
      }
    }
    throw unwritable(this.#path, undefined);
  }
}

/** Whether the path still names the file that was opened. */
async function isAt(path: string, file: FileHandle): Promise<boolean> {
  const [there, opened] = await Promise.all([
    stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    }),
    file.stat({ bigint: true }),
  ]);
  return there?.ino === opened.ino && there.dev === opened.dev;
}

/** Opens the log for its owner alone, and closes what was open before. Appending keeps lines of several servers whole. */
async function openLog(path: string, before?: FileHandle): Promise<FileHandle> {
  await before?.close();
  return open(path, 'a+', 0o600).catch((error: NodeJS.ErrnoException) => {
    // A log that may be written, but not read.
    if (error.code === 'EACCES') return open(path, 'a', 0o600);
    throw error;
  });
}

/** Whether a crash or a full disk left half a line, which would swallow the next one; true if that cannot be read. */
async function endsInHalfALine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1).catch(() => undefined);
  return last.toString() !== '\n';
}

function unwritable(path: string, error: unknown): Failure {
  const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  return new Failure(
    `The audit log ${path} cannot be written (${reason}), so no write is sent.`,
    'The person who runs this server has to mend TRACKER_AUDIT_LOG; reading works.',
  );
}
