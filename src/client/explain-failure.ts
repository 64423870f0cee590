import { CallCancelledError } from '../api/deadline.ts';
import { requestLine } from '../api/endpoints.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { fromTracker, type TrackerText } from '../api/text/tracker-text.ts';
import { CircuitOpen } from './circuit.ts';
import { AnswerProblem, type Place, type ProblemKind } from './decode/answer-problem.ts';
import { BrokenResponse, type ResponseFault, StatusProblem, TrackerFailure, TransportError } from './errors.ts';
import { maxHeaderBytes, maxResponseBytes } from './http/exchange.ts';
import { proxyFor } from './proxies.ts';
import type { TrackerRequest } from './request.ts';

export interface Call {
  readonly request: TrackerRequest;
  /** The requested address, without key and parameters. */
  readonly address: string;
  readonly timeoutMs: number;
}

interface Explanation {
  readonly happened: string;
  readonly next: string;
  /** Whether the tracker certainly did nothing: then a write may be repeated. */
  readonly isRefusal: boolean;
  readonly kind?: ProblemKind;
}

const keyAdvice =
  'Check TRACKER_API_KEY against the key in the tracker’s general settings, and that API access is enabled there.';
const urlAdvice = 'Check TRACKER_URL: it is the tracker’s base URL, with its subfolder if it has one.';

const repairAdvice = 'Correct this in the tracker’s web server, or in the proxy or CDN in front of it.';

/** What each problem with an answer means, and what to do. */
const problems: Readonly<
  Record<ProblemKind, (reason: string, call: Call, place?: Place) => readonly [happened: string, next: string]>
> = {
  'no-access': (reason) => [
    reason === ''
      ? 'The tracker answered with a page that asks to log in: it does not accept the API key, or its API is off.'
      : `The tracker did not accept the API key; it said: ${reason}`,
    keyAdvice,
  ],
  refused: (reason) => [
    reason === ''
      ? 'The tracker refused the request and gave no reason.'
      : `The tracker refused the request; it said: ${reason}`,
    'Correct the arguments that it names; all IDs must come from this tracker.',
  ],
  unclear: (reason) => [
    `The tracker answered ${reason === '' ? 'without saying' : `${reason}, which does not say`} whether it was done.`,
    '',
  ],
  page: (_, { address }) => [
    `${address} answered with a page of HTML, which is not an API answer.`,
    `${urlAdvice} A tracker whose API is off may answer like this too: ${keyAdvice}`,
  ],
  'too-large': (_, { address }) => [
    `The answer of ${address} is larger than ${Math.round(maxResponseBytes / 1024 / 1024)} MB and was not read.`,
    'Ask for less: a shorter period, fewer reports, or max_records.',
  ],
  empty: (_, { address }) => [
    `${address} sent an empty answer.`,
    'Try again; if it happens again, look in the tracker’s error log.',
  ],
  'cut-off': (_, { address }) => [
    `The answer of ${address} was cut off before its end.`,
    'Try again, or ask for less: a shorter period or fewer reports.',
  ],
  several: (names, { address, request }) => [
    `The answer of ${address} has several tables that may be the ${request.endpoint.title.toLowerCase()}, and nothing shows which (${names}). None was taken.`,
    'Try the other TRACKER_FORMAT (json or xml), or one report at a time.',
  ],
  'too-deep': (_, { address }) => [
    `The answer of ${address} nests deeper than any report does, so it was not read.`,
    urlAdvice,
  ],
  'too-many': (_, { address }) => [
    `The answer of ${address} holds more rows, columns or values than are read at once.`,
    'Ask for less: a shorter period, fewer reports, or max_records.',
  ],
  'document-type': (_, { address }) => [
    `The answer of ${address} is XML that declares its own entities, which is never read.`,
    `Set TRACKER_FORMAT=json. ${urlAdvice}`,
  ],
  unreadable: (_, { address, request }, place) =>
    place
      ? [
          `The answer of ${address} is broken at line ${place.line}, column ${place.column}, so none of it was read.`,
          'Try again, or with the other TRACKER_FORMAT (json or xml). If it stays, a name or message there breaks it: look in the tracker.',
        ]
      : [
          `The answer of ${address} is neither JSON nor XML that can be read as ${request.endpoint.title.toLowerCase()}.`,
          `${urlAdvice} If it is right, try the other TRACKER_FORMAT (json or xml).`,
        ],
};

