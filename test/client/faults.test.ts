import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { test } from 'vitest';
import { TrackerFailure } from '../../src/client/errors.ts';
import { type Answer, apiKey, clientOf, endpoint, sendWrite, startTracker, works } from './http-tracker.ts';

const rows = '{"Status":"OK","Rows":[{"ID":"4","Name":"Größe"}]}';
const receipt = '{"Status":"OK","ID":"12"}';
const notices = '<br />\n<b>Deprecated</b>:  trim(): x in <b>/a.php</b> on line <b>3</b><br />\n'.repeat(30);
const page =
  '<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>';
const loginPage =
  '<!DOCTYPE html><html><body><form action="login.php"><input type="password" name="password"></form></body></html>';
const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const bomb = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><r>&b;</r>';

/** What a call came to: `ok`, or how far it came; and what its message has to say. */
interface Expected {
  readonly outcome: 'ok' | TrackerFailure['outcome'];
  readonly says?: RegExp;
  readonly requests: number;
}

interface Fault {
  readonly fault: string;
  readonly answer: Answer;
  readonly read: Expected;
  readonly write: Expected;
  readonly timeoutMs?: number;
}

type Whole = (body: string) => { readonly body: string | Uint8Array; readonly headers?: Record<string, string> };

/** Long enough for the call behind the fault, which has as much, on a machine that is busy with other things. */
const shortMs = 2000;
/** What takes this long hangs. */
const amplyMs = 40_000;

/** An answer whose body is right but for what is done to it. */
const answerWith =
  (change: Whole): Answer =>
  (response, { url }) => {
    const { body, headers = {} } = change(url.includes('/list') ? rows : receipt);
    response.writeHead(200, headers).end(body);
  };
const always =
  (status: number, body: string | Uint8Array, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body);
/** A body that goes on until the client has had enough. */
function endlessly(response: ServerResponse, chunk: Buffer): void {
  const write = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', write);
  write();
}
const ok: Expected = { outcome: 'ok', requests: 1 };
const unknown = (says: RegExp): Expected => ({ outcome: 'unknown', says, requests: 1 });

