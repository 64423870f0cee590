import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Random } from '../rotation/random.ts';
import type { KnownVisitors } from './known-visitors.ts';
import { parameterFinder } from './query-string.ts';
import type { Recorder } from './recorder.ts';

/** A request of a visitor or an offer source. */
export interface VisitorRequest {
  readonly method: string;
  /** A parameter of the query string, the first of that name; null where it is not there. */
  readonly parameter: (name: string) => string | null;
  readonly headers: IncomingHttpHeaders;
  /** The address of whoever connected. */
  readonly address: string;
}

/** What the requests of live traffic work with. */
export interface TrafficServices {
  readonly visitors: KnownVisitors;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly now: () => Date;
}

/** Reads a request; parameters come from the query string, also of a POST. */
export function readRequest({ method = '', url = '', headers, socket }: IncomingMessage): VisitorRequest {
  const start = url.indexOf('?');
  const parameter = parameterFinder(start < 0 ? '' : url.slice(start + 1));
  return { method, parameter, headers, address: socket.remoteAddress ?? '' };
}
