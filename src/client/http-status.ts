import { fromTracker, rawText, type TrackerText } from '../api/text/tracker-text.ts';
import { AnswerProblem } from './decode/answer-problem.ts';
import { type Question, readAnswer, type Secret } from './decode/decode.ts';
import { StatusProblem } from './errors.ts';
import type { HttpResponse } from './http/exchange.ts';
import type { TrackerRequest } from './request.ts';
import { readRetryAfter } from './retry.ts';

/** What the explanation of a failure may speak of. */
export interface Call {
  readonly request: TrackerRequest;
  /** The address that was asked, without key and parameters. */
  readonly address: string;
  readonly timeoutMs: number;
}

export interface Explanation {
  readonly happened: string;
  readonly next: string;
  /** Whether the tracker certainly did nothing: then a write may be repeated. */
  readonly isRefusal: boolean;
}

export const keyAdvice =
  'Check TRACKER_API_KEY against the key in the tracker’s general settings, and that API access is enabled there.';
export const urlAdvice = 'Check TRACKER_URL: it is the tracker’s base URL, with its subfolder if it has one.';

/** What a status means: the first row that fits. Address and wait are put into its words. */
const statusMeanings: readonly (readonly [fits: RegExp, happened: string, next: string])[] = [
  [/^40[13]$/, 'The tracker did not accept the API key (HTTP {status}).', keyAdvice],
  [/^404$/, 'There is no tracker API at {address} (HTTP 404).', urlAdvice],
  [
    /^405$/,
    '{address} does not take this kind of request (HTTP 405).',
    'Set TRACKER_METHOD to the other one: post or get.',
  ],
  [
    /^(408|499)$/,
    'The tracker gave up waiting (HTTP {status}).',
    '{wait}, or ask for less: a shorter period or fewer reports.',
  ],
  [/^429$/, 'The tracker takes no more requests at the moment (HTTP 429).', '{wait}.'],
  [/^4/, 'The tracker refused the request (HTTP {status}).', `Check the arguments. ${urlAdvice}`],
  [
    /^/,
    'The tracker failed with an error of its own (HTTP {status}).',
    '{wait}; if it stays so, look into the tracker’s error log.',
  ],
];

/** Scripts answer 303 once they have dealt with what was posted; 408 and 499 leave open what the tracker did. */
const isRefusal = (status: number) => status < 500 && ![303, 408, 499].includes(status);

/** Says what an HTTP status means, and what to do. A status that leaves open what the tracker did is no refusal. */
export function explainStatus(error: StatusProblem, call: Call, quote: (said: TrackerText) => string): Explanation {
  const { status, retryAfter } = error;
  const words: Readonly<Record<string, string>> = {
    status: String(status),
    address: call.address,
    wait: retryAfter === undefined ? 'Try again in a minute' : `Try again in ${retryAfter} s`,
  };
  const [, ...meaning] = statusMeanings.find(([fits]) => fits.test(String(status))) ?? [];
  const [happened = '', next = ''] =
    status < 400
      ? explainRedirect(error, call, quote)
      : meaning.map((text) => text.replace(/\{(\w+)\}/g, (_, name) => words[name] ?? ''));
  const said = error.said === null ? '' : ` It said: ${quote(error.said)}`;
  return { happened: happened + said, next, isRefusal: isRefusal(status) };
}

function explainRedirect(
  { location, status }: StatusProblem,
  call: Call,
  quote: (said: TrackerText) => string,
): readonly [happened: string, next: string] {
  const where =
    location === undefined
      ? `answers with a redirect (HTTP ${status})`
      : `redirects to ${location === null ? 'somewhere that is no web address' : quote(fromTracker(location))}`;
  const base = location ? baseOf(location, call) : undefined;
  const advice = base === undefined ? urlAdvice : `Set TRACKER_URL to ${quote(fromTracker(base))}.`;
  return [
    `${call.address} ${where}; redirects are not followed, since the key would go along.`,
    `${advice} A redirect to a login page means that the key is wrong or the API is off.`,
  ];
}

/** The base URL that a redirect shows if it leads to the same endpoint elsewhere. */
function baseOf(location: string, call: Call): string | undefined {
  const end = `/api/${call.request.endpoint.path}`;
  const place = location.replace(/\/$/, '');
  return place.endsWith(end) ? place.slice(0, -end.length) : undefined;
}

/**
 * What is the matter with a response that is no success. An error status may come with an error body, which then says more
 * than the status.
 *
 * @param address what was asked, against which a relative redirect is read
 * @param secret taken out of what the tracker said
 */
export async function problemOfStatus(
  response: HttpResponse,
  address: string,
  question: Question,
  secret: Secret,
): Promise<Error> {
  const { status, contentType, bytes } = response;
  const inBody = status < 400 ? undefined : await problemInBody(bytes, contentType, question, secret);
  // What the tracker refuses in its own words is refused; an error of its own, a time-out or too many requests is more than that.
  const isRefusal = !(status === 404 && isBareText(bytes)) && status < 500 && ![408, 429, 499].includes(status);
  if (inBody && isRefusal) {
    return status === 401 ? new AnswerProblem('no-access', inBody.said === null ? '' : rawText(inBody.said)) : inBody;
  }
  return new StatusProblem(status, {
    location: response.location === undefined ? undefined : shownAddress(response.location, address, secret),
    retryAfter: readRetryAfter(response.retryAfter),
    said: inBody?.said ?? null,
  });
}

/** Longer than any base URL, and too short to tell a story. */
const maxAddressLength = 200;

/** @returns null if a redirect leads to no web address */
function shownAddress(location: string, address: string, secret: Secret): string | null {
  const to = URL.canParse(location, address) ? new URL(location, address) : undefined;
  if (!to || !/^https?:$/.test(to.protocol)) return null;
  const shown = secret.mask(to.origin + to.pathname);
  return shown.length > maxAddressLength ? `${shown.slice(0, maxAddressLength)}…` : shown;
}

/** "Not found" as mere text is any web server's; a tracker's API answers in the format it was asked for. */
function isBareText(bytes: Uint8Array): boolean {
  return !/^\s*[[{"<]/.test(new TextDecoder().decode(bytes.subarray(0, 200)));
}

async function problemInBody(
  bytes: Uint8Array,
  contentType: string | undefined,
  question: Question,
  secret: Secret,
): Promise<AnswerProblem | undefined> {
  try {
    await readAnswer({ bytes, contentType, question, secret });
  } catch (error) {
    if (!(error instanceof AnswerProblem)) throw error;
    if ((error.kind === 'refused' || error.kind === 'no-access') && error.said !== null) return error;
  }
  return undefined;
}