const faults: readonly Fault[] = [
  {
    fault: 'HTTP 500',
    answer: always(500, 'oops'),
    read: { outcome: 'failed', says: /error of its own \(HTTP 500\)/, requests: 3 },
    write: unknown(/HTTP 500.*Look with get_stats first/),
  },
  {
    fault: 'HTTP 500 with an error in JSON',
    answer: always(500, '{"error":"Duplicate entry"}'),
    read: { outcome: 'failed', says: /HTTP 500\)\. It said: “Duplicate entry”/, requests: 3 },
    write: unknown(/It said: “Duplicate entry”/),
  },
  {
    fault: 'HTTP 502 with a page',
    answer: always(502, page, { 'content-type': 'text/html' }),
    read: { outcome: 'failed', says: /^(?!.*Gateway).*HTTP 502/, requests: 3 },
    write: unknown(/HTTP 502/),
  },
  {
    fault: 'HTTP 429 without Retry-After',
    answer: always(429, ''),
    read: { outcome: 'refused', says: /HTTP 429.*Try again in a minute/, requests: 3 },
    write: { outcome: 'refused', says: /HTTP 429.*Nothing was changed.*Try again in a minute/, requests: 1 },
  },
  {
    fault: 'HTTP 429 with a Retry-After beyond the deadline',
    answer: always(429, '', { 'retry-after': '120' }),
    read: { outcome: 'refused', says: /Try again in 120 s/, requests: 1 },
    write: { outcome: 'refused', says: /Try again in 120 s/, requests: 1 },
  },
  {
    fault: 'HTTP 503 with a Retry-After beyond the deadline',
    answer: always(503, '', { 'retry-after': '120' }),
    read: { outcome: 'failed', says: /HTTP 503.*Try again in 120 s/, requests: 1 },
    write: unknown(/HTTP 503/),
  },
  {
    fault: 'a redirect to another origin',
    answer: (response, { url }) => void response.writeHead(301, { location: `https://new.example${url}?key=1` }).end(),
    read: {
      outcome: 'refused',
      says: /redirects to “https:\/\/new\.example\/api\/\S+”;.*Set TRACKER_URL to “https:\/\/new\.example”\./,
      requests: 1,
    },
    write: {
      outcome: 'refused',
      says: /Nothing was changed\. Set TRACKER_URL to “https:\/\/new\.example”\./,
      requests: 1,
    },
  },
  {
    fault: 'a redirect on the same origin',
    answer: (response, { url }) => void response.writeHead(302, { location: `/tracker${url}` }).end(),
    read: { outcome: 'refused', says: /Set TRACKER_URL to “http:\/\/127\.0\.0\.1:\d+\/tracker”\./, requests: 1 },
    write: { outcome: 'refused', says: /Set TRACKER_URL to “http:\/\/127\.0\.0\.1:\d+\/tracker”\./, requests: 1 },
  },
  {
    fault: 'a redirect to a login page',
    answer: always(302, '', { location: '/login.php' }),
    read: { outcome: 'refused', says: /login\.php.*the key is wrong or the API is off/, requests: 1 },
    write: { outcome: 'refused', says: /the key is wrong or the API is off/, requests: 1 },
  },
  {
    fault: 'a 303, as scripts answer when they have dealt with a form',
    answer: always(303, '', { location: '/done.php' }),
    read: { outcome: 'failed', says: /redirects to “http\S+\/done\.php”; redirects are not followed/, requests: 1 },
    write: unknown(/redirects to “http\S+\/done\.php”.*Look with get_stats first/),
  },
  ...['javascript:alert(1)//Ignore_all', 'data:text/plain,Ignore_all', 'http://[Ignore_all'].map((location) => ({
    fault: `a redirect to ${location}`,
    answer: always(302, '', { location }),
    read: {
      outcome: 'refused' as const,
      says: /^(?!.*Ignore).*redirects to somewhere that is no web address;/,
      requests: 1,
    },
    write: { outcome: 'refused' as const, says: /no web address;.*Nothing was changed/, requests: 1 },
  })),
  {
    fault: 'a redirect to an address without end',
    answer: always(302, '', { location: `/Ignore_"all"/${'x'.repeat(6000)}/api/campaign/list` }),
    read: { outcome: 'refused', says: /^(?=.{300,600}$).*redirects to “http\S{150,200}…”;/, requests: 1 },
    write: { outcome: 'refused', says: /^(?=.{300,600}$).*redirects to “http\S{150,200}…”;/, requests: 1 },
  },
  {
    fault: 'a redirect that says nowhere',
    answer: always(302, ''),
    read: { outcome: 'refused', says: /answers with a redirect \(HTTP 302\)/, requests: 1 },
    write: { outcome: 'refused', says: /answers with a redirect \(HTTP 302\)/, requests: 1 },
  },
  ...['', '{"Status":"Error","Message":"Timed out"}'].flatMap((body) => [
    {
      fault: `HTTP 408 with the body ${body}`,
      answer: always(408, body),
      read: { outcome: 'failed' as const, says: /gave up waiting \(HTTP 408\)/, requests: 3 },
      write: unknown(/gave up waiting \(HTTP 408\).*Look with get_stats first/),
    },
    {
      fault: `HTTP 499 with the body ${body}`,
      answer: always(499, body),
      read: { outcome: 'failed' as const, says: /gave up waiting \(HTTP 499\)/, requests: 1 },
      write: unknown(/gave up waiting \(HTTP 499\).*Look with get_stats first/),
    },
  ]),
  {
    fault: 'words that would end their quotation',
    answer: always(200, JSON.stringify({ Status: 'Error', Message: 'bad ” and then: „do“ ‟X" “ …' })),
    read: { outcome: 'refused', says: /it said: “bad ' and then: 'do' 'X' ' …” Correct/, requests: 1 },
    write: { outcome: 'refused', says: /it said: “bad ' and then: 'do' 'X' ' …” Nothing/, requests: 1 },
  },
  { fault: 'PHP notices before JSON', answer: answerWith((body) => ({ body: notices + body })), read: ok, write: ok },
  { fault: 'a byte order mark', answer: answerWith((body) => ({ body: `\ufeff${body}` })), read: ok, write: ok },
  {
    fault: 'a wrong content type',
    answer: answerWith((body) => ({ body, headers: { 'content-type': 'image/png' } })),
    read: ok,
    write: ok,
  },
  {
    fault: 'ISO-8859-1',
    answer: answerWith((body) => ({
      body: Buffer.from(body, 'latin1'),
      headers: { 'content-type': 'text/html; charset=utf-8' },
    })),
    read: ok,
    write: ok,
  },
  {
    fault: 'gzip',
    answer: answerWith((body) => ({ body: gzipSync(body), headers: { 'content-encoding': 'gzip' } })),
    read: ok,
    write: ok,
  },
  {
    fault: 'br',
    answer: answerWith((body) => ({ body: brotliCompressSync(body), headers: { 'content-encoding': 'br' } })),
    read: ok,
    write: ok,
  },
  {
    fault: 'gzip that is cut off',
    answer: answerWith((body) => ({
      body: gzipSync(body.repeat(50)).subarray(0, 40),
      headers: { 'content-encoding': 'gzip' },
    })),
    read: { outcome: 'failed', says: /broke before the answer was whole/, requests: 3 },
    write: unknown(/broke before the answer was whole/),
  },
  {
    fault: 'a body cut off, and the connection closed as if it were whole',
    answer: answerWith((body) => ({ body: body.slice(0, -8), headers: { connection: 'close' } })),
    read: { outcome: 'failed', says: /cut off before its end/, requests: 3 },
    write: unknown(/cut off before its end/),
  },
  {
    fault: 'a body shorter than it was said to be',
    answer: (response, _, socket) => {
      response.writeHead(200, { 'content-length': '1000' }).write(rows);
      setTimeout(() => socket.end(), 20);
    },
    read: { outcome: 'failed', says: /broke before the answer was whole/, requests: 3 },
    write: unknown(/broke before the answer was whole/),
  },
  {
    fault: 'a reset after the request came in',
    answer: (_, __, socket) => void socket.resetAndDestroy(),
    read: { outcome: 'failed', says: /broke before the answer was whole/, requests: 3 },
    write: unknown(/Outcome unknown: the request was sent.*It was not sent again/),
  },
  {
    fault: 'headers that never come',
    answer: () => undefined,
    timeoutMs: shortMs,
    read: { outcome: 'failed', says: /did not answer within 2 s.*TRACKER_TIMEOUT_MS/, requests: 1 },
    write: unknown(/did not answer within 2 s/),
  },
  {
    fault: 'a body that drips',
    answer: (response) => {
      response.writeHead(200).write('[');
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
    },
    timeoutMs: shortMs,
    read: { outcome: 'failed', says: /did not answer within 2 s/, requests: 1 },
    write: unknown(/did not answer within 2 s/),
  },
  {
    fault: 'a login page on a 200',
    answer: always(200, loginPage),
    read: { outcome: 'refused', says: /asks to log in.*TRACKER_API_KEY.*general settings/, requests: 1 },
    write: { outcome: 'refused', says: /asks to log in.*Nothing was changed/, requests: 1 },
  },
  {
    fault: 'a page on a 200',
    answer: always(200, '<html><body>It works</body></html>'),
    read: {
      outcome: 'failed',
      says: /http:\/\/127\.0\.0\.1:\d+\/api\/campaign\/list\/ answered with a page of HTML.*TRACKER_URL/,
      requests: 1,
    },
    write: unknown(/answered with a page of HTML/),
  },
  {
    fault: 'an error on a 200',
    answer: always(200, '{"Status":"Error","Message":"Unknown campaign 99"}'),
    read: { outcome: 'refused', says: /it said: “Unknown campaign 99”/, requests: 1 },
    write: { outcome: 'refused', says: /it said: “Unknown campaign 99” Nothing was changed/, requests: 1 },
  },
  {
    fault: 'an error on a 400',
    answer: always(400, '{"error":"Unknown campaign 99"}'),
    read: { outcome: 'refused', says: /it said: “Unknown campaign 99”/, requests: 1 },
    write: { outcome: 'refused', says: /it said: “Unknown campaign 99” Nothing was changed/, requests: 1 },
  },
  {
    fault: 'HTTP 401',
    answer: always(401, '{"error":"nope"}'),
    read: {
      outcome: 'refused',
      says: /did not accept the API key; it said: “nope” Check TRACKER_API_KEY/,
      requests: 1,
    },
    write: { outcome: 'refused', says: /did not accept the API key/, requests: 1 },
  },
  {
    fault: 'HTTP 403 with a page',
    answer: always(403, page),
    read: { outcome: 'refused', says: /did not accept the API key \(HTTP 403\)/, requests: 1 },
    write: { outcome: 'refused', says: /did not accept the API key \(HTTP 403\)/, requests: 1 },
  },
  {
    fault: 'HTTP 404 with a page',
    answer: always(404, page),
    read: { outcome: 'refused', says: /There is no tracker API at http\S+ \(HTTP 404\)/, requests: 1 },
    write: { outcome: 'refused', says: /Check TRACKER_URL/, requests: 1 },
  },
  {
    fault: 'HTTP 404 with a few words',
    answer: always(404, 'Not found'),
    read: { outcome: 'refused', says: /There is no tracker API at http\S+ \(HTTP 404\)/, requests: 1 },
    write: { outcome: 'refused', says: /Check TRACKER_URL/, requests: 1 },
  },
  {
    fault: 'HTTP 405',
    answer: always(405, ''),
    read: { outcome: 'refused', says: /TRACKER_METHOD/, requests: 1 },
    write: { outcome: 'refused', says: /TRACKER_METHOD/, requests: 1 },
  },
  {
    fault: 'HTTP 413',
    answer: always(413, ''),
    read: { outcome: 'refused', says: /HTTP 413/, requests: 1 },
    write: { outcome: 'refused', says: /HTTP 413/, requests: 1 },
  },
  {
    fault: 'an endless body',
    answer: (response) => endlessly(response.writeHead(200), Buffer.alloc(1 << 20, '[')),
    read: { outcome: 'failed', says: /larger than 64 MB and was given up.*shorter period/, requests: 1 },
    write: unknown(/larger than 64 MB/),
  },
  {
    fault: 'a body said to have 200 MB',
    answer: (response) => response.writeHead(200, { 'content-length': String(200 << 20) }).flushHeaders(),
    read: { outcome: 'failed', says: /larger than 64 MB/, requests: 1 },
    write: unknown(/larger than 64 MB/),
  },
  {
    fault: 'a gzip bomb',
    answer: always(200, gzipSync(Buffer.alloc(80 << 20, '[')), { 'content-encoding': 'gzip' }),
    // A busy machine takes its time to unpack so much.
    timeoutMs: 40_000,
    read: { outcome: 'failed', says: /larger than 64 MB/, requests: 1 },
    write: unknown(/larger than 64 MB/),
  },
  {
    fault: 'an error page without end',
    answer: (response) => endlessly(response.writeHead(500), Buffer.alloc(1 << 16, 'x')),
    read: { outcome: 'failed', says: /HTTP 500/, requests: 3 },
    write: unknown(/HTTP 500/),
  },
  {
    fault: 'XML entities',
    answer: always(200, bomb),
    read: { outcome: 'failed', says: /declares entities of its own.*TRACKER_FORMAT=json/, requests: 1 },
    write: unknown(/declares entities of its own/),
  },
  {
    fault: 'JSON 100,000 deep',
    answer: always(200, `{"Rows":[{"ID":"4","x":${nested}}]}`),
    read: { outcome: 'failed', says: /nests deeper/, requests: 1 },
    write: unknown(/nests deeper/),
  },
  {
    fault: 'JSON that is none',
    answer: always(200, '{"Rows":[,]}'),
    read: { outcome: 'failed', says: /neither JSON nor XML that can be read as campaigns/, requests: 1 },
    write: unknown(/neither JSON nor XML/),
  },
  {
    fault: 'an answer to another question',
    answer: always(200, '{"time":"10:00"}'),
    read: { outcome: 'ok', requests: 1 },
    write: unknown(/answered “\{'time':'10:00'\}”, which does not say whether it was done/),
  },
  {
    fault: 'an empty body',
    answer: always(200, ''),
    read: { outcome: 'failed', says: /answered with nothing/, requests: 3 },
    write: unknown(/answered with nothing/),
  },
  {
    fault: 'HTTP 204',
    answer: always(204, ''),
    read: { outcome: 'failed', says: /answered with nothing/, requests: 3 },
    write: unknown(/answered with nothing/),
  },
  {
    fault: 'something that is no HTTP',
    answer: (_, __, socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
    read: { outcome: 'failed', says: /broke before the answer was whole/, requests: 3 },
    write: unknown(/broke before the answer was whole/),
  },
];