/**
 * Explains why a call failed, for the agent or person who made it.
 *
 * @param quote makes the tracker's words fit to be shown: without the key, short, in quotation marks
 * @returns a failure to throw; an unexpected error as it is
 */
export function explainFailure(error: unknown, call: Call, quote: (text: TrackerText) => string): unknown {
  if (error instanceof TrackerFailure) return error;
  const end = error instanceof TransportError ? error.cause : error;
  if (end instanceof CallCancelledError) return explainEnd(end.kind, error === end, call);
  if (error instanceof CircuitOpen) return explainOpen(error, call);
  const explanation = explain(error, call, quote);
  if (!explanation) return error;
  const { happened, next, isRefusal, kind } = explanation;
  const isWrite = call.request.endpoint.access !== 'read';
  if (error instanceof TransportError && error.kind === 'not-sent') {
    return new TrackerFailure('not-sent', happened, isWrite ? `${safeToRepeat} ${next}` : next);
  }
  if (!isWrite) return new TrackerFailure(isRefusal ? 'refused' : 'failed', happened, next, kind);
  return isRefusal
    ? new TrackerFailure('refused', happened, `Nothing was changed. ${next}`, kind)
    : outcomeUnknown(happened, call);
}

const safeToRepeat = 'Nothing was sent, so it is safe to repeat.';

function explainOpen({ skipped, retryInS }: CircuitOpen, call: Call): TrackerFailure {
  const happened = {
    tracker: `The tracker at ${call.address} could not be reached several times in a row, so nothing was sent.`,
    endpoint: `${call.address} has failed several times in a row, so nothing was sent.`,
  };
  const isReport = skipped === 'endpoint' && call.request.endpoint.access === 'read';
  const less = isReport ? ' If it takes too long, ask for less: a shorter period or fewer reports.' : '';
  return new TrackerFailure(
    'not-sent',
    happened[skipped],
    `It is tried again in ${retryInS} s; repeat the call then.${less}`,
  );
}

function explain(error: unknown, call: Call, quote: (text: TrackerText) => string): Explanation | undefined {
  if (error instanceof AnswerProblem) {
    const { kind, reason, place } = error;
    const [happened, next] = problems[kind](reason === null ? '' : quote(reason), call, place);
    return { happened, next, isRefusal: kind === 'no-access' || kind === 'refused', kind };
  }
  if (error instanceof StatusProblem) return explainStatus(error, call, quote);
  if (error instanceof BrokenResponse) return explainBroken(error, call);
  if (error instanceof TransportError) return explainTransport(error, call);
  return undefined;
}

/** What each HTTP status means: the first row that fits. `{status}`, `{address}` and `{wait}` are filled in. */
const statusMeanings: readonly (readonly [fits: RegExp, happened: string, next: string])[] = [
  [/^304$/, '{address} answered that nothing has changed (HTTP 304), which was not asked.', repairAdvice],
  [/^401$/, 'The tracker did not accept the API key (HTTP {status}).', keyAdvice],
  [
    /^403$/,
    'The tracker did not accept the API key (HTTP {status}).',
    `${keyAdvice} If they are right, a firewall or CDN in front of the tracker refuses this machine.`,
  ],
  [/^404$/, 'There is no tracker API at {address} (HTTP 404).', urlAdvice],
  [
    /^405$/,
    '{address} does not take this kind of request (HTTP 405).',
    'Set TRACKER_METHOD to the other one: post or get.',
  ],
  [
    /^407$/,
    'A proxy before the tracker asks for a sign-in (HTTP 407).',
    'Write it into the variable that names the proxy: http://user:password@host:port.',
  ],
  [
    /^(408|499)$/,
    'The tracker gave up waiting (HTTP {status}).',
    '{wait}, or ask for less: a shorter period or fewer reports.',
  ],
  [/^414$/, '{address} does not take so long an address (HTTP 414).', 'Set TRACKER_METHOD to post.'],
  [/^429$/, 'The tracker takes no more requests at the moment (HTTP 429).', '{wait}.'],
  [/^4/, 'The tracker refused the request (HTTP {status}).', `Check the arguments. ${urlAdvice}`],
  [
    /^/,
    'The tracker failed with an error of its own (HTTP {status}).',
    '{wait}; if it happens again, look in the tracker’s error log.',
  ],
];

