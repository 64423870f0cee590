import { beforeAll, describe, expect, it } from 'vitest';
import { catalogue } from '../../src/tools/catalogue.ts';
import type { ToolResult } from '../../src/tools/define-tool.ts';
import { type Connection, connect, textOf } from '../support/connect.ts';
import { callAndDraw } from '../support/drawn.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { givenTo } from '../support/specified.ts';
import { answersWith, attack, dangerIn, hiddenIn, textsIn, toXml } from '../support/strangers.ts';

const largest = 40_000;
const tracker = await startForeignTracker({});

/** Several cells together are longer than an answer may be; in JSON, even a single cell. */
const inJson = answersWith(attack(10_000), attack(50_000));
const inXml = answersWith(attack(10_000));

type Texts = Readonly<Record<string, string>>;

const write = (answers: Readonly<Record<string, unknown>>, format: (answer: unknown) => string): Texts =>
  Object.fromEntries(Object.entries(answers).map(([path, answer]) => [path, format(answer)]));

/** The answers of all endpoints, and their error. */
const formats = {
  JSON: { answers: write(inJson, JSON.stringify), failure: JSON.stringify({ status: 'error', error: attack(50_000) }) },
  XML: { answers: write(inXml, toXml), failure: toXml({ status: 'error', error: attack(15_000) }) },
};

function answerAll(answers: Texts): void {
  for (const [path, answer] of Object.entries(answers)) tracker.answer(path, answer);
}

/** These tools refuse: there is no such change, and in XML no field of a lookup is known. */
const refusing: Readonly<Record<string, readonly string[]>> = {
  JSON: ['undo_change'],
  XML: ['undo_change', 'diagnose_subid'],
};

/** These tools send the tracker no request. */
const withoutRequest = ['list_changes'];

const one = { subid: 'ab12cd34_7_00000345' };
/** Of one visitor there is more text than of several. */
const argumentsOf = (tool: string) => (tool === 'diagnose_subid' ? one : givenTo(tool));

const offered = catalogue.map(({ name, output }) => ({ name, output }));

/** Fails if a text contains an attack, or is too long for an answer. */
function expectHarmless(text: string): void {
  expect(dangerIn(text)).toBeUndefined();
  expect(text.length).toBeLessThanOrEqual(largest);
}

/** Reads a resource, and returns the number of its texts. */
async function expectHarmlessResource(client: Connection['client'], uri: string): Promise<number> {
  const { contents } = await client.readResource({ uri });
  for (const content of contents) expectHarmless('text' in content ? String(content.text) : '');
  return contents.length;
}

describe.each(Object.entries(formats))('text of strangers in an answer in %s', (format, { answers, failure }) => {
  let server: Connection;
  beforeAll(async () => {
    answerAll(answers);
    server = await connect({ url: tracker.url });
    await server.call('list_visitors');
  });

  it.each(offered)('leaves $name clean and short, in data, text, CSV and on a terminal', async ({ name, output }) => {
    answerAll(answers);
    const { defects } = server;
    const result = await callAndDraw(server, name, argumentsOf(name));
    expect([defects, result.isError ?? false], textOf(result)).toEqual([[], refusing[format]?.includes(name)]);
    if (result.isError) return expectHarmless(textOf(result));
    const structured = result.structuredContent as ToolResult['structured'];
    expect(output().parse(structured)).toEqual(structured);
    expectHarmless(textOf(result));
    expect(JSON.stringify(structured).length).toBeLessThanOrEqual(largest);
    for (const text of textsIn(structured)) expectHarmless(text);
    for (const drawn of [result.drawn, result.csv.replaceAll('\r\n', '\n')]) expect(hiddenIn(drawn)).toBeUndefined();
  });

  it.each(offered)('leaves $name clean and short if it fails', async ({ name }) => {
    for (const path of Object.keys(answers)) tracker.answer(path, failure);
    const { call } = await connect({ url: tracker.url });
    const result = await call(name, argumentsOf(name));
    expect(result.isError ?? false).toBe(!withoutRequest.includes(name));
    expectHarmless(textOf(result));
  });

  it('leaves resources and completions clean and short', async () => {
    answerAll(answers);
    const { client } = await connect({ url: tracker.url });
    const { resources } = await client.listResources();
    const fromTracker = resources.filter(({ uri }) => uri.startsWith('tracker://'));
    expect(fromTracker.length).toBeGreaterThan(3);
    for (const { uri } of fromTracker) await expectHarmlessResource(client, uri);
    for (const name of ['campaign', 'campaign_id']) {
      const ref = { type: 'ref/prompt' as const, name: 'campaign-review' };
      const { completion } = await client.complete({ ref, argument: { name, value: '' } });
      for (const value of completion.values) expectHarmless(value);
    }
  });
});

it('text of strangers is clean and short in errors', async () => {
  answerAll(formats.JSON.answers);
  const { call } = await connect({ url: tracker.url });
  await call('list_visitors');
  const wrong: [string, Readonly<Record<string, unknown>>][] = [
    ['list_visitors', { columns: ['No such column'] }],
    ['get_stats', { campaign_id: 7, sort_by: 'No such column' }],
    ['query_report', { sql: 'SELECT "No such column" FROM r1' }],
    ['query_report', { sql: 'SELECT CAST("Date" AS INTEGER) FROM r1' }],
    ['compare_pages', { campaign_id: 7, kind: 'offer', group: 'no such group' }],
  ];
  for (const [name, given] of wrong) {
    const result = await call(name, given);
    expect(result.isError, `${name} ${JSON.stringify(given)}`).toBe(true);
    expectHarmless(textOf(result));
  }
});

it('the resource of one campaign is clean and short', async () => {
  answerAll(formats.JSON.answers);
  const { client } = await connect({ url: tracker.url });
  expect(await expectHarmlessResource(client, 'tracker://campaigns/7')).toBe(1);
});

it('a time zone of 600 kB is as short as the name of one', async () => {
  answerAll(write(answersWith(attack(100), attack(600_000)), JSON.stringify));
  const { data } = await connect({ url: tracker.url });
  const { time_zone } = await data<{ time_zone: string }>('diagnose_subid', one);
  expectHarmless(time_zone);
  expect(time_zone.length).toBeLessThan(200);
});
