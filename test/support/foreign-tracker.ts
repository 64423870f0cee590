import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect } from 'vitest';
import { listening } from './listening.ts';
import { writingTools } from './specified.ts';

/** One request as it arrived. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Decoded, in their order: first from the query, then from the body. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** The parameters by name. */
  readonly sent: Readonly<Record<string, string>>;
  readonly query: string;
}

interface ForeignReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

type Parameters = Readonly<Record<string, string>>;
export type ForeignAnswer = string | ((parameters: Parameters) => ForeignReply | Promise<ForeignReply>);

export interface ForeignTracker {
  readonly url: string;
  /** Sets the answer of a path below /api/. */
  answer(path: string, answer: ForeignAnswer): void;
  /** The requests of this test since the last call of this or of `writes`. */
  taken(): readonly RecordedRequest[];
  /** The same without reads: before an edit, the server reads the current values. */
  writes(): readonly RecordedRequest[];
}

/**
 * Starts a tracker that does not use code of this project. It answers from a table by path below /api/. A request to a path
 * without an answer fails the test.
 */
export async function startForeignTracker(table: Readonly<Record<string, ForeignAnswer>>): Promise<ForeignTracker> {
  const answers = new Map(Object.entries(table));
  let requests: RecordedRequest[] = [];
  let unexpected: string[] = [];
  const server = createServer(async (request, response) => {
    const recorded = await record(request);
    requests.push(recorded);
    const path = recorded.path.replace(/^\/api\/|\/$/g, '');
    const answer = answers.get(path);
    if (answer === undefined) unexpected.push(`${recorded.method} ${recorded.path}`);
    const reply = await replyOf(answer ?? noAnswerFor(path), recorded.sent);
    response.writeHead(reply.status ?? 200, { 'content-type': 'text/html; charset=UTF-8', ...reply.headers });
    response.end(reply.body);
  });
  const url = await listening(server);
  afterEach(() => {
    const found = unexpected;
    unexpected = [];
    requests = [];
    expect(found, 'requests that no test expected').toEqual([]);
  });
  const taken = () => {
    const all = requests;
    requests = [];
    return all;
  };
  return {
    url,
    answer: (path, answer) => void answers.set(path, answer),
    taken,
    writes: () => taken().filter(({ path }) => writingPaths.has(path)),
  };
}

/** The rows of the days and the campaign that a request asks for. */
export function rowsAsked<Row extends object>(rows: readonly Row[], asked: Parameters): Row[] {
  const { start = '', end = '', camp = '0' } = asked;
  return rows.filter((row) => {
    const { Date: at = '', CampaignID = camp } = row as Parameters;
    return at.slice(0, 10) >= start && at.slice(0, 10) <= end && ['0', CampaignID].includes(camp);
  });
}

/** Answers with them, as many as a list has at most. */
export const listRows =
  (rows: readonly object[], maximum?: number) =>
  (asked: Parameters): ForeignReply => ({ body: writtenRows(rowsAsked(rows, asked).slice(0, maximum)) });

const written = new WeakMap<object, string>();

/** Rows as JSON. Each is written once, because many requests ask for the same. */
export function writtenRows(rows: readonly object[]): string {
  const texts = rows.map((row) => {
    const text = written.get(row) ?? JSON.stringify(row);
    written.set(row, text);
    return text;
  });
  return `[${texts.join(',')}]`;
}

/** A refusal, so that the failing test shows what is missing. */
function noAnswerFor(path: string): string {
  const where = 'give startForeignTracker one, or the row of test/support/specified.ts';
  return JSON.stringify({ status: 'error', error: `the canned tracker has no answer for ${path}: ${where}` });
}

const writingPaths = new Set(writingTools.map(({ path }) => `/api/${path}/`));

async function record(request: IncomingMessage): Promise<RecordedRequest> {
  const { pathname, search, searchParams } = new URL(request.url ?? '/', 'http://tracker');
  const parameters = [...searchParams, ...new URLSearchParams(await text(request))];
  return {
    method: request.method ?? '',
    path: pathname,
    headers: request.headers,
    parameters,
    sent: Object.fromEntries(parameters),
    query: search,
  };
}

function replyOf(answer: ForeignAnswer, parameters: Parameters): ForeignReply | Promise<ForeignReply> {
  return typeof answer === 'string' ? { body: answer } : answer(parameters);
}
