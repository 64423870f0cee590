import { fromTracker, type TrackerText } from '../api/text/tracker-text.ts';
import type { StatusProblem } from './errors.ts';
import type { TrackerRequest } from './request.ts';

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
export const urlAdvice = 'Check TRACKER_URL: it is the tracker’s base URL, with its subfolder where it has one.';

interface Words {
  readonly wait: string;
  readonly quote: (said: TrackerText) => string;
}

type Explain = (error: StatusProblem, call: Call, words: Words) => readonly [happened: string, next: string];

/** The first row whose status fits. A status that leaves open what the tracker did is no refusal. */
const statusMeanings: readonly (readonly [fits: (status: number) => boolean, isRefusal: boolean, explain: Explain])[] =
  [
    // Scripts answer 303 once they have dealt with what was posted.
    [(status) => status === 303, false, explainRedirect],
    [(status) => status < 400, true, explainRedirect],
    [
      (status) => status === 401 || status === 403,
      true,
      ({ status }) => [`The tracker did not accept the API key (HTTP ${status}).`, keyAdvice],
    ],
    [
      (status) => status === 404,
      true,
      (_, { address }) => [`There is no tracker API at ${address} (HTTP 404).`, urlAdvice],
    ],
    [
      (status) => status === 405,
      true,
      (_, { address }) => [
        `${address} does not take this kind of request (HTTP 405).`,
        'Set TRACKER_METHOD to the other one: post or get.',
      ],
    ],
    [
      (status) => status === 408 || status === 499,
      false,
      ({ status }, _, { wait }) => [
        `The tracker gave up waiting (HTTP ${status}).`,
        `${wait}, or ask for less: a shorter period or fewer reports.`,
      ],
    ],
    [
      (status) => status === 429,
      true,
      (_, __, { wait }) => ['The tracker takes no more requests at the moment (HTTP 429).', `${wait}.`],
    ],
    [
      (status) => status < 500,
      true,
      ({ status }) => [`The tracker refused the request (HTTP ${status}).`, `Check the arguments. ${urlAdvice}`],
    ],
    [
      () => true,
      false,
      ({ status }, _, { wait }) => [
        `The tracker failed with an error of its own (HTTP ${status}).`,
        `${wait}; if it stays so, look into the tracker’s error log.`,
      ],
    ],
  ];

export function explainStatus(
  error: StatusProblem,
  call: Call,
  quote: (said: TrackerText) => string,
): Explanation | undefined {
  const [, isRefusal, explain] = statusMeanings.find(([fits]) => fits(error.status)) ?? [];
  if (isRefusal === undefined || !explain) return undefined;
  const wait = error.retryAfter === undefined ? 'Try again in a minute' : `Try again in ${error.retryAfter} s`;
  const [happened, next] = explain(error, call, { wait, quote });
  const said = error.said === null ? '' : ` It said: ${quote(error.said)}`;
  return { happened: happened + said, next, isRefusal };
}

function explainRedirect(
  { location, status }: StatusProblem,
  call: Call,
  { quote }: Words,
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

/** The base URL that a redirect shows, where it leads to the same endpoint at another place. */
function baseOf(location: string, call: Call): string | undefined {
  const end = `/api/${call.request.endpoint.path}`;
  const place = location.replace(/\/$/, '');
  return place.endsWith(end) ? place.slice(0, -end.length) : undefined;
}
