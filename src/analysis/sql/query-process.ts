import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { Failure } from '../../api/failure.ts';
import { fromOutside, quoted } from '../../api/text/tracker-text.ts';
import { askForLess } from './complaint.ts';
import type { Answer, FromProcess, Question } from './messages.ts';

const [maxErrorOutput, maxShown] = [2000, 200];

/**
 * What V8 reserves for the two threads of the process without using it: from Node 24 on half a GB each, which the system counts
 * as taken. In KB.
 */
const reservedKb = Number(process.versions.node.split('.')[0]) >= 24 ? 2 * 512 * 1024 : 0;

/**
 * A second line of defence after the memory watch: no file can be written, no core is left, and an allocation beyond 1.5 GB fails,
 * which DuckDB reports as an error and survives. A limit that a machine does not know is ignored.
 */
const limits = ['-c 0', '-f 0', `-d ${1_500_000 + reservedKb}`]
  .map((limit) => `ulimit ${limit} 2>/dev/null;`)
  .join(' ');
const shell = '/bin/sh';

/** How the memory watch ends the process. */
const outOfMemory = 'SIGKILL';

/** The process that runs queries, as the server sees it. It is asked one question at a time. */
export class QueryProcess {
  readonly #child: ChildProcess = spawnChild();
  #isReady = false;
  #errorOutput = '';
  #end: Failure | undefined;
  #hasRun = false;
  #isFirstRun = false;
  #isLost = false;
  #listener: { readonly resolve: (message: FromProcess) => void; readonly reject: (end: Failure) => void } | undefined;

  constructor() {
    const child = this.#child;
    child.on('message', (message: FromProcess) => this.#listener?.resolve(message));
    child.on('error', (error) => this.#onEnd(error.message));
    child.on('exit', (code, signal) => this.#onEnd(signal ?? `exit code ${code}`));
    // Absent if the system has no file handles left.
    const stderr = child.stderr as Socket | undefined;
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(0, maxErrorOutput);
    });
    // A server that has nothing else to do ends, and this process with it.
    child.unref();
    child.channel?.unref();
    stderr?.unref();
  }

  /** Waits until it can be asked. Throws a Failure if it does not start. */
  async start(): Promise<void> {
    if (this.#isReady) return;
    await this.#receive();
    this.#isReady = true;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Whether it ended by itself, and not because of the query under way alone: the memory may have been taken by earlier ones. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Asks a question. Throws a Failure if the process ended. One that has no memory left is ended. */
  async ask(question: Question): Promise<Answer> {
    this.#isFirstRun = question.ask === 'run' && !this.#hasRun;
    this.#hasRun ||= question.ask === 'run';
    // If the process cannot be reached, its exit event reports that.
    this.#child.send(question, () => undefined);
    const answer = (await this.#receive()) as Answer;
    if (answer.is === 'out-of-memory') {
      this.#isLost = !this.#isFirstRun;
      this.kill();
    }
    return answer;
  }

  kill(): void {
    this.#end ??= new Failure('The query was stopped.');
    this.#child.kill('SIGKILL');
  }

  #receive(): Promise<FromProcess> {
    return new Promise((resolve, reject) => {
      if (this.#end) reject(this.#end);
      this.#listener = { resolve, reject };
    });
  }

  #onEnd(how: string): void {
    if (this.#end === undefined) this.#isLost = this.#isReady && !this.#isFirstRun;
    this.#end ??= this.#explainEnd(how);
    this.#listener?.reject(this.#end);
  }

  #explainEnd(how: string): Failure {
    if (!this.#isReady) {
      const [error = how] = /^.*Error.*$/m.exec(this.#errorOutput) ?? [];
      return new Failure(`The database for queries did not start: ${quoted(fromOutside(error), maxShown)}.`);
    }
    const reason =
      how === outOfMemory ? 'it took more than 1 GB of memory' : `the database did not survive it (${how})`;
    return new Failure(`The query was stopped: ${reason}.`, askForLess);
  }
}

/**
 * Starts the process without any setting of the server: no key, no home, no options of Node. Its standard output is ignored, because
 * the server's own belongs to the protocol.
 */
function spawnChild(): ChildProcess {
  const entry = createRequire(import.meta.url).resolve('#query-process');
  const command = existsSync(shell)
    ? [shell, '-c', `${limits} exec "$0" "$@"`, process.execPath, entry]
    : [process.execPath, entry];
  return spawn(command[0] ?? shell, command.slice(1), {
    cwd: dirname(entry),
    env: childEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    windowsHide: true,
  });
}

/** Windows finds its own libraries through this variable. */
function childEnvironment(): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env;
  return process.platform === 'win32' && SystemRoot !== undefined ? { SystemRoot } : {};
}
