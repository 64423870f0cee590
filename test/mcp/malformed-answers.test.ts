import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StandardStreams } from '../../src/mcp/stdio.ts';
import { serversFor } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { startHttp } from '../support/http-server.ts';
import { clientHeaders, toolCall } from '../support/messages.ts';
import { plainAnswers } from '../support/specified.ts';

/** Malformed answers of a client. Each counts as no at once, not only when the question times out. */
const agreed = { action: 'accept', content: { agree: true } };
const malformed: readonly object[] = [
  {},
  ...[null, 'yes', true, [agreed], {}, { action: 'accept' }].map((result) => ({ result })),
  ...[null, 'yes', { agree: 'true' }].map((content) => ({ result: { ...agreed, content } })),
  ...[['accept'], 'yes'].map((action) => ({ result: { ...agreed, action } })),
  ...[null, 'no', { code: 'x' }].map((error) => ({ error })),
  { result: agreed, error: { code: 1, message: 'x' } },
];

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly isError?: boolean; readonly content?: unknown };
}

const tracker = await startForeignTracker(plainAnswers);
const options = { url: tracker.url, policy: { confirm: true } };
const { url } = await startHttp(options, { sessions: true });
const about = { protocolVersion: '2025-11-25', clientInfo: { name: 'odd', version: '1' } };
const initialize = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { ...about, capabilities: { elicitation: {} } },
};
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const change = toolCall('edit_campaign', { campaign_id: 1, bid: 2 });

function expectNo({ result }: Message): void {
  expect(result?.isError, JSON.stringify(result)).toBe(true);
  expect(JSON.stringify(result?.content)).toMatch(/neither yes nor no|could not ask/);
  expect(tracker.writes()).toEqual([]);
}

describe.each(malformed.map((answer) => [JSON.stringify(answer), answer] as const))(
  'the malformed answer %s',
  (_, answer) => {
    it('means no at once over standard input', async () => {
      const [input, output] = [new PassThrough(), new PassThrough()];
      onTestFinished(() => void input.end());
      const server = serversFor(options, () => undefined).create({ era: 'legacy' });
      await server.connect(new StandardStreams(input, output, () => undefined));
      const send = (message: object) => input.write(`${JSON.stringify(message)}\n`);
      for (const message of [initialize, initialized, change]) send(message);
      for await (const line of createInterface(output)) {
        const message = JSON.parse(line) as Message;
        if (message.method === 'elicitation/create') send({ jsonrpc: '2.0', id: message.id, ...answer });
        if (message.id !== change.id || message.method) continue;
        expectNo(message);
        return;
      }
    });

    it('means no at once over HTTP', async () => {
      expect.hasAssertions();
      const post = (message: object, session?: string | null) => {
        const all = { ...clientHeaders, ...(session ? { 'mcp-session-id': session } : {}) };
        return fetch(url, { method: 'POST', headers: all, body: JSON.stringify(message) });
      };
      const begun = await post(initialize);
      const session = begun.headers.get('mcp-session-id');
      await begun.text();
      await (await post(initialized, session)).text();
      const { body } = await post(change, session);
      let text = '';
      for await (const piece of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        text += piece;
        for (const [, json = ''] of text.matchAll(/^data: (.+)\n/gm)) {
          const message = JSON.parse(json) as Message;
          if (message.method === 'elicitation/create')
            await (await post({ jsonrpc: '2.0', id: message.id, ...answer }, session)).text();
          if (message.id === change.id && !message.method) expectNo(message);
        }
        text = text.slice(text.lastIndexOf('\n') + 1);
      }
    });
  },
);
