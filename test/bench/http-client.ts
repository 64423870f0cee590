import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Client, type Dispatcher } from 'undici';
import { cpuOf, memoryOf } from './raw-client.ts';

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A server over HTTP as a process, and connections to it that are kept. */
export class HttpServerProcess {
  readonly #process: ChildProcess;
  readonly #connections: readonly Client[];
  readonly #path: string;

  private constructor(process: ChildProcess, url: URL, connections: number) {
    this.#process = process;
    this.#path = url.pathname;
    this.#connections = Array.from({ length: connections }, () => new Client(url.origin));
  }

  /** Starts it, and waits until it prints its URL. */
  static async start(
    given: readonly string[],
    environment: Readonly<Record<string, string>>,
    connections: number,
  ): Promise<HttpServerProcess> {
    const child = spawn(process.execPath, [...given], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    for await (const line of createInterface(child.stderr)) {
      const url = /serving MCP at (\S+?\/mcp)/.exec(line)?.[1];
      if (url !== undefined) return new HttpServerProcess(child, new URL(url), connections);
    }
    throw new Error(`${given.join(' ')} ended before it served`);
  }

  /** One message over one of the connections; its answer is read to the end, and fails if it is an error. */
  async post(connection: number, message: object, session?: string): Promise<Dispatcher.ResponseData['headers']> {
    const client = this.#connections[connection % this.#connections.length];
    if (!client) throw new TypeError('there are no connections');
    const answer = await client.request({
      method: 'POST',
      path: this.#path,
      headers: session === undefined ? headers : { ...headers, 'mcp-session-id': session },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300 || text.includes('"isError":true') || text.includes('"error":{')) {
      throw new Error(`${answer.statusCode}: ${text.slice(0, 500)}`);
    }
    return answer.headers;
  }

  /** Ends a session. */
  async endSession(session: string): Promise<void> {
    const ending = { method: 'DELETE' as const, path: this.#path, headers: { ...headers, 'mcp-session-id': session } };
    await (await this.#connections[0]?.request(ending))?.body.dump();
  }

  /** The memory that the server holds now, in MB; NaN if the system does not report it. */
  async memory(): Promise<number> {
    return (await memoryOf(this.#process.pid, 'VmRSS')) ?? Number.NaN;
  }

  cpu(): Promise<number> {
    return cpuOf(this.#process.pid);
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.destroy()));
    this.#process.kill('SIGKILL');
  }
}
