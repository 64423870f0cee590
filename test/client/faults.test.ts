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
const letters = Buffer.alloc(1 << 16, 'x');
const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
const bomb = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><r>&b;</r>';

/** The outcome of a call, and the pattern of its message. */
interface Expected {
  readonly outcome: 'ok' | TrackerFailure['outcome'];
  readonly message?: RegExp;
  readonly requests: number;
}

type Fault = [fault: string, answer: Answer, expected: { read: Expected; write: Expected }, timeoutMs?: number];

type Headers = Record<string, string>;

/** Long enough for the next call, which has the same time, on a busy machine. */
const shortMs = 2000;
/** A call that takes longer hangs. */
const amplyMs = 40_000;

/** A correct answer with a change. */
const answerWith =
  (change: (body: string) => string | Uint8Array, headers: Headers = {}): Answer =>
  (response, { url }) =>
    response.writeHead(200, headers).end(change(url.includes('/list') ? rows : receipt));
const always =
  (status: number, body: string | Uint8Array, headers: Headers = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body);
const redirect = (location: string, status = 302) => always(status, '', { location });
const inTwoMinutes = { 'retry-after': '120' };
/** An endless body. */
function endlessly(response: ServerResponse, chunk: Buffer): void {
  const write = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', write);
  write();
}
const ok: Expected = { outcome: 'ok', requests: 1 };
const fine = { read: ok, write: ok };
/** A write is sent once and its outcome is unknown; a read is retried if that may help. */
const lost = (requests: number, message: RegExp, writeMessage = message) => ({
  read: { outcome: 'failed' as const, message, requests },
  write: { outcome: 'unknown' as const, message: writeMessage, requests: 1 },
});
const refused = (message: RegExp, writeMessage = message, requests = 1) => ({
  read: { outcome: 'refused' as const, message, requests },
  write: { outcome: 'refused' as const, message: writeMessage, requests: 1 },
});
const notSentAgain = /Outcome unknown: the request was sent.*It was not sent again/;
const broken = lost(3, /broke before the answer was whole/, notSentAgain);
const tooLarge = lost(1, /larger than 64 MB/);
const gzip = { 'content-encoding': 'gzip' };

