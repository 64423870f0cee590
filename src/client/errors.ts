import type { Endpoint } from '../api/endpoints.ts';
import { Failure, type Outcome } from '../api/failure.ts';
import { AnswerProblem, type ProblemKind } from './decode/decode.ts';
import { largestResponse, TransportError } from './http.ts';

/** A call to the tracker that gave no reply. */
export class TrackerFailure extends Failure {
  override readonly name = 'TrackerFailure';
  override readonly outcome: Outcome;

  constructor(outcome: Outcome, happened: string, next: string) {
    super(happened, next);
    this.outcome = outcome;
  }
}

/** Ends a call; the reason of its AbortSignal. */
export class CallEnded extends Error {
  readonly kind: 'deadline' | 'cancelled';

  constructor(kind: 'deadline' | 'cancelled') {
    super(kind);
    this.kind = kind;
  }
}

/** A response whose status says that there is no reply in it. */
export class StatusProblem extends Error {
  readonly status: number;
  /** Where a redirect leads, without its query. */
  readonly location: string | undefined;
  /** Seconds the tracker asked to wait. */
  readonly retryAfter: number | undefined;

  constructor(status: number, details: { location?: string | undefined; retryAfter?: number | undefined } = {}) {
    super(`HTTP ${status}`);
    this.status = status;
    this.location = details.location;
    this.retryAfter = details.retryAfter;
  }
}

/** What the explanation of a failure may speak of. */
export interface Call {
  readonly endpoint: Endpoint;
  /** The address that was asked, without key and parameters. */
  readonly address: string;
  readonly timeoutMs: number;
}

interface Explanation {
  readonly happened: string;
  readonly next: string;
  /** Whether the tracker certainly did nothing: then a write may be repeated. */
  readonly isRefusal: boolean;
}

const keyAdvice =
  'Check TRACKER_API_KEY against the key in the tracker’s general settings, and that API access is enabled there.';
const urlAdvice = 'Check TRACKER_URL: it is the tracker’s base URL, with its subfolder where it has one.';

const problems: Readonly<Record<ProblemKind, (said: string, call: Call) => Explanation>> = {
  'no-access': (said) => ({
    happened:
      said === ''
        ? 'The tracker answered with a login page: it does not accept the API key, or its API is off.'
        : `The tracker did not accept the API key; it said: ${said}`,
    next: keyAdvice,
    isRefusal: true,
  }),
  refused: (said) => ({
    happened:
      said === ''
        ? 'The tracker refused the request and gave no reason.'
        : `The tracker refused the request; it said: ${said}`,
    next: 'Correct the arguments it names; the IDs must be ones this tracker gave out.',
    isRefusal: true,
  }),
  page: (_, call) => ({
    happened: `${call.address} answered with a page of HTML, which is no API answer.`,
    next: `${urlAdvice} A tracker whose API is off may answer like this too: ${keyAdvice}`,
    isRefusal: false,
  }),
  empty: (_, call) => ({
    happened: `${call.address} answered with nothing.`,
    next: 'Try again; if it stays so, look into the tracker’s own error log.',
    isRefusal: false,
  }),
  'cut-off': (_, call) => ({
    happened: `The answer of ${call.address} was cut off before its end.`,
    next: 'Try again, or ask for less: a shorter period or fewer reports.',
    isRefusal: false,
  }),
  unreadable: (_, call) => ({
    happened: `The answer of ${call.address} is neither JSON nor XML that can be read as ${call.endpoint.title.toLowerCase()}.`,
    next: `${urlAdvice} If it is right, try the other TRACKER_FORMAT (json or xml).`,
    isRefusal: false,
  }),
};

/**
 * Says what became of a call, for the agent or person who made it.
 *
 * @param error what ended it
 * @param quote makes the tracker's own words fit to be shown: without the key, short, in quotation marks
 * @returns a failure to throw; anything that is no known end of a call comes back as it is
 */
export function explainFailure(error: unknown, call: Call, quote: (said: string) => string): unknown {
  if (error instanceof TrackerFailure) return error;
  const isWrite = call.endpoint.access !== 'read';
  if (error instanceof CallEnded || (error instanceof TransportError && error.cause instanceof CallEnded)) {
    return explainEnd(error, call, isWrite);
  }
  const explanation = explain(error, call, quote);
  if (!explanation) return error;
  if (!isWrite)
    return new TrackerFailure(explanation.isRefusal ? 'refused' : 'failed', explanation.happened, explanation.next);
  if (error instanceof TransportError && error.kind === 'not-sent') {
    return new TrackerFailure(
      'not-sent',
      explanation.happened,
      `Nothing was sent, so it is safe to repeat. ${explanation.next}`,
    );
  }
  if (explanation.isRefusal)
    return new TrackerFailure('refused', explanation.happened, `Nothing was changed. ${explanation.next}`);
  return outcomeUnknown(explanation.happened, call);
}

