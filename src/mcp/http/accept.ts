import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isRecord, parseJson } from '../../api/text/json.ts';
import { errorResponse, httpErrorCodes, requestIdOf } from '../messages.ts';

/** The two forms of an answer: one JSON message, or a stream of events. */
const forms = { json: 'application/json', stream: 'text/event-stream' } as const;

/** Which forms a client takes. */
export type Accepted = Readonly<Record<keyof typeof forms, boolean>>;

/** Reads an Accept header by RFC 9110: the most specific range that names a form decides, and without a header all is accepted. */
export function readAccept(header: string | null): Accepted {
  // A quoted text may hold the marks between parts.
  const parts = header?.replace(/"[^"]*"/g, '').match(/[^,\s][^,]*/g);
  if (!parts) return { json: true, stream: true };
  const qualities = new Map<string, number>();
  for (const part of parts) {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.findIndex((parameter) => parameter.startsWith('q='));
    const quality = Number(parameters[weight]?.slice(2) || 1);
    // A range with parameters, such as `version=2`, is not the form that is served: to refuse it says nothing of that.
    if (quality === 0 && weight > 0) continue;
    qualities.set(range, Math.max(Number.isNaN(quality) ? 1 : quality, qualities.get(range) ?? 0));
  }
  const isAccepted = (form: string) => {
    const ranges = [form, form.replace(/\/.*/, '/*'), '*/*', '*'];
    return (ranges.map((range) => qualities.get(range)).find((quality) => quality !== undefined) ?? 0) > 0;
  };
  return { json: isAccepted(forms.json), stream: isAccepted(forms.stream) };
}

/** Refuses a request whose client takes no form of the answer. */
export function refuseForms(accepted: Accepted, message: unknown): Response | undefined {
  const id = requestIdOf(message);
  const isTaken = accepted.stream || (accepted.json && !isSubscription(message));
  if (id === null || isTaken) return undefined;
  const text = `The Accept header takes no form in which this is answered; take ${forms.json} and ${forms.stream}.`;
  return errorResponse(406, httpErrorCodes.refused, text, { id });
}

/** Only a stream can answer a subscription, because it never ends. */
function isSubscription(message: unknown): boolean {
  return isRecord(message) && message['method'] === 'subscriptions/listen';
}

/** Writes the Accept header as the SDK looks for it: it only compares text, and wants both forms of every POST. */
export function normalizeAccept(request: Request, accepted: Accepted): void {
  const { json, stream } = forms;
  const isStream = request.method === 'GET';
  request.headers.set('accept', isStream ? (accepted.stream ? stream : json) : `${json}, ${stream}`);
}

/** The message for a client without streams: what only a stream could carry is not asked for. */
export function withoutStream(message: unknown): unknown {
  if (!isRecord(message) || !isRecord(message['params'])) return message;
  const { params } = message;
  const without = (name: string, part: string) => {
    const { [name]: record } = params;
    if (!isRecord(record)) return {};
    const { [part]: _, ...others } = record;
    return { [name]: others };
  };
  return {
    ...message,
    params: { ...params, ...without('_meta', 'progressToken'), ...without('capabilities', 'elicitation') },
  };
}

/** The response in a form that the client takes. */
export async function inForm(response: Response, accepted: Accepted, message: unknown): Promise<Response> {
  const isStream = response.headers.get('content-type')?.startsWith(forms.stream) ?? false;
  if (response.status !== 200 || response.body === null || accepted[isStream ? 'stream' : 'json']) return response;
  const text = await response.text();
  if (!isStream) return withType(response, forms.stream, `event: message\ndata: ${text}\n\n`);
  const answer = answerIn(text);
  if (answer !== undefined) return withType(response, forms.json, answer);
  const id = requestIdOf(message);
  return errorResponse(500, ProtocolErrorCode.InternalError, 'The request was not answered.', { id });
}

/**
 * Holds the head of a stream back until its first event. Some proxies lose an answer whose head arrives while they still look for
 * the request's end: ReverseProxy of Go, and with it Caddy, then ends the stream as if nothing came.
 */
export async function withFirstEvent(response: Response): Promise<Response> {
  if (response.body === null || !response.headers.get('content-type')?.startsWith(forms.stream)) return response;
  const reader = response.body.getReader();
  const first = await reader.read();
  const body = new ReadableStream({
    start: (controller) => (first.done ? controller.close() : controller.enqueue(first.value)),
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}

function withType(response: Response, type: string, text: string): Response {
  const headers = new Headers(response.headers);
  headers.set('content-type', type);
  headers.delete('content-length');
  return new Response(text, { status: response.status, headers });
}

/** The answer among the events of a stream, as JSON. */
function answerIn(events: string): string | undefined {
  const messages = events.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []));
  return messages.find((text) => {
    const message = parseJson(text);
    return isRecord(message) && ('result' in message || 'error' in message);
  });
}
