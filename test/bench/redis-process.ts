import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { findRedis } from '../../build/programs.js';
import { freePort } from '../support/free-port.ts';

/** A Redis of the bench's own, and how it is ended. */
export interface RedisProcess {
  readonly url: string;
  end(): void;
}

/** Starts a redis-server, or the one that REDIS_SERVER_PATH names; undefined if there is none. It keeps nothing on disk. */
export async function startRedis(): Promise<RedisProcess | undefined> {
  const program = findRedis();
  if (program === undefined) return undefined;
  const port = await freePort();
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn(program, options, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(server.stdout)) {
    if (!line.includes('Ready to accept connections')) continue;
    return { url: `redis://127.0.0.1:${port}`, end: () => void server.kill('SIGKILL') };
  }
  throw new Error(`${program} ended before it served`);
}
