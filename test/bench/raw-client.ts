import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

/** The file for Node to run, and its environment. */
export interface ServerCommand {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Starts the tracker of the bench; returns its process, and the variables that name it. */
export const startCannedTracker = () => startTracker('canned-tracker.js');

/** Starts a tracker that prints its port. */
export async function startTracker(file: string, ...given: readonly string[]) {
  const program = fileURLToPath(new URL(file, import.meta.url));
  const tracker = spawn(process.execPath, [program, ...given], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = (await once(tracker.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${port.toString().trim()}`;
  return { tracker, environment: { TRACKER_URL: url, TRACKER_API_KEY: 'key-of-the-bench-0123456789' } };
}

let campaignId = 0;
/** A call for a report. Each asks for another campaign: identical reads in flight may share one request. */
export function reportCall(rows: number) {
  campaignId += 1;
  return { name: 'get_stats', arguments: { campaign_id: campaignId, reports: ['target'], quick_view_id: rows } };
}

const newline = 0x0a;

/** Linux counts CPU in hundredths of a second. */
const msPerTick = 10;

/**
 * A process's memory by the system, in MB; undefined if it does not report it.
 *
 * @param figure VmHWM is the most that it has held, VmRSS what it holds now
 */
export async function memoryOf(pid: number | undefined, figure: 'VmHWM' | 'VmRSS'): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = new RegExp(`^${figure}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

/** The CPU that all threads of a process have taken so far, in ms; NaN if the system does not report it. */
export async function cpuOf(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program may hold spaces; the fields after it are counted from its closing bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

/**
 * A client that writes and reads JSON lines over pipes and no more: the SDK's own hangs up at 10 MB, and would cost more
 * than what is measured.
 */
export class RawClient {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, { resolve: (line: Buffer) => void; reject: (error: Error) => void }>();
  #chunks: Buffer[] = [];
  #lastId = 0;

  constructor({ file, environment }: ServerCommand) {
    this.#process = spawn(process.execPath, [file], {
      env: { ...process.env, XDG_STATE_HOME: tmpdir(), ...environment },
    });
    this.#process.stdout.on('data', (chunk: Buffer) => this.#receive(chunk));
    let errors = '';
    this.#process.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    this.#process.once('exit', (code) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`${file} ended with ${code}: ${errors}`));
    });
  }

  /** The handshake; resolves when `initialize` is answered. */
  async initialize(): Promise<{ instructions?: string }> {
    const about = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1.0.0' } };
    const result = await this.request('initialize', about);
    this.#process.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return result as { instructions?: string };
  }

  /** @returns the result, parsed */
  async request(method: string, params: unknown): Promise<unknown> {
    const { result, error } = JSON.parse((await this.requestLine(method, params)).toString()) as Answer;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** @returns the answer's line as it came, which is not parsed, since that would be measured too */
  requestLine(method: string, params: unknown): Promise<Buffer> {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** Cancels the latest request. */
  cancel(): void {
    const params = { requestId: this.#lastId };
    this.#process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params })}\n`);
  }

  /** The most memory that the server has held so far, in MB; undefined if the system does not report it. */
  async peakMemory(): Promise<number | undefined> {
    return memoryOf(this.#process.pid, 'VmHWM');
  }

  /** The memory that it holds now. */
  async memory(): Promise<number | undefined> {
    return memoryOf(this.#process.pid, 'VmRSS');
  }

  cpu(): Promise<number> {
    return cpuOf(this.#process.pid);
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const exited = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    await exited;
  }

  #receive(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      this.#settle(Buffer.concat([...this.#chunks, rest.subarray(0, end)]));
      this.#chunks = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) this.#chunks.push(rest);
  }

  /** The ID is at one end of a line; the rest may be megabytes. */
  #settle(line: Buffer): void {
    const ends = line.subarray(0, 100).toString() + line.subarray(-100).toString();
    const id = Number(/"jsonrpc":"2.0","id":(\d+)/.exec(ends)?.[1]);
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    if (line.includes('"isError":true')) waiting.reject(new Error(line.toString().slice(0, 500)));
    else waiting.resolve(line);
  }
}
