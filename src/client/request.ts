import { type Endpoint, type WireParameters, wireParameters } from '../api/endpoints.ts';
import { memoize } from '../api/text/names.ts';
import type { HttpMessage } from './http/exchange.ts';

export interface Tracker {
  /** Base URL without a slash at its end. */
  readonly url: string;
  readonly apiKey: string;
}

export interface RequestStyle {
  readonly method: 'post' | 'get';
  readonly format: 'json' | 'xml';
}

/** Stands for the key wherever a request is shown. */
const keyMask = '***';

/**
 * One request to the tracker, made once: a dry run shows it, a person agrees to it, the audit trail records it, a failure
 * quotes it and the socket sends it.
 *
 * It never holds the key. The key takes the place of its mask in the bytes for the socket and nowhere else, so whatever
 * prints, logs or stores a request cannot show it. It does not hold the address either: an embedded tracker has none before
 * it is started.
 */
export class TrackerRequest {
  readonly endpoint: Endpoint;
  /** The parameters exactly as they are sent and in that order, with the key masked. */
  readonly shown: WireParameters;
  /** What the caller gave, by the names of arguments. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly #method: RequestStyle['method'];

  constructor(endpoint: Endpoint, given: Readonly<Record<string, unknown>>, { method, format }: RequestStyle) {
    this.endpoint = endpoint;
    this.shown = Object.freeze({ key: keyMask, format, ...wireParameters(endpoint, given) });
    this.arguments = Object.freeze({ ...given });
    this.#method = method;
  }

  /** The reports asked for, if the caller named some: a reply to one report need not name it. */
  get reports(): readonly string[] | undefined {
    const { reports } = this.arguments;
    return Array.isArray(reports) ? reports.map(String) : undefined;
  }

  /** What is asked, whatever the order of its parameters: equal questions have one answer. */
  get question(): string {
    const sorted = Object.entries(this.shown).sort(([one], [other]) => (one < other ? -1 : 1));
    return this.endpoint.path + JSON.stringify(sorted);
  }

  addressAt(baseUrl: string): string {
    return `${baseUrl}/api/${this.endpoint.path}/`;
  }

  /** What the socket sends to a tracker; a tracker without a key, which only `check` asks, is sent none. */
  messageTo({ url, apiKey }: Pick<Tracker, 'url'> & Partial<Tracker>): HttpMessage {
    const { key: _, ...rest } = this.shown;
    const form = new URLSearchParams(apiKey === undefined ? rest : { ...this.shown, key: apiKey }).toString();
    const { origin, pathname: path } = parsedAddress(this.addressAt(url));
    if (this.#method === 'get') return { method: 'GET', origin, path: `${path}?${form}` };
    return { method: 'POST', origin, path, body: form };
  }
}

/** There are as many as endpoints. */
const parsedAddress = memoize((address) => new URL(address));

/** A request on one line, as a person reads it: its path and every parameter, the key masked. */
export function requestLine({ endpoint, shown }: Pick<TrackerRequest, 'endpoint' | 'shown'>): string {
  const parameters = Object.entries(shown).map(([name, value]) => `${name}=${value}`);
  return `api/${endpoint.path}: ${parameters.join(' ')}`;
}
