import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Database } from '../../../src/sandbox/store/database.ts';
import { openTraffic } from '../../../src/sandbox/traffic/traffic.ts';

/** A process of its own that takes live traffic into a file, for the test that kills it. It prints its URL. */
async function run(file: string, answerWhen: 'committed' | 'queued'): Promise<void> {
  const traffic = await openTraffic(await Database.open(file), { answerWhen });
  const server = createAdaptorServer({ fetch: traffic.routes.fetch }) as Server;
  server.listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
}

const [, , file = '', answerWhen] = process.argv;
void run(file, answerWhen === 'queued' ? 'queued' : 'committed');
