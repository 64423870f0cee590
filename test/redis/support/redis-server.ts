import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { findRedis } from '../../../build/programs.js';
import { closeAfterTests } from '../../support/closing.ts';
import { newFolder } from '../../support/folders.ts';
import { freePort } from '../../support/free-port.ts';

const missing =
  'There is no redis-server. Install it (apt-get install redis-server, brew install redis), or name one with REDIS_SERVER_PATH.';

/**
 * Starts a redis-server without files on this machine, until the tests of the file are done.
 *
 * @param given more options
 */
export async function startRedis(...given: readonly string[]) {
  const program = findRedis();
  if (program === undefined) throw new Error(missing);
  const port = await freePort();
  const folder = await newFolder('redis-');
  let running: ChildProcess | undefined;
  const start = async () => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...given];
    running = spawn(program, [...options, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' });
    while (!(await answers(port))) {
      if (running.exitCode !== null) throw new Error(`redis-server ended with ${running.exitCode}`);
      await setTimeout(20);
    }
  };
  const kill = async () => {
    if (!running || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, 'exit');
    running.kill('SIGKILL');
    await ended;
  };
  closeAfterTests(kill);
  await start();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    kill,
    /** Starts it again on the same port, empty. */
    restart: start,
    /** Suspends it: it keeps its connections and answers nothing. */
    freeze: () => void running?.kill('SIGSTOP'),
    thaw: () => void running?.kill('SIGCONT'),
  };
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Sends one command as redis-cli does, and returns the raw answer. */
export async function askRedis(port: number, ...words: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`);
  const [reply] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return reply.toString();
}
