import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type CallToolResult, CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import { listening } from '../support/listening.ts';
import { processFolders } from '../support/system.ts';
import { startClient } from './support/clients.ts';

/** Any answer of a tracker leaves the server responsive, the call in time, and the memory bounded. */

const element = (index: number) =>
  `<Row><ID>${index}</ID><Keyword>word ${index}</Keyword><Views>${index % 1000}</Views><Revenue>1.50</Revenue></Row>`;
const record = (index: number) =>
  `{"ID":"${index}","Keyword":"word ${index}","Views":"${index % 1000}","Revenue":"1.50","Url":"https:\\/\\/x.example\\/${index}"}`;

function repeat(write: (index: number) => string, count: number, separator = ''): string {
  return Array.from({ length: count }, (_, index) => write(index)).join(separator);
}

const bodies: Readonly<Record<string, { readonly body: () => string; readonly expected: RegExp }>> = {
  // First, because it takes the most: later it stands on garbage of the others, as much as a busy machine has left.
  '40 MB of records that are never equal': {
    body: () => `[${repeat((index) => `{"k${index % 7}":${index},"x":[${index}]}`, 1_500_000, ',')}]`,
    expected: /more rows, columns or values|did not answer within/,
  },
  '55 MB of nested lists': {
    body: () => `[${'[[[[[]]]]],'.repeat(5_000_000)}[]]`,
    expected: /more rows, columns or values/,
  },
  '27 MB of empty lists': { body: () => `[${'[],'.repeat(9_000_000)}[]]`, expected: /more rows, columns or values/ },
  '36 MB of XML rows': { body: () => `<R>${repeat(element, 400_000)}</R>`, expected: /400,?000/ },
  '30 MB of JSON rows': { body: () => `{"Rows":[${repeat(record, 300_000, ',')}]}`, expected: /300,?000/ },
  '20 MB of a few long texts': {
    body: () => `[${repeat((index) => `{"ID":"${index}","Note":"${'x'.repeat(200_000)}"}`, 100, ',')}]`,
    expected: /\b100\b/,
  },
  '20 MB of the shortest rows': {
    body: () => `[${repeat((index) => `{"a":${index % 10},"b":""}`, 1_200_000, ',')}]`,
    expected: /more rows, columns or values/,
  },
  '20 MB of lists of a few rows each': {
    body: () => `[${repeat(() => `[${repeat((index) => `{"a":${index},"b":"x"}`, 21, ',')}]`, 54_000, ',')}]`,
    expected: /54,?000/,
  },
  '20 MB of lists that are long but for their last row': {
    body: () => `[${repeat(() => `[${repeat((index) => `{"a":${index},"b":"x"}`, 30, ',')},{"a":[1]}]`, 36_000, ',')}]`,
    expected: /36,?000/,
  },
};

let body: Buffer = Buffer.alloc(0);
const { client, transport } = await startClient({
  TRACKER_URL: await listening(createServer((_, response: ServerResponse) => response.end(body))),
  TRACKER_API_KEY: 'a-key-for-the-test',
  TRACKER_TIMEOUT_MS: '50000',
});

/** Peak memory of the server in megabytes; 0 if the system does not report it. */
async function peakMegabytes(): Promise<number> {
  const statuses = await Promise.all(
    processFolders.map((folder) => readFile(join(folder, String(transport.pid), 'status'), 'utf8')),
  );
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(statuses.join('\n'))?.[1] ?? 0) / 1024;
}

/**
 * A bare server takes 100 MB, cached answers 64, the incoming answer 64, the reading thread 352; the rest is for garbage that a
 * busy machine has not collected yet.
 */
const maxMegabytes = 700;

test.each(Object.entries(bodies))(
  '%s do not block the server',
  { timeout: 180_000 },
  async (_, { body: write, expected }) => {
    body = Buffer.from(write());
    let isDone = false;
    const call = client
      .callTool({ name: 'list_conversions', arguments: { limit: 2 } }, undefined, { timeout: 120_000 })
      .finally(() => {
        isDone = true;
      });
    // A blocked server answers a ping only after it has read the body, which is most of the call on any machine.
    const begun = performance.now();
    let longest = 0;
    while (!isDone) {
      const start = performance.now();
      await client.ping({ timeout: 30_000 });
      longest = Math.max(longest, performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const result: CallToolResult = CallToolResultSchema.parse(await call);
    expect(JSON.stringify(result)).toMatch(expected);
    const took = performance.now() - begun;
    expect(longest, `the longest ping of ${took} ms`).toBeLessThan(Math.max(1000, took / 2));
    expect(await peakMegabytes()).toBeLessThan(maxMegabytes);
  },
);
