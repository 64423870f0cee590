import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { SharedSessions } from '../../../src/mcp/http/older-clients.ts';
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

it.concurrent.each([
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

/** A tracker that answers when it is told to. */
async function startSlowTracker() {
  let answer = () => {};
  const slow = await startForeignTracker({
    'campaign/list': async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { body: '[]' };
    },
  });
  return { slow, answer: () => answer() };
}

it('closing does not wait longer than the drain time for a call', async () => {
  const { slow, answer } = await startSlowTracker();
  const { url, logged, close } = await startHttp({ url: slow.url }, { drainMs: 200 });
  const socket = await open(url, `${head}\r\n\r\n${body}`);
  await expect.poll(() => slow.taken().length).toBe(1);
  const closed = once(socket, 'close');
  await close();
  await closed;
  expect(logged.join('\n')).toMatch(/1 request was not answered/);
  answer();
});

it('a call that its client cancels in a session keeps no connection, and closing does not wait for it', async () => {
  const { slow, answer } = await startSlowTracker();
  const { url, logged, post: send, close } = await startHttp({ url: slow.url }, { sessions: true });
  const session = await sessionAt(url);
  const cancelled = send({ ...toolCall('list_campaigns'), id: 'slow' }, session);
  await expect.poll(() => slow.taken().length).toBe(1);
  await send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } }, session);
  expect((await cancelled).body).toEqual({});
  await close();
  expect(logged).toEqual([]);
  answer();
});

it.concurrent.each([false, true])(
  'answers every complete request while callers continue, with sessions: %s',
  async (sessions) => {
    for (let round = 0; round < 3; round += 1) {
      const { url, close } = await startHttp({ url: tracker.url }, { sessions, sharedSessions: sharedSessions() });
      const session = sessions ? await sessionAt(url) : {};
      const failures: string[] = [];
      let isEnding = false;
      let answered = 0;
      const callers = Array.from({ length: 16 }, async () => {
        for (;;) {
          const outcome = await post(url, session);
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
  },
);

/** Requests may come after the sessions have ended; this server goes on with them then. */
function sharedSessions(): SharedSessions {
  const starts = new Map<string, string>();
  return {
    keep: async (id, start) => void starts.set(id, start),
    find: async (id) => starts.get(id),
    forget: async (id) => void starts.delete(id),
  };
}

async function sessionAt(url: string) {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const greeting = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const answer = await fetch(url, { method: 'POST', headers: clientHeaders, body: greeting });
  return { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' };
}

let lastId = 0;

/** @returns 'answered', or the code of what went wrong */
function post(url: string, session: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve) => {
    const options = { method: 'POST', headers: { ...clientHeaders, ...session }, agent: false };
    const sent = request(url, options, async (response) => {
      const answer = await text(response).catch(() => 'cut off');
      resolve(
        response.statusCode === 200 && answer.includes('"result"') ? 'answered' : `${response.statusCode}: ${answer}`,
      );
    });
    lastId += 1;
    const call = JSON.stringify({ ...toolCall('list_campaigns'), id: lastId });
    sent.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown')).end(call);
  });
}
