import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

let tracker;

/** A tracker with one campaign, until the process ends. */
export function trackerUrl() {
  tracker ??= startTracker();
  return tracker;
}

async function startTracker() {
  const server = createServer((_request, response) => response.end('[{"ID":"1","Name":"One"}]')).unref();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${server.address().port}`;
}

/** Starts a server over HTTP on a free port, and waits until it listens. */
export async function startServer(name, given) {
  const commands = {
    built: ['dist/cli.js', 'http', '--port', '0'],
    fixture: ['build/run.js', 'test/conformance/fixture/serve.ts'],
  };
  const env = { PATH: process.env.PATH, TRACKER_URL: await trackerUrl(), TRACKER_API_KEY: 'key-of-no-tracker' };
  const server = spawn(process.execPath, [...commands[name], ...given], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const line of createInterface(server.stderr)) {
    const url = /serving MCP at (\S+?\/mcp)/.exec(line)?.[1];
    if (url !== undefined) return { url: url.replace('127.0.0.1', 'localhost'), end: () => server.kill('SIGTERM') };
  }
  throw new Error(`the ${name} server ended before it served`);
}
