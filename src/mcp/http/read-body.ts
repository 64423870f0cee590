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
  if (Number(request.headers.get('content-length')) > maxBytes) return tooLarge();
  let message: unknown;
  try {
    const body = await readRequestBody(request, maxBytes);
    if (body.tooLarge) return tooLarge();
    message = JSON.parse(body.text);
  } catch {
    return errorAnswer(400, codes.parseError, 'The body is no JSON.');
  }
  // Each message of a batch would need what is checked at the door checked again.
  if (Array.isArray(message)) {
    return errorAnswer(400, codes.invalidRequest, 'Batches are not served: send one message a request.');
  }
  return { message };
}
