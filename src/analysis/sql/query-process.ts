import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { Failure } from '../../api/failure.ts';
import { fromOutside, quoted } from '../../api/text/tracker-text.ts';
import { askForLess } from './complaint.ts';
import { type Answer, type FromProcess, interrupt, type Question, type ToProcess } from './messages.ts';

const [maxComplaint, maxShown] = [2000, 200];

/**
 * What V8 reserves for the two threads of the process, without using it: from Node 24 on half a GB each, which the system counts
 * as taken. In KB.
 */
const reserved = Number(process.versions.node.split('.')[0]) >= 24 ? 2 * 512 * 1024 : 0;

/**
 * A belt beside the thread that watches: no file can be written, no core is left, and an allocation beyond 1.5 GB fails, which
 * DuckDB reports as an error and lives on. A limit that a machine does not know is left out.
 */
const limits = ['-c 0', '-f 0', `-d ${1_500_000 + reserved}`].map((limit) => `ulimit ${limit} 2>/dev/null;`).join(' ');
const shell = '/bin/sh';

/** How the thread that watches its memory ends the process. */
const outOfMemory = 'SIGKILL';

/** The process that runs queries, as the server sees it. It is asked one question at a time. */
export class QueryProcess {
  readonly #child: ChildProcess;
  readonly #farewellMs: number;
  #isReady = false;
  #complaint = '';
  #end: Failure | undefined;
  #asked: Question['ask'] | undefined;
  #isLost = false;
  #hear: { readonly resolve: (message: FromProcess) => void; readonly reject: (end: Failure) => void } | undefined;

  private constructor(child: ChildProcess, farewellMs: number) {
    this.#child = child;
    this.#farewellMs = farewellMs;
    child.on('message', (message: FromProcess) => this.#hear?.resolve(message));
    child.on('error', (error) => this.#leave(error.message));
    child.on('exit', (code, signal) => this.#leave(signal ?? `exit code ${code}`));
    // Absent if the system has no file handles left.
    const complaints = child.stderr as Socket | undefined;
    complaints?.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(0, maxComplaint);
    });
    // A server that has nothing else to do ends, and this process with it.
    child.unref();
    child.channel?.unref();
    complaints?.unref();
  }

  /**
   * @param farewellMs how long a query that is interrupted may take to end; some functions do not look
   * @throws Failure if it does not start, and the reason of the signal if that fires first
   */
  static async start(stop: AbortSignal, farewellMs: number): Promise<QueryProcess> {
    const started = new QueryProcess(spawnChild(), farewellMs);
    await started.#listen(stop);
    started.#isReady = true;
    return started;
  }

  /** Whether it ended by itself, and not of the query that it ran: that one may have taken too much memory. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Whether it can be asked: it may have ended meanwhile, and not be missed yet. */
  async isThere(stop: AbortSignal): Promise<boolean> {
    if (this.#end) return false;
    const greeted = this.ask({ ask: 'greet' }, stop);
    return greeted.then(
      () => true,
      () => {
        stop.throwIfAborted();
        return false;
      },
    );
  }

  /**
   * Asks, and stops the work if the signal fires: by an interrupt, which keeps the tables, and if that does not help by
   * killing the process. Throws the reason of the signal; Failure if the process ended by itself.
   */
  async ask(question: Question, stop: AbortSignal): Promise<Answer> {
    stop.throwIfAborted();
    this.#asked = question.ask;
    this.#send(question);
    return (await this.#listen(stop)) as Answer;
  }

  kill(): void {
    this.#end ??= new Failure('The query was stopped.');
    this.#child.kill('SIGKILL');
  }

  async #listen(stop: AbortSignal): Promise<FromProcess> {
    let farewell: NodeJS.Timeout | undefined;
    const onStop = () => {
      this.#send(interrupt);
      farewell = setTimeout(() => this.kill(), this.#farewellMs);
    };
    stop.addEventListener('abort', onStop, { once: true });
    try {
      return await new Promise<FromProcess>((resolve, reject) => {
        if (this.#end) reject(this.#end);
        this.#hear = { resolve, reject };
      });
    } catch (error) {
      throw stop.aborted ? stop.reason : error;
    } finally {
      stop.removeEventListener('abort', onStop);
      clearTimeout(farewell);
    }
  }

  #send(message: ToProcess): void {
    // If it cannot be reached any more, its end is reported by the event that comes with it.
    this.#child.send(message, () => undefined);
  }

  #leave(how: string): void {
    const isOfQuery = how === outOfMemory && (this.#asked === 'run' || this.#asked === 'next-rows');
    this.#isLost = this.#isReady && this.#end === undefined && !isOfQuery;
    this.#end ??= this.#explainEnd(how);
    this.#hear?.reject(this.#end);
  }

  #explainEnd(how: string): Failure {
    if (!this.#isReady) {
      const [error = how] = /^.*Error.*$/m.exec(this.#complaint) ?? [];
      return new Failure(`The database for queries did not start: ${quoted(fromOutside(error), maxShown)}.`);
    }
    const reason =
      how === outOfMemory ? 'it took more than 1 GB of memory' : `the database did not survive it (${how})`;
    return new Failure(`The query was stopped: ${reason}.`, askForLess);
  }
}

/**
 * Starts it without any setting of the server: no key, no home, no options of Node. Its standard output leads nowhere, since
 * that of the server belongs to the protocol.
 */
function spawnChild(): ChildProcess {
  const entry = createRequire(import.meta.url).resolve('#query-process');
  const command = existsSync(shell)
    ? [shell, '-c', `${limits} exec "$0" "$@"`, process.execPath, entry]
    : [process.execPath, entry];
  return spawn(command[0] ?? shell, command.slice(1), {
    cwd: dirname(entry),
    env: essential(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    windowsHide: true,
  });
}

/** Windows loads its own libraries from where this says. */
function essential(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env;
  return process.platform === 'win32' && SystemRoot !== undefined ? { SystemRoot } : {};
}
