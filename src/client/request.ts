import { type Endpoint, type WireParameters, wireParameters } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import { keptByName } from '../api/text/kept-by-name.ts';
import type { HttpMessage } from './http/exchange.ts';

export interface Tracker {
  /** The base URL, without a trailing slash. */
  readonly url: string;
  readonly apiKey: string;
}

export interface RequestStyle {
  readonly method: 'post' | 'get';
  readonly format: 'json' | 'xml';
}

const placeOf = keptByName((address) => {
  const { origin, pathname: path } = new URL(address);
  return { origin, path };
});

/** Shown in place of the key. */
const keyMask = '***';

/**
 * One request to the tracker. The same object is shown in a dry run, agreed to by a person, recorded in the audit trail,
 * quoted in a failure and sent.
 *
 * It never holds the key, which is added only for the socket, so printing, logging or storing a request cannot show it.
 * It holds no address either: an embedded tracker has none before it is started.
 */
export class TrackerRequest {
  readonly endpoint: Endpoint;
  /** The parameters as they are sent, in that order, with the key masked. */
  readonly shown: WireParameters;
  /** The caller's arguments by name. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly #method: RequestStyle['method'];

  constructor(endpoint: Endpoint, given: Readonly<Record<string, unknown>>, { method, format }: RequestStyle) {
    const inexact = Object.entries(given).find(([, value]) => Number.isInteger(value) && !Number.isSafeInteger(value));
    if (inexact) {
      throw new Failure(
        `${endpoint.name} was not sent: its ${inexact[0].replaceAll('_', ' ')} has more digits than can be sent without a change.`,
      );
    }
    this.endpoint = endpoint;
    this.shown = Object.freeze({ key: keyMask, format, ...wireParameters(endpoint, given) });
    this.arguments = Object.freeze({ ...given });
    this.#method = method;
  }

  /** The requested reports, if the caller named any. */
  get reports(): readonly string[] | undefined {
    const { reports } = this.arguments;
    return Array.isArray(reports) ? reports.map(String) : undefined;
  }

  /** Identifies what is asked, whatever the order of the parameters. */
  get question(): string {
    const sorted = Object.entries(this.shown).sort(([one], [other]) => (one < other ? -1 : 1));
    return this.endpoint.path + JSON.stringify(sorted);
  }

  addressAt(baseUrl: string): string {
    return `${baseUrl}/api/${this.endpoint.path}/`;
  }

  /** The message for the socket. Only `check` asks without a key. */
  messageTo({ url, apiKey }: Pick<Tracker, 'url'> & Partial<Tracker>): HttpMessage {
    const { key: _, ...rest } = this.shown;
    const form = new URLSearchParams(apiKey === undefined ? rest : { ...this.shown, key: apiKey }).toString();
    const { origin, path } = placeOf(this.addressAt(url));
    if (this.#method === 'get') return { method: 'GET', origin, path: `${path}?${form}` };
    return { method: 'POST', origin, path, body: form };
  }
}
