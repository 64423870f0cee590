import { rawText } from '../api/text/tracker-text.ts';
import { AnswerProblem } from './decode/answer-problem.ts';
import { decode, type Question, type Secret } from './decode/decode.ts';
import { StatusProblem } from './errors.ts';
import type { HttpResponse } from './http/exchange.ts';
import { readRetryAfter } from './retry.ts';

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
  const shown = secret.takeOut(to.origin + to.pathname);
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
    await decode(bytes, contentType, question, secret);
  } catch (error) {
    if (!(error instanceof AnswerProblem)) throw error;
    if ((error.kind === 'refused' || error.kind === 'no-access') && error.said !== null) return error;
  }
  return undefined;
}
