import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Database } from '../../../src/sandbox/store/database.ts';
import { openTraffic } from '../../../src/sandbox/traffic/traffic.ts';

/** The process that kill.test.ts kills: it takes live traffic into a file, and prints its URL. */
async function run(file: string): Promise<void> {
  const traffic = await openTraffic(await Database.open(file));
  const server = createServer((request, response) => traffic.serve(request, response));
  server.listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
}

const [, , file = ''] = process.argv;
void run(file);
