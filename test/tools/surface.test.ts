import { readFile, writeFile } from 'node:fs/promises';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, expect, it } from 'vitest';
import type { JsonSchema } from '../../src/tools/json-schema.ts';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

/** The tools as agents see them, kept in files, so that a person reads each change before a release. */

const tracker = await startForeignTracker({});
const { listed, client, data, call } = await connect({ url: tracker.url });
const countTokens = (value: unknown) => encode(typeof value === 'string' ? value : JSON.stringify(value)).length;

interface Baseline {
  listing: number;
  instructions: number;
  tools: Record<string, number>;
  answers: Record<string, { data: number; text: number }>;
}

const baselineFile = new URL('surface/tokens.json', import.meta.url);
const counted: Baseline = {
  listing: countTokens(listed),
  instructions: countTokens(client.getInstructions() ?? ''),
  tools: Object.fromEntries(listed.map((tool) => [tool.name, countTokens(tool)])),
  answers: {},
};

/** `npm run surface` writes its counts as the new baseline. */
const isUpdate = process.env['npm_lifecycle_event'] === 'surface';
const baseline = isUpdate ? counted : (JSON.parse(await readFile(baselineFile, 'utf8')) as Baseline);
/** Every tool makes room for itself: 400 tokens on average. */
const maxTokens = { listing: 414 * listed.length, tool: 800 };

afterAll(async () => {
  if (!isUpdate) return;
  await writeFile(baselineFile, `${JSON.stringify(counted, null, 2)}\n`);
  console.log(`The listing of ${listed.length} tools: ${counted.listing} of ${maxTokens.listing} tokens.`);
});

/** A keyword report in which every row differs, as the embedded tracker writes it. */
function keywordReport(rows: number): string {
  const target = Array.from({ length: rows }, (_, row) => ({
    Keyword: `running shoes ${(row * 7919) % 100_003} sale`,
    Views: String(100 + (row % 900)),
    Clicks: String(row % 90),
    CTR: (row % 60).toFixed(2),
    Conversions: String(row % 9),
    CR: (row % 10).toFixed(2),
    Cost: ((row % 5000) / 100).toFixed(2),
    Revenue: ((row % 9000) / 100).toFixed(2),
    EPV: ((row % 700) / 1000).toFixed(4),
    Profit: ((row % 4000) / 100).toFixed(2),
    ROI: (row % 300).toFixed(2),
  }));
  return JSON.stringify({ Status: 'OK', Reports: { target } });
}

it.each(listed.map((tool) => [tool.name, tool] as const))('%s is listed as in its snapshot', async (name, tool) => {
  await expect(`${JSON.stringify(tool, null, 2)}\n`).toMatchFileSnapshot(`surface/${name}.json`);
});

it.each(listed.map((tool) => [tool.name, tool] as const))(
  '%s describes the defaults and ranges of its arguments in words, as some hosts show only those',
  (_name, { inputSchema }) => {
    for (const schema of within(inputSchema)) {
      const { default: usual, minimum, maximum = maxNonsense, description = '' } = schema;
      const range = maximum < maxNonsense ? [minimum, maximum] : [];
      for (const value of [usual, ...range].filter((value) => value !== undefined))
        expect(description, JSON.stringify(schema)).toMatch(new RegExp(`\\b${String(value)}\\b`));
    }
  },
);

/** A maximum of this size or more only keeps nonsense out. */
const maxNonsense = 1_000_000;

/** Every schema within a schema. */
function within(schema: unknown): JsonSchema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return [schema as JsonSchema, ...Object.values(schema).flatMap(within)];
}

it('every tool has a token baseline, and none is over it by more than 5%', () => {
  expect(Object.keys(counted.tools)).toEqual(Object.keys(baseline.tools));
  for (const [name, tokens] of Object.entries(counted.tools))
    expect(tokens, name).toBeLessThanOrEqual((baseline.tools[name] ?? 0) * 1.05);
});

it('the listing costs at most 414 tokens a tool, a tool 800, and both are within 5% of the baseline', () => {
  const excess = counted.listing - maxTokens.listing;
  expect(excess, `shorten descriptions by ${excess} tokens`).toBeLessThanOrEqual(0);
  expect(counted.listing, 'after an intended change: npm run surface').toBeLessThanOrEqual(baseline.listing * 1.05);
  for (const [name, tokens] of Object.entries(counted.tools)) expect(tokens, name).toBeLessThanOrEqual(maxTokens.tool);
  expect(counted.instructions).toBeLessThanOrEqual(baseline.instructions * 1.05);
});

it.each([10, 1000, 20_000])(
  'a report of %i rows costs under 3,000 tokens as data, and no more as text',
  async (rows) => {
    tracker.answer('stats', keywordReport(rows));
    const given = { campaign_id: 1, reports: ['target'], period: 'last_30_days' };
    const result = await call('get_stats', given);
    const [block] = result.content;
    const cost = {
      data: countTokens(result.structuredContent),
      text: countTokens(block?.type === 'text' ? block.text : ''),
    };
    expect(cost.data).toBeLessThan(3000);
    expect(cost.text).toBeLessThanOrEqual(cost.data);
    counted.answers[rows] = cost;
    const kept = baseline.answers[rows] ?? { data: 0, text: 0 };
    expect(cost.data, `baseline ${kept.data}`).toBeLessThanOrEqual(kept.data * 1.05);
    expect(cost.text, `baseline ${kept.text}`).toBeLessThanOrEqual(kept.text * 1.05);
    expect((await data<{ tables: { total_rows: number }[] }>('get_stats', given)).tables[0]?.total_rows).toBe(rows);
  },
);
