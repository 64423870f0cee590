import { expect, it, vi } from 'vitest';
import type { Notice } from '../../src/answer/notes.ts';
import type { Look } from '../../src/commands/terminal/look.ts';
import { renderResult } from '../../src/commands/terminal/render-result.ts';
import { catalogue } from '../../src/tools/catalogue.ts';
import { remarksKey } from '../../src/tools/present/for-views.ts';
import { type Connection, connect } from '../support/connect.ts';
import { callAndDraw } from '../support/drawn.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { givenTo } from '../support/specified.ts';
import { answersWith } from '../support/strangers.ts';

const words = vi.hoisted(() => ({ areCodes: false }));

vi.mock('../../src/answer/notes.ts', async (load) => {
  const real = await load<typeof import('../../src/answer/notes.ts')>();
  const codeOf = (notice: Notice): string => {
    if ('lines' in notice) return notice.lines.map(codeOf).join('\n');
    return 'notice' in notice ? codeOf(notice.notice) : notice.code;
  };
  const sayNotice = (notice: Notice) => (words.areCodes ? codeOf(notice) : real.sayNotice(notice));
  const sayToPerson = (notice: Notice) => {
    const said = real.sayToPerson(notice);
    return said !== null && words.areCodes ? codeOf(notice) : said;
  };
  return { ...real, sayNotice, sayToPerson };
});

const tracker = await startForeignTracker({});
for (const [path, answer] of Object.entries(answersWith('Night'))) tracker.answer(path, JSON.stringify(answer));

/** The same moment for both. */
const started = new Date();
const showsViews = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
const look: Look = { width: 120, shape: 'table', isColoured: false };

/** The sentences of a call, and its data without them: what a view gets, how many it has, and what a terminal draws. */
async function outcomeOf(server: Connection, name: string) {
  const {
    structuredContent,
    isError = false,
    _meta,
    blocks,
  } = await callAndDraw(server, name, givenTo(name, { dryRun: true }));
  const { notices = [], ...rest } = structuredContent;
  const said = [notices].flat().map(String);
  // What could not be seen is said as data, too.
  const data = 'could_not_see' in rest ? { ...rest, could_not_see: [] } : rest;
  const { [remarksKey]: remarks = [], ...meta } = _meta;
  const forPeople = [remarks].flat().map(String);
  const counts = [said, forPeople].map(({ length }) => length);
  const shown = blocks.filter((block) => typeof block === 'string' || 'is' in block);
  const drawn = renderResult({ structured: {}, blocks: shown }, look);
  return { said, data: { isError, data, meta, counts, drawn } };
}

it.each(catalogue.map(({ name }) => name))('%s gives the same data if each sentence is its code', async (name) => {
  words.areCodes = false;
  const { data, said } = await outcomeOf(await openServer(), name);
  words.areCodes = true;
  const coded = await outcomeOf(await openServer(), name);
  expect(coded.data).toEqual(data);
  expect(data.isError).toBe(name === 'undo_change');
  expect(coded.said.filter((code) => said.includes(code))).toEqual([]);
});

/** A server that has just listed visitors, so that there is a table to query. */
async function openServer(): Promise<Connection> {
  const server = await connect({ url: tracker.url, now: () => started, capabilities: showsViews });
  await server.call('list_visitors');
  return server;
}
