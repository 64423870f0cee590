import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parameterFinder } from './query-string.ts';
import { TurnedAway } from './turned-away.ts';

/** A request of a visitor or an offer source. */
export interface VisitorRequest {
  readonly method: string;
  /** A parameter, the first of that name; null where it is not there. */
  readonly parameter: (name: string) => string | null;
  readonly headers: IncomingHttpHeaders;
  /** The address of whoever connected. */
  readonly address: string;
}

const maxFormBytes = 64 * 1024;

/**
 * Reads a request. Parameters come from the query string, and of a POST from its form-encoded body too, which wins.
 *
 * @throws TurnedAway where a body is too large, or does not come to its end
 */
export function readRequest(incoming: IncomingMessage): VisitorRequest | Promise<VisitorRequest> {
  const { method = '', url = '', headers, socket } = incoming;
  const start = url.indexOf('?');
  const inQuery = parameterFinder(start < 0 ? '' : url.slice(start + 1));
  const request = { method, parameter: inQuery, headers, address: socket.remoteAddress ?? '' };
  if (method !== 'POST') return request;
  return readBody(incoming).then((form) => {
    const inForm = parameterFinder(form);
    return { ...request, parameter: (name) => inForm(name) ?? inQuery(name) };
  });
}

function readBody(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    incoming.on('data', (part: Buffer) => {
      size += part.length;
      parts.push(part);
      if (size <= maxFormBytes) return;
      incoming.pause();
      reject(new TurnedAway('too-large', `The request body is over ${maxFormBytes / 1024} KB.`));
    });
    incoming.on('end', () => resolve(Buffer.concat(parts).toString()));
    // Whoever hung up is answered into the void, and counted.
    incoming.on('error', () => reject(new TurnedAway('cut-off', 'The request body ended early.')));
  });
}
