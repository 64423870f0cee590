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
  /** When to try again. */
  readonly wait: string;
  readonly quote: (said: TrackerText) => string;
}

interface StatusMeaning {
  readonly applies: (status: number) => boolean;
  readonly explain: (error: StatusProblem, call: Call, words: Words) => Omit<Explanation, 'isRefusal'>;
  /** A status that leaves open what the tracker did is no refusal. */
  readonly isRefusal?: false;
}

const statusMeanings: readonly StatusMeaning[] = [
  // Scripts answer 303 once they have dealt with what was posted.
  { applies: (status) => status === 303, explain: explainRedirect, isRefusal: false },
  { applies: (status) => status < 400, explain: explainRedirect },
  {
    applies: (status) => status === 401 || status === 403,
    explain: ({ status }) => ({
      happened: `The tracker did not accept the API key (HTTP ${status}).`,
      next: keyAdvice,
    }),
  },
  {
    applies: (status) => status === 404,
    explain: (_, call) => ({ happened: `There is no tracker API at ${call.address} (HTTP 404).`, next: urlAdvice }),
  },
  {
    applies: (status) => status === 405,
    explain: (_, call) => ({
      happened: `${call.address} does not take this kind of request (HTTP 405).`,
      next: 'Set TRACKER_METHOD to the other one: post or get.',
    }),
  },
  {
    applies: (status) => status === 408 || status === 499,
    explain: ({ status }, _, { wait }) => ({
      happened: `The tracker gave up waiting (HTTP ${status}).`,
      next: `${wait}, or ask for less: a shorter period or fewer reports.`,
    }),
    isRefusal: false,
  },
  {
    applies: (status) => status === 429,
    explain: (_, __, { wait }) => ({
      happened: 'The tracker takes no more requests at the moment (HTTP 429).',
      next: `${wait}.`,
    }),
  },
  {
    applies: (status) => status < 500,
    explain: ({ status }) => ({
      happened: `The tracker refused the request (HTTP ${status}).`,
      next: `Check the arguments. ${urlAdvice}`,
    }),
  },
  {
    applies: () => true,
    explain: ({ status }, _, { wait }) => ({
      happened: `The tracker failed with an error of its own (HTTP ${status}).`,
      next: `${wait}; if it stays so, look into the tracker’s error log.`,
    }),
    isRefusal: false,
  },
];

/** Says what an HTTP status means that is no success. */
export function explainStatus(
  error: StatusProblem,
  call: Call,
  quote: (said: TrackerText) => string,
): Explanation | undefined {
  const meaning = statusMeanings.find(({ applies }) => applies(error.status));
  const wait = error.retryAfter === undefined ? 'Try again in a minute' : `Try again in ${error.retryAfter} s`;
  if (!meaning) return undefined;
  const { happened, next } = meaning.explain(error, call, { wait, quote });
  const said = error.said === null ? '' : ` It said: ${quote(error.said)}`;
  return { happened: happened + said, next, isRefusal: meaning.isRefusal ?? true };
}

function explainRedirect({ location, status }: StatusProblem, call: Call, { quote }: Words) {
  const where =
    location === undefined
      ? `answers with a redirect (HTTP ${status})`
      : `redirects to ${location === null ? 'somewhere that is no web address' : quote(fromTracker(location))}`;
  const base = location ? baseOf(location, call) : undefined;
  const advice = base === undefined ? urlAdvice : `Set TRACKER_URL to ${quote(fromTracker(base))}.`;
  return {
    happened: `${call.address} ${where}; redirects are not followed, since the key would go along.`,
    next: `${advice} A redirect to a login page means that the key is wrong or the API is off.`,
  };
}

/** The base URL that a redirect shows, where it leads to the same endpoint at another place. */
function baseOf(location: string, call: Call): string | undefined {
  const end = `/api/${call.request.endpoint.path}`;
  const place = location.replace(/\/$/, '');
  return place.endsWith(end) ? place.slice(0, -end.length) : undefined;
}
