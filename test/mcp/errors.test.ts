import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { catalogue } from '../../src/tools/catalogue.ts';
import type { Tool } from '../../src/tools/define-tool.ts';
import { receiptOutput } from '../../src/tools/present/outputs.ts';
import { apiKey, connect, textOf } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers, specifiedTools, validArguments } from '../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);

const broken: Tool = {
  name: 'broken_tool',
  title: 'Broken',
  description: 'Throws an unexpected error.',
  access: 'create',
  input: () => z.strictObject({}),
  output: receiptOutput,
  call: async () => {
    throw new TypeError(`secret ${apiKey} at /home/someone/file.ts`);
  },
};
const { client, call, refusal, defects } = await connect({ url: tracker.url, tools: [...catalogue, broken] });

async function expectNextCallToWork(): Promise<void> {
  expect((await call('list_traffic_sources')).isError).toBeFalsy();
  tracker.taken();
}

it('reports a defect without its details, which go to the log', async () => {
  const text = await refusal('broken_tool');
  expect(text).toContain('a defect of its own');
  expect(text).not.toMatch(/TypeError|secret|file\.ts|at /);
  expect(text).not.toContain(apiKey);
  expect(defects).toHaveLength(1);
  await expectNextCallToWork();
});

it.each(['delete_campaign', '__proto__', 'constructor', ''])('has no tool %j: a protocol error', async (name) => {
  await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(McpError);
  await expectNextCallToWork();
});

it.each([[[]], [null], ['x'], [5]])('rejects %j as arguments', async (given) => {
  const request = client.callTool({ name: 'list_campaigns', arguments: given as unknown as Record<string, unknown> });
  await expect(request).rejects.toThrow(/-32602|invalid/i);
  expect(tracker.taken()).toEqual([]);
  await expectNextCallToWork();
});

it.each(specifiedTools)('$name returns one text, and data that matches its output schema', async (tool) => {
  const names = Object.keys(tool.wire).filter((name) => name !== tool.companions?.unless);
  const result = await call(tool.name, validArguments(tool, ...names));
  expect(result.isError).toBeFalsy();
  expect(textOf(result)).toMatch(/\S/);
  const found = catalogue.find(({ name }) => name === tool.name);
  expect(found?.output().strict().parse(result.structuredContent)).toEqual(result.structuredContent);
});

it('ends a cancelled call, and the next one works', async () => {
  const controller = new AbortController();
  tracker.answer('campaign/list', async () => {
    controller.abort();
    await new Promise((resolve) => setTimeout(resolve, 50));
    return { body: '[]' };
  });
  const request = client.callTool({ name: 'list_campaigns', arguments: {} }, undefined, { signal: controller.signal });
  await expect(request).rejects.toThrow();
  tracker.answer('campaign/list', plainAnswers['campaign/list'] ?? '');
  await expectNextCallToWork();
});
