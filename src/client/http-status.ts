import { rawText } from '../api/text/tracker-text.ts';
import { loadDecoder } from './answer-reader.ts';
import { AnswerProblem } from './decode/answer-problem.ts';
import type { Question, Secret } from './decode/decode.ts';
import { StatusProblem } from './errors.ts';
import type { HttpResponse } from './http/exchange.ts';
import { readRetryAfter } from './retry.ts';

/**
 * The problem of a response with an HTTP status other than success. The body of an error may explain more than the status.
 *
 * @param address the requested address, for relative redirects
 * @param secret masked in the tracker's message
 */
export async function problemOfStatus(
  response: HttpResponse,
  address: string,
  question: Question,
  secret: Secret,
): Promise<Error> {
  const { status, contentType, bytes } = response;
  const inBody = status < 400 ? undefined : await problemInBody(bytes, contentType, question, secret);
  // With most 4xx statuses, a message means that the tracker refused the request. A time-out, for one, leaves that open.
  const isRefusal = !(status === 404 && isBareText(bytes)) && status < 500 && ![408, 429, 499].includes(status);
  if (inBody && isRefusal) {
    return status === 401
      ? new AnswerProblem('no-access', inBody.reason === null ? '' : rawText(inBody.reason))
      : inBody;
  }
  return new StatusProblem(status, {
    location: response.location === undefined ? undefined : shownAddress(response.location, address, secret),
    retryAfter: readRetryAfter(response.retryAfter),
    reason: inBody?.reason ?? null,
  });
}

/** Longer than any base URL, too short for instructions to an agent. */
const maxAddressLength = 200;

/** @returns null if the redirect does not lead to a web address */
function shownAddress(location: string, address: string, secret: Secret): string | null {
  const to = URL.canParse(location, address) ? new URL(location, address) : undefined;
  if (!to || !/^https?:$/.test(to.protocol)) return null;
  const shown = secret.mask(to.origin + to.pathname);
  return shown.length > maxAddressLength ? `${shown.slice(0, maxAddressLength)}…` : shown;
}

/** Any web server sends "Not found" as bare text; a tracker's API answers in the requested format. */
function isBareText(bytes: Uint8Array): boolean {
  return !/^\s*[[{"<]/.test(new TextDecoder().decode(bytes.subarray(0, 200)));
}

async function problemInBody(
  bytes: Uint8Array,
  contentType: string | undefined,
  question: Question,
  secret: Secret,
): Promise<AnswerProblem | undefined> {
  const { readAnswer } = await loadDecoder();
  try {
    await readAnswer({ bytes, contentType, question, secret });
  } catch (error) {
    if (!(error instanceof AnswerProblem)) throw error;
    if ((error.kind === 'refused' || error.kind === 'no-access') && error.reason !== null) return error;
  }
  return undefined;
}
