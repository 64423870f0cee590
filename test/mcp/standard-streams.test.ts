import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { StandardStreams } from '../../src/mcp/stdio.ts';

function open(output: Writable = new PassThrough()) {
  const input = new PassThrough();
  const received: JSONRPCMessage[] = [];
  let opened = 0;
  const streams = new StandardStreams(input, output, () => {
    opened += 1;
  });
  streams.onmessage = (message) => received.push(message);
  void streams.start();
  const send = async (text: string | Buffer) => {
    input.write(text);
    await new Promise(setImmediate);
  };
  return { streams, input, received, send, opened: () => opened };
}

/** An output with a reader that reads only at `read`. */
function slowReader() {
  const waiting: (() => void)[] = [];
  const output = new Writable({ write: (_chunk, _encoding, taken) => waiting.push(taken) });
  return {
    output,
    read: async () => {
      while (waiting.length > 0) {
        waiting.shift()?.();
        await new Promise(setImmediate);
      }
    },
  };
}

const ping = (id: number) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`;

describe('messages', () => {
  it('arrive complete in any chunks, the last one even without a line break', async () => {
    const { received, send, input } = open();
    const name = JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { name: 'Größe 🙂' } });
    for (const byte of Buffer.from(`${ping(1)}\r\n${name}\n`)) await send(Buffer.of(byte));
    input.end(ping(2).trim());
    await once(input, 'end');
    expect(received).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'x', params: { name: 'Größe 🙂' } },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ]);
  });

  it.each<[string, string, RegExp]>([
    ['batches', `[${ping(1).trim()}]\n`, /Batches are not served/],
    ['not JSON-RPC', '{"params":{}}\n', /not JSON-RPC/],
    ['larger than 10 MB', `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(10 * 1024 * 1024)}"}\n`, /too long/],
  ])('are rejected if they are %s, and the next one is taken', async (_, text, error) => {
    const output = new PassThrough();
    const { received, send } = open(output);
    await send(text);
    await send(ping(2));
    expect(received).toEqual([expect.objectContaining({ id: 2 })]);
    const answer = JSON.parse(String(output.read()));
    const message = expect.stringMatching(error);
    expect(answer).toEqual({ jsonrpc: '2.0', id: null, error: { code: -32600, message } });
  });

  it('wait while the client has 40 MB to read', async () => {
    const { output, read } = slowReader();
    const { streams, received, send } = open(output);
    const answer = { jsonrpc: '2.0' as const, id: 1, result: { text: 'x'.repeat(1_000_000) } };
    for (let count = 0; count < 41; count += 1) await streams.send(answer);
    await send(ping(7));
    expect(received).toEqual([]);
    await read();
    await send(ping(8));
    expect(received.map((message) => 'id' in message && message.id)).toEqual([7, 8]);
  });
});

it('calls onOpened once, when the first request after the opening is answered', async () => {
  const { streams, send, opened } = open();
  const opening = (method: string) => `${JSON.stringify({ jsonrpc: '2.0', id: method, method })}\n`;
  await send(opening('server/discover'));
  await send(opening('initialize'));
  await send(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n${ping(1)}${ping(2)}`);
  expect(opened()).toBe(0);
  for (const id of [1, 2]) await streams.send({ jsonrpc: '2.0', id, result: {} });
  await new Promise(setImmediate);
  expect(opened()).toBe(1);
});

it('has answered when each request is answered or cancelled, and the client has read the answers', async () => {
  const { output, read } = slowReader();
  const { streams, send } = open(output);
  await send(ping(1) + ping(2));
  let isAnswered = false;
  const answered = streams.answered().then(() => {
    isAnswered = true;
  });
  await streams.send({ jsonrpc: '2.0', id: 1, result: {} });
  await send(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })}\n`);
  expect(isAnswered).toBe(false);
  await read();
  await answered;
});