/** Scripts answer 303 after they handled a post; 408 and 499 leave open what the tracker did. */
const isRefusal = (status: number) => status < 500 && ![303, 408, 499].includes(status);

function explainStatus(error: StatusProblem, call: Call, quote: (text: TrackerText) => string): Explanation {
  const { status, retryAfter } = error;
  const values: Readonly<Record<string, string>> = {
    status: String(status),
    address: call.address,
    wait: retryAfter === undefined ? 'Try again in a minute' : `Try again in ${retryAfter} s`,
  };
  const [, ...meaning] = statusMeanings.find(([fits]) => fits.test(String(status))) ?? [];
  const [happened = '', next = ''] =
    status < 400 && status !== 304
      ? explainRedirect(error, call, quote)
      : meaning.map((text) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? ''));
  const message = error.reason === null ? '' : ` It said: ${quote(error.reason)}`;
  return { happened: happened + message, next, isRefusal: isRefusal(status) };
}

function explainRedirect(
  { location, status }: StatusProblem,
  call: Call,
  quote: (text: TrackerText) => string,
): readonly [happened: string, next: string] {
  const where =
    location === undefined
      ? `answers with a redirect (HTTP ${status})`
      : `redirects to ${location === null ? 'something that is not a web address' : quote(fromTracker(location))}`;
  const base = location ? baseOf(location, call) : undefined;
  const advice = base === undefined ? urlAdvice : `Set TRACKER_URL to ${quote(fromTracker(base))}.`;
  return [
    `${call.address} ${where}; redirects are not followed, because the key would be sent along.`,
    `${advice} A redirect to a login page means that the key is wrong or the API is off.`,
  ];
}

/** The base URL of a redirect to the same endpoint somewhere else. */
function baseOf(location: string, call: Call): string | undefined {
  const end = `/api/${call.request.endpoint.path}`;
  const target = location.replace(/\/$/, '');
  return target.endsWith(end) ? target.slice(0, -end.length) : undefined;
}

const reachAdvice = 'Check that the tracker is up and that TRACKER_URL is right; tracker-mcp check shows more.';

const networkAdvice: readonly (readonly [code: RegExp, advice: string])[] = [
  [
    /CERT|SIGNATURE|SELF_SIGNED/,
    'Its certificate is not trusted: set NODE_EXTRA_CA_CERTS to the file of the authority that issued it, or check that TRACKER_URL names the host it was made for.',
  ],
  [/SSL|TLS|EPROTO/, 'It does not speak TLS there: check the http:// or https:// of TRACKER_URL.'],
  [/ENOTFOUND|EAI_AGAIN/, 'The host is not known: check TRACKER_URL and the network.'],
];

const againAdvice = 'Try again; if it happens again, look in the error log of the tracker’s web server.';
const notRead = 'The answer of {address} was not read:';

