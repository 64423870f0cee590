import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { closeAfterTests } from '../../support/closing.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';
import { startHttp } from '../../support/http-server.ts';
import { clientHeaders, toolCall } from '../../support/messages.ts';
import { plainAnswers } from '../../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);
const body = JSON.stringify(toolCall('list_campaigns'));
const headers = Object.entries({ host: '127.0.0.1', ...clientHeaders, 'content-length': body.length });
const head = ['POST /mcp HTTP/1.1', ...headers.map(([name, value]) => `${name}: ${value}`)].join('\r\n');

async function open(url: string, sent: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  closeAfterTests(() => socket.destroy());
  await once(socket, 'connect');
  socket.on('error', () => undefined).resume();
  if (sent !== '') await new Promise((resolve) => socket.write(sent, resolve));
  return socket;
}

it.each([
  ['on which nothing was sent', ''],
  ['with half a head', head.slice(0, 40)],
  ['with half a body', `${head}\r\n\r\n${body.slice(0, 20)}`],
  ['with nothing after an answer', `${head}\r\n\r\n${body}`],
])('closing does not wait for a connection %s', async (_, sent) => {
  const { url, close } = await startHttp({ url: tracker.url });
  const socket = await open(url, sent);
  const closed = once(socket, 'close');
  await close();
  await closed;
});

it('closing does not wait longer than the drain time for a call', async () => {
  let answer = () => {};
  const slow = await startForeignTracker({
    'campaign/list': async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { body: '[]' };
    },
  });
  const { url, logged, close } = await startHttp({ url: slow.url }, { drainMs: 200 });
  const socket = await open(url, `${head}\r\n\r\n${body}`);
  await expect.poll(() => slow.taken().length).toBe(1);
  const closed = once(socket, 'close');
  await close();
  await closed;
  expect(logged.join('\n')).toMatch(/1 request was not answered/);
  answer();
});

it('answers every complete request while callers continue', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { url, close } = await startHttp({ url: tracker.url });
    const failures: string[] = [];
    let isEnding = false;
    let answered = 0;
    const callers = Array.from({ length: 16 }, async () => {
      for (;;) {
        const outcome = await post(url);
        if (outcome === 'answered') answered += 1;
        // A refused connection means that nothing arrived.
        else if (outcome === 'ECONNREFUSED' && isEnding) return;
        else failures.push(outcome);
        if (failures.length > 0) return;
      }
    });
    await expect.poll(() => answered).toBeGreaterThan(50);
    isEnding = true;
    await close();
    await Promise.all(callers);
    expect(failures).toEqual([]);
  }
});

/** @returns 'answered', or the code of what went wrong */
function post(url: string): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', headers: clientHeaders, agent: false }, (response) => {
      response.on('error', () => resolve('cut off')).resume();
      response.on('end', () => resolve(response.statusCode === 200 ? 'answered' : String(response.statusCode)));
    });
    sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown')).end(body);
  });
}