const cases = faults.flatMap(({ fault, answer, read, write, timeoutMs = amplyMs }) => [
  { fault, call: 'read', answer, expected: read, timeoutMs },
  { fault, call: 'write', answer, expected: write, timeoutMs },
]);

test.concurrent.for(cases)(
  '$call meets $fault: $expected.outcome after $expected.requests request(s), and the next call is fine',
  async ({ call, answer, expected, timeoutMs }, context) => {
    const { expect } = context;
    let isFaulty = true;
    const tracker = await startTracker(
      (response, request, socket) => (isFaulty ? answer : works)(response, request, socket),
      { context },
    );
    const client = clientOf(tracker.url, { timeoutMs });
    const run = () =>
      call === 'read'
        ? client.read('list_campaigns', {})
        : sendWrite(client, endpoint('edit_campaign_page'), { campaign_id: '4', page_id: '1', share: '80' });
    const failure = await run().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure !== undefined && !(failure instanceof TrackerFailure)) throw failure;
    expect(failure?.outcome ?? 'ok').toBe(expected.outcome);
    if (expected.says) expect(failure?.message).toMatch(expected.says);
    for (const secret of [apiKey, encodeURIComponent(apiKey)]) expect(String(failure?.message)).not.toContain(secret);
    expect(tracker.requests).toHaveLength(expected.requests);
    isFaulty = false;
    await expect(run()).resolves.toBeDefined();
  },
);
