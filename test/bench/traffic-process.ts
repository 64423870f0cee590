import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { startSandbox } from '../../src/sandbox/sandbox.ts';

/**
 * A process that redirects: `tracker FILE` is the embedded tracker, `bare` is the web framework with only a redirect. It sends its
 * URL, and answers every message with the CPU time that it has used, in microseconds.
 */
const [, , kind, file = ''] = process.argv;

async function serve(): Promise<string> {
  if (kind === 'tracker') return (await startSandbox({ file, apiKey: 'bench' })).url;
  const app = new Hono();
  app.get('/base.php', (context) => context.redirect('https://landing.example.com/1', 302));
  const listener = getRequestListener(app.fetch);
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const url = await serve();
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.on('disconnect', () => process.exit());
process.send?.(url);