const faults: readonly Fault[] = [
  ['HTTP 500', always(500, 'oops'), lost(3, /error of its own \(HTTP 500\)/, /HTTP 500.*Look with get_stats first/)],
  ['HTTP 500 in JSON', always(500, '{"error":"Duplicate entry"}'), lost(3, /HTTP 500\)\. It said: “Duplicate entry”/)],
  ['HTTP 502 with a page', always(502, page, { 'content-type': 'text/html' }), lost(3, /^(?!.*Gateway).*HTTP 502/)],
  [
    'HTTP 429 without Retry-After',
    always(429, ''),
    refused(/HTTP 429.*Try again in a minute/, /HTTP 429.*Nothing was changed.*Try again in a minute/, 3),
  ],
  ['HTTP 429 with a long Retry-After', always(429, '', inTwoMinutes), refused(/Try again in 120 s/)],
  [
    'HTTP 503 with a long Retry-After',
    always(503, '', inTwoMinutes),
    lost(1, /HTTP 503.*Try again in 120 s/, /HTTP 503/),
  ],
  [
    'a redirect to another origin',
    (response, { url }) => void response.writeHead(301, { location: `https://new.example${url}?key=1` }).end(),
    refused(
      /redirects to “https:\/\/new\.example\/api\/\S+”;.*Set TRACKER_URL to “https:\/\/new\.example”\./,
      /Nothing was changed\. Set TRACKER_URL to “https:\/\/new\.example”\./,
    ),
  ],
  [
    'a redirect on the same origin',
    (response, { url }) => void response.writeHead(302, { location: `/tracker${url}` }).end(),
    refused(/Set TRACKER_URL to “http:\/\/127\.0\.0\.1:\d+\/tracker”\./),
  ],
  ['a redirect to a login page', redirect('/login.php'), refused(/login\.php.*the key is wrong or the API is off/)],
  [
    'a 303, as scripts answer after a form',
    redirect('/done.php', 303),
    lost(1, /redirects to “http\S+\/done\.php”; redirects are not/, /“http\S+\/done\.php”.*Look with get_stats first/),
  ],
  ...['javascript:alert(1)//Ignore_all', 'data:text/plain,Ignore_all', 'http://[Ignore_all'].map((location): Fault => {
    const message = /^(?!.*Ignore).*redirects to something that is not a web address;/;
    const expected = refused(message, /not a web address;.*Nothing was changed/);
    return [`a redirect to ${location}`, redirect(location), expected];
  }),
  [
    'a redirect to an endless address',
    redirect(`/Ignore_"all"/${'x'.repeat(6000)}/api/campaign/list`),
    refused(/^(?=.{300,600}$).*redirects to “http\S{150,200}…”;/),
  ],
  ['a redirect without an address', always(302, ''), refused(/answers with a redirect \(HTTP 302\)/)],
  ...['', '{"Status":"Error","Message":"Timed out"}'].flatMap((body) =>
    [408, 499].map((status): Fault => {
      const reads = status === 408 ? 3 : 1;
      const message = `gave up waiting \\(HTTP ${status}\\)`;
      const expected = lost(reads, new RegExp(message), new RegExp(`${message}.*Look with get_stats first`));
      return [`HTTP ${status} with the body ${body}`, always(status, body), expected];
    }),
  ),
  [
    'words that would end their quotation',
    always(200, JSON.stringify({ Status: 'Error', Message: 'bad ” and then: „do“ ‟X" “ …' })),
    refused(/it said: “bad ' and then: 'do' 'X' ' …” (Correct|Nothing)/),
  ],
  ['PHP notices before JSON', answerWith((body) => notices + body), fine],
  ['a byte order mark', answerWith((body) => `\ufeff${body}`), fine],
  ['a wrong content type', answerWith((body) => body, { 'content-type': 'image/png' }), fine],
  [
    'ISO-8859-1',
    answerWith((body) => Buffer.from(body, 'latin1'), { 'content-type': 'text/html; charset=utf-8' }),
    fine,
  ],
  ['gzip', answerWith(gzipSync, gzip), fine],
  ['br', answerWith(brotliCompressSync, { 'content-encoding': 'br' }), fine],
  ['an unknown encoding of plain text', answerWith((body) => body, { 'content-encoding': 'constructor' }), fine],
  ['gzip that is cut off', answerWith((body) => gzipSync(body.repeat(50)).subarray(0, 40), gzip), broken],
  [
    'a body cut off',
    answerWith((body) => body.slice(0, -8), { connection: 'close' }),
    lost(3, /cut off before its end/),
  ],
  [
    'a body shorter than its declared length',
    (response, _, socket) => {
      response.writeHead(200, { 'content-length': '1000' }).write(rows);
      setTimeout(() => socket.end(), 20);
    },
    broken,
  ],
  ['a reset after the request came in', (_, __, socket) => void socket.resetAndDestroy(), broken],
  ['something that is no HTTP', (_, __, socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'), broken],
  ['headers that never come', () => undefined, lost(1, /did not answer within 2 s/), shortMs],
  [
    'a body that drips',
    (response) => {
      response.writeHead(200).write('[');
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
    },
    lost(1, /did not answer within 2 s.*TRACKER_TIMEOUT_MS/, /did not answer within 2 s/),
    shortMs,
  ],
  [
    'a login page on a 200',
    always(200, loginPage),
    refused(/asks to log in.*TRACKER_API_KEY.*general settings/, /asks to log in.*Nothing was changed/),
  ],
  [
    'a page on a 200',
    always(200, '<html><body><h1>It works</h1></body></html>'),
    lost(
      1,
      /^(?!.*works).*http:\/\/127\.0\.0\.1:\d+\/api\/campaign\/list\/ answered with a page of HTML.*TRACKER_URL/,
      /answered with a page of HTML/,
    ),
  ],
  ...[200, 400].map((status): Fault => {
    const message = /it said: “Unknown campaign 99”/;
    const expected = refused(message, /it said: “Unknown campaign 99” Nothing was changed/);
    return [`an error on a ${status}`, always(status, '{"Status":"Error","Message":"Unknown campaign 99"}'), expected];
  }),
  [
    'HTTP 401',
    always(401, '{"error":"nope"}'),
    refused(/did not accept the API key; it said: “nope” Check TRACKER_API_KEY/, /did not accept the API key/),
  ],
  ['HTTP 403 with a page', always(403, page), refused(/did not accept the API key \(HTTP 403\).*a firewall or CDN/)],
  ['HTTP 304', always(304, ''), refused(/nothing has changed \(HTTP 304\), which was not asked\./)],
  ['HTTP 206', always(206, rows, { 'content-range': 'bytes 0-9/99' }), lost(3, /only a part \(HTTP 206\)/)],
  ...[page, 'Not found'].map((body): Fault => {
    const expected = refused(/There is no tracker API at http\S+ \(HTTP 404\)/, /Check TRACKER_URL/);
    return [`HTTP 404 with ${body}`, always(404, body), expected];
  }),
  ['HTTP 405', always(405, ''), refused(/TRACKER_METHOD/)],
  ['HTTP 407', always(407, ''), refused(/A proxy before the tracker asks for a sign-in/)],
  ['HTTP 414', always(414, ''), refused(/so long an address.*TRACKER_METHOD to post/)],
  ['HTTP 413', always(413, ''), refused(/HTTP 413/)],
  [
    'an endless body',
    (response) => endlessly(response.writeHead(200), Buffer.alloc(1 << 20, '[')),
    lost(1, /larger than 64 MB and was not read.*shorter period/, /larger than 64 MB/),
  ],
  [
    'a body that declares 200 MB',
    (response) => response.writeHead(200, { 'content-length': String(200 << 20) }).flushHeaders(),
    tooLarge,
  ],
  ['a gzip bomb', always(200, gzipSync(Buffer.alloc(80 << 20, '[')), gzip), tooLarge],
  ['an endless error page', (response) => endlessly(response.writeHead(500), letters), lost(3, /HTTP 500/)],
  [
    'XML entities',
    always(200, bomb),
    lost(1, /declares its own entities.*TRACKER_FORMAT=json/, /declares its own entities/),
  ],
  ['JSON 100,000 deep', always(200, `{"Rows":[{"ID":"4","x":${nested}}]}`), lost(1, /nests deeper/)],
  ['invalid JSON', always(200, '{"Rows":[,]}'), lost(1, /is broken at line 1, column 10, so none of it was read/)],
  [
    'an answer to another question',
    always(200, '{"time":"10:00"}'),
    { ...lost(1, /answered “\{'time':'10:00'\}”, which does not say whether it was done/), read: ok },
  ],
  ['an empty body', always(200, ''), lost(3, /sent an empty answer/)],
  ['HTTP 204', always(204, ''), lost(3, /sent an empty answer/)],
];

const cases = faults.flatMap(([fault, answer, expected, timeoutMs = amplyMs]) =>
  (['read', 'write'] as const).map((call) => ({ fault, call, answer, expected: expected[call], timeoutMs })),
);

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
    if (expected.message) expect(failure?.message).toMatch(expected.message);
    for (const secret of [apiKey, encodeURIComponent(apiKey)]) expect(String(failure?.message)).not.toContain(secret);
    expect(tracker.requests).toHaveLength(expected.requests);
    isFaulty = false;
    await expect(run()).resolves.toBeDefined();
  },
);
