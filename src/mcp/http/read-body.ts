import { isJsonContentType, readRequestBody } from '@modelcontextprotocol/server';
import { codes, errorAnswer } from './answers.ts';

const maxBytes = 4 * 1024 * 1024;

/** One message of the protocol, of whatever shape. */
export interface Body {
  readonly message: unknown;
}

/** @returns what the body holds, or what to answer in its place */
export async function readBody(request: Request): Promise<Body | Response> {
  if (!isJsonContentType(request.headers.get('content-type'))) {
    return errorAnswer(415, codes.refused, 'The content type must be application/json.');
  }
  const tooLarge = () =>
    errorAnswer(413, codes.refused, 'The body is larger than 4 MB.', { headers: { connection: 'close' } });
  let message: unknown;
  try {
    const text = await readText(request);
    if (text === undefined) return tooLarge();
    message = JSON.parse(text);
  } catch {
    return errorAnswer(400, codes.parseError, 'The body is no JSON.');
  }
  // Each message of a batch would need what is checked at the door checked again.
  if (Array.isArray(message)) {
    return errorAnswer(400, codes.invalidRequest, 'Batches are not served: send one message a request.');
  }
  return { message };
}

/**
 * Of a body whose length is known no more than that comes through, and it is taken whole. Any other is counted as it comes in,
 * which costs a stream.
 *
 * @returns undefined where it is too large
 */
async function readText(request: Request): Promise<string | undefined> {
  const length = request.headers.get('content-length');
  if (length !== null) return Number(length) > maxBytes ? undefined : request.text();
  const body = await readRequestBody(request, maxBytes);
  return body.tooLarge ? undefined : body.text;
}