function explain(error: unknown, call: Call, quote: (said: string) => string): Explanation | undefined {
  if (error instanceof AnswerProblem) return problems[error.kind](error.said === '' ? '' : quote(error.said), call);
  if (error instanceof StatusProblem) return explainStatus(error, call);
  if (error instanceof TransportError) return explainTransport(error, call);
  return undefined;
}

function explainTransport(error: TransportError, call: Call): Explanation {
  if (error.kind === 'too-large') {
    return {
      happened: `The answer of ${call.address} is larger than ${Math.round(largestResponse / 1024 / 1024)} MB and was given up.`,
      next: 'Ask for less: a shorter period, fewer reports, or max_records.',
      isRefusal: false,
    };
  }
  const happened =
    error.kind === 'not-sent'
      ? `The tracker at ${call.address} cannot be reached (${error.message}).`
      : `The connection to ${call.address} broke before the answer was whole (${error.message}).`;
  return {
    happened,
    next: 'Check that the tracker is up and that TRACKER_URL is right; tracker-mcp check tells more.',
    isRefusal: false,
  };
}

function explainStatus(error: StatusProblem, call: Call): Explanation {
  const { status } = error;
  if (status < 400) {
    const to = error.location ? `redirects to ${error.location}` : `answers with a redirect (HTTP ${status})`;
    return {
      happened: `${call.address} ${to}; redirects are not followed, since the key would go along.`,
      next: `${redirectAdvice(error.location, call)} A redirect to a login page means that the key is wrong or the API is off.`,
      isRefusal: true,
    };
  }
  if (status === 401 || status === 403) {
    return { happened: `The tracker did not accept the API key (HTTP ${status}).`, next: keyAdvice, isRefusal: true };
  }
  if (status === 404)
    return { happened: `There is no tracker API at ${call.address} (HTTP 404).`, next: urlAdvice, isRefusal: true };
  if (status === 405) {
    return {
      happened: `${call.address} does not take this kind of request (HTTP 405).`,
      next: 'Set TRACKER_METHOD to the other one: post or get.',
      isRefusal: true,
    };
  }
  if (status === 429) {
    const wait = error.retryAfter === undefined ? 'Wait a minute' : `Wait ${error.retryAfter} s`;
    return {
      happened: 'The tracker takes no more requests at the moment (HTTP 429).',
      next: `${wait}, then try again.`,
      isRefusal: true,
    };
  }
  if (status < 500) {
    return {
      happened: `The tracker refused the request (HTTP ${status}).`,
      next: `Check the arguments. ${urlAdvice}`,
      isRefusal: true,
    };
  }
  const wait = error.retryAfter === undefined ? 'Try again later' : `Try again in ${error.retryAfter} s`;
  return {
    happened: `The tracker failed with an error of its own (HTTP ${status}).`,
    next: `${wait}; if it stays so, look into the tracker’s error log.`,
    isRefusal: false,
  };
}

/** The base URL that the redirect shows, where it leads to the same endpoint at another place. */
function redirectAdvice(location: string | undefined, call: Call): string {
  const end = `/api/${call.endpoint.path}`;
  const place = location?.replace(/\/$/, '');
  return place?.endsWith(end) ? `Set TRACKER_URL to ${place.slice(0, -end.length)}` + '.' : urlAdvice;
}

function explainEnd(error: CallEnded | TransportError, call: Call, isWrite: boolean): TrackerFailure {
  const end = error instanceof CallEnded ? error : (error.cause as CallEnded);
  const wasSent = error instanceof CallEnded;
  const happened =
    end.kind === 'cancelled'
      ? 'The call was cancelled.'
      : `The tracker did not answer within ${call.timeoutMs / 1000} s.`;
  if (!isWrite) {
    const outcome = end.kind === 'cancelled' ? 'cancelled' : 'failed';
    return new TrackerFailure(
      outcome,
      happened,
      end.kind === 'cancelled' ? '' : 'Ask for less (a shorter period, fewer reports) or raise TRACKER_TIMEOUT_MS.',
    );
  }
  if (!wasSent) return new TrackerFailure('not-sent', happened, 'Nothing was sent, so it is safe to repeat.');
  return outcomeUnknown(happened, call);
}

function outcomeUnknown(happened: string, call: Call): TrackerFailure {
  const look = call.endpoint.verify
    ? `Look with ${call.endpoint.verify} first`
    : 'The API cannot list predefined pages and offers, so look in the tracker itself first';
  return new TrackerFailure(
    'unknown',
    `Outcome unknown: the request was sent, and nobody can tell whether it was carried out. ${happened}`,
    `It was not sent again. ${look}, and repeat it only if the change is not there.`,
  );
}