/** What each fault of a response means. `{address}` and `{encoding}` are filled in. */
const faultMeanings: Readonly<Record<ResponseFault, readonly [happened: string, next: string]>> = {
  'no-http': [
    'The connection to {address} broke before the answer was whole: what came is not HTTP.',
    'Check the port and the http:// or https:// of TRACKER_URL; if they are right, correct the web server there.',
  ],
  headers: [`${notRead} its status line or a header breaks the rules of HTTP.`, repairAdvice],
  length: [
    `${notRead} its headers break the rules of HTTP; most often the length is there twice, as two Content-Length headers or as one beside Transfer-Encoding: chunked.`,
    repairAdvice,
  ],
  'large-headers': [`${notRead} its headers are larger than ${maxHeaderBytes / 1024} kB.`, repairAdvice],
  continue: [`${notRead} it begins with HTTP 100 Continue, which was not asked for.`, repairAdvice],
  upgrade: [`${notRead} it changes to another protocol (HTTP 101), which was not asked for.`, repairAdvice],
  partial: [`${notRead} it is only a part (HTTP 206), which was not asked for.`, repairAdvice],
  chunks: [`${notRead} its parts (Transfer-Encoding: chunked) have no valid lengths.`, repairAdvice],
  cut: ['The connection to {address} broke before the answer was whole.', againAdvice],
  'unknown-encoding': [`${notRead} it is compressed in a way that is not supported{encoding}.`, repairAdvice],
  'many-encodings': [`${notRead} it is compressed too many times over.`, repairAdvice],
  'broken-encoding': [
    `${notRead} its compressed data is damaged, or is not what its header says{encoding}.`,
    repairAdvice,
  ],
  'cut-encoding': [`${notRead} its compressed data broke before the answer was whole{encoding}.`, againAdvice],
  binary: [`${notRead} it is binary data, and no header says how it is compressed.`, repairAdvice],
};

/** Only the form of a name is shown: a response could hold anything in its place. */
const encodingName = /^[a-z][a-z\d-]{0,15}$/;

function explainBroken({ fault, encoding = '' }: BrokenResponse, call: Call): Explanation {
  const [happened, next] = faultMeanings[fault];
  const named = encodingName.test(encoding) ? ` (Content-Encoding: ${encoding})` : '';
  return {
    happened: happened.replace('{address}', () => call.address).replace('{encoding}', named),
    next,
    isRefusal: false,
  };
}

/** What to check if a call cannot be sent. */
function adviceFor({ kind, message }: TransportError, { address }: Call): string {
  const [, advice = reachAdvice] = networkAdvice.find(([code]) => code.test(message)) ?? [];
  const proxy = kind === 'not-sent' && URL.canParse(address) ? proxyFor(new URL(address)) : undefined;
  return proxy ? `${advice} It is called through the proxy that ${proxy.variable} names: check that first.` : advice;
}

function explainTransport(error: TransportError, call: Call): Explanation {
  if (error.kind === 'too-large') {
    const [happened, next] = problems[error.kind]('', call);
    return { happened, next, isRefusal: false, kind: error.kind };
  }
  const happened =
    error.kind === 'not-sent'
      ? `The tracker at ${call.address} cannot be reached (${error.message}).`
      : `The connection to ${call.address} broke before the answer was whole (${error.message}).`;
  return { happened, next: adviceFor(error, call), isRefusal: false };
}

function explainEnd(kind: CallCancelledError['kind'], wasSent: boolean, call: Call): TrackerFailure {
  const isWrite = call.request.endpoint.access !== 'read';
  const happened =
    kind === 'cancelled' ? 'The call was cancelled.' : `The tracker did not answer within ${call.timeoutMs / 1000} s.`;
  if (isWrite && wasSent) return outcomeUnknown(happened, call);
  if (kind === 'cancelled') return new TrackerFailure('cancelled', happened, isWrite ? 'Nothing was sent.' : '');
  if (isWrite) return new TrackerFailure('not-sent', happened, safeToRepeat);
  return new TrackerFailure(
    'failed',
    happened,
    'Ask for less (a shorter period, fewer reports) or raise TRACKER_TIMEOUT_MS.',
  );
}

function outcomeUnknown(happened: string, call: Call): TrackerFailure {
  const look = call.request.endpoint.verify
    ? `Look with ${call.request.endpoint.verify} first`
    : 'The API cannot list predefined pages and offers, so look in the tracker itself first';
  return new TrackerFailure(
    'unknown',
    `Outcome unknown: the request was sent, and it is not known whether it was carried out (${shortLine(call)}). ${happened}`,
    `It was not sent again. ${look}, and repeat it only if the change is not there.`,
  );
}

/** Notes may be long; the parameters before them tell what the request is about. */
const maxLineLength = 500;

function shortLine({ request }: Call): string {
  const line = cleanText(requestLine(request.endpoint.path, request.shown));
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line;
}
