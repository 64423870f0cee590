import { beforeAll, describe, expect, it } from 'vitest';
import type { Look } from '../../src/commands/terminal/look.ts';
import { renderResult } from '../../src/commands/terminal/render-result.ts';
import { catalogue } from '../../src/tools/catalogue.ts';
import type { ToolResult } from '../../src/tools/define-tool.ts';
import { type Connection, connect, textOf } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { specified, validArguments } from '../support/specified.ts';
import { answersWith, attack, dangerIn, hiddenIn, textsIn, toXml } from '../support/strangers.ts';

const largest = 40_000;
const words = attack(50_000);
const tracker = await startForeignTracker({});

/** In one format a single cell is longer than an answer may be; in the other, which takes longer to read, only several are. */
const formats = {
  JSON: { write: (answer: unknown) => JSON.stringify(answer), words },
  XML: { write: toXml, words: attack(15_000) },
};

function answerAll(answers: Readonly<Record<string, unknown>>, write: (answer: unknown) => string): void {
  for (const [path, answer] of Object.entries(answers)) tracker.answer(path, write(answer));
}

const subid = 'ab12cd34_7_00000345';
const others: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  get_breakdown: { campaign_id: 1, by: ['day'], period: 'yesterday' },
  compare_pages: { campaign_id: 7, kind: 'offer', start_date: '2026-11-01', end_date: '2026-11-03' },
  diagnose_subid: { subid },
  query_report: { sql: 'SELECT * FROM r1' },
  set_shares: { campaign_id: 1, shares: [{ page_id: 1, share: 5 }] },
  undo_change: { change_id: 'c0ffee' },
};

/** It refuses: there is no such change. */
const refusing = ['undo_change'];

/** What it says does not come from the tracker. */
const askingNothing = ['list_changes'];

/** What must be given to a tool that asks the tracker. */
function argumentsOf(tool: string): Readonly<Record<string, unknown>> {
  const known = specified[tool];
  return known ? validArguments(known) : (others[tool] ?? {});
}

const offered = catalogue.map(({ name, output }) => ({ name, output }));

/** Nothing of an attack is in a text, and it is no longer than one answer may be. */
function expectHarmless(text: string): void {
  expect(dangerIn(text)).toBeUndefined();
  expect(text.length).toBeLessThanOrEqual(largest);
}

describe.each(Object.entries(formats))('what strangers typed into an answer in %s', (_, { write, words }) => {
  const answers = answersWith(words);
  let server: Connection;
  beforeAll(async () => {
    answerAll(answers, write);
    server = await connect({ url: tracker.url });
    await server.call('list_visitors');
  });

  it.each(offered)('leaves $name clean and short, in data, text and on a terminal', async ({ name, output }) => {
    answerAll(answers, write);
    const { call, defects } = server;
    const result = await call(name, argumentsOf(name));
    expect([defects, result.isError ?? false], textOf(result)).toEqual([[], refusing.includes(name)]);
    if (result.isError) return expectHarmless(textOf(result));
    const structured = result.structuredContent as ToolResult['structured'];
    expect(output.parse(structured)).toEqual(structured);
    expectHarmless(textOf(result));
    expect(JSON.stringify(structured).length).toBeLessThanOrEqual(largest);
    for (const text of textsIn(structured)) expectHarmless(text);
    const look: Look = { width: 120, shape: 'table', isColoured: false };
    expect(hiddenIn(renderResult({ structured, text: textOf(result) }, look))).toBeUndefined();
    tracker.taken();
  });

  it.each(offered)('leaves $name clean and short where it fails', async ({ name }) => {
    for (const path of Object.keys(answers)) tracker.answer(path, write({ status: 'error', error: words }));
    const { call } = await connect({ url: tracker.url });
    const result = await call(name, argumentsOf(name));
    expect(result.isError ?? false).toBe(!askingNothing.includes(name));
    expectHarmless(textOf(result));
    tracker.taken();
  });

  it('leaves resources and completions clean and short', async () => {
    answerAll(answers, write);
    const { client } = await connect({ url: tracker.url });
    const { resources } = await client.listResources();
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      for (const content of contents) expectHarmless('text' in content ? String(content.text) : '');
    }
    for (const name of ['campaign', 'campaign_id']) {
      const ref = { type: 'ref/prompt' as const, name: 'campaign-review' };
      const { completion } = await client.complete({ ref, argument: { name, value: '' } });
      for (const value of completion.values) expectHarmless(value);
    }
    tracker.taken();
  });
});

it('what strangers typed is clean and short in what a wrong question is told', async () => {
  answerAll(answersWith(words), formats.JSON.write);
  const { call } = await connect({ url: tracker.url });
  await call('list_visitors');
  const wrong: [string, object][] = [
    ['list_visitors', { columns: ['No such column'] }],
    ['get_stats', { campaign_id: 7, sort_by: 'No such column' }],
    ['query_report', { sql: 'SELECT "No such column" FROM r1' }],
    ['query_report', { sql: 'SELECT CAST("Date" AS INTEGER) FROM r1' }],
    ['compare_pages', { campaign_id: 7, kind: 'offer', group: 'no such group' }],
  ];
  for (const [name, given] of wrong) {
    const result = await call(name, given as Record<string, unknown>);
    expect(result.isError, `${name} ${JSON.stringify(given)}`).toBe(true);
    expectHarmless(textOf(result));
  }
  tracker.taken();
});

it('one campaign as a resource is clean and short', async () => {
  answerAll(answersWith(words), formats.JSON.write);
  const { client } = await connect({ url: tracker.url });
  const { contents } = await client.readResource({ uri: 'tracker://campaigns/7' });
  for (const content of contents) expectHarmless('text' in content ? String(content.text) : '');
  expect(contents).toHaveLength(1);
  tracker.taken();
});

it('a time zone of 600 kB is as short as the name of one', async () => {
  answerAll(answersWith(attack(600_000)), formats.JSON.write);
  const { data } = await connect({ url: tracker.url });
  const { time_zone } = await data<{ time_zone: string }>('diagnose_subid', { subid });
  expectHarmless(time_zone);
  expect(time_zone.length).toBeLessThan(200);
  tracker.taken();
});
