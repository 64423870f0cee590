import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { WireParameters } from '../api/endpoints.ts';
import { Failure, type Outcome } from '../api/failure.ts';

/** A write that is about to be sent. */
export interface Operation {
  readonly tool: string;
  /** Whose token the call came with; absent without tokens. */
  readonly owner?: string | undefined;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The wire parameters, with the key masked. */
  readonly sent: WireParameters;
  /** What the client calls itself. */
  readonly client: string;
}

/** How a write ended: `ok` with the ID the tracker gave, or what kept it from being known as done. */
export interface Ending {
  readonly outcome: 'ok' | Outcome;
  readonly id?: string | null;
  readonly message?: string;
}

/** One line of the trail: a write about to be sent, or one whose outcome is known. */
export type AuditLine = { readonly time: string; readonly run: string; readonly operation: string } & (
  | ({ readonly event: 'begin' } & Operation)
  | ({ readonly event: 'end'; readonly tool: string; readonly duration_ms: number } & Ending)
);

/**
 * The audit trail: two JSON lines for every write, one on disk before the request leaves, one when its outcome is known. A
 * crash between them leaves the first.
 */
export class AuditTrail {
  readonly #path: string;
  /** One run of the server. */
  readonly #run = randomUUID();
  #file: Promise<FileHandle> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Opens the log, creating it where it is not there.
   *
   * @throws Failure where it cannot be written
   */
  async open(): Promise<FileHandle> {
    this.#file ??= openLog(this.#path);
    try {
      return await this.#file;
    } catch (error) {
      this.#file = undefined;
      throw unwritable(this.#path, error);
    }
  }

  /**
   * Records that a write is about to be sent; on disk when this returns.
   *
   * @returns how to record its end
   * @throws Failure where the log cannot be written: then the write must not be sent
   */
  async begin(operation: Operation): Promise<(ending: Ending) => Promise<void>> {
    const id = randomUUID();
    const startedAt = Date.now();
    const about = () => ({ time: new Date().toISOString(), run: this.#run, operation: id });
    await this.#append({ ...about(), event: 'begin', ...operation });
    return (ending) =>
      this.#append({ ...about(), event: 'end', tool: operation.tool, duration_ms: Date.now() - startedAt, ...ending });
  }

  async close(): Promise<void> {
    const file = await this.#file?.catch(() => undefined);
    this.#file = undefined;
    await file?.close();
  }

  async #append(line: AuditLine): Promise<void> {
    const file = await this.open();
    try {
      const start = (await endsInHalfALine(file)) ? '\n' : '';
      await file.appendFile(`${start}${JSON.stringify(line)}\n`);
      await file.datasync();
    } catch (error) {
      throw unwritable(this.#path, error);
    }
  }
}

/** Only its owner may read what was changed; appending keeps lines of several servers whole. */
function openLog(path: string): Promise<FileHandle> {
  return open(path, 'a+', 0o600).catch((error: NodeJS.ErrnoException) => {
    // A log that may be written, but not read.
    if (error.code === 'EACCES') return open(path, 'a', 0o600);
    throw error;
  });
}

/** Whether a crash or a full disk left half a line, which would swallow the next one. Where that cannot be read, it may be so. */
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
