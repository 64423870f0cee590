import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import bowser from 'bowser';
import { LRUCache } from 'lru-cache';
import type { Origin } from '../rotation/records.ts';
import { TurnedAway } from './answers.ts';

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

/** Codes a proxy uses for "unknown" and for Tor. */
const noCountry = new Set(['XX', 'T1']);

/**
 * Where a visitor comes from. The tracker listens on this machine alone, so whoever connects may speak for the visitor: the
 * first address of X-Forwarded-For counts, else the connection's; the country is that of CF-IPCountry, else unknown.
 */
export function readOrigin({ headers, address }: VisitorRequest): Origin {
  const userAgent = headers['user-agent'] || null;
  const country = textOf(headers['cf-ipcountry']).toUpperCase();
  return {
    ip: readAddress(textOf(headers['x-forwarded-for']), address),
    country: /^[A-Z][A-Z0-9]$/.test(country) && !noCountry.has(country) ? country : null,
    region: null,
    city: null,
    isp: null,
    userAgent,
    ...readUserAgent(userAgent),
  };
}

/** Node joins what it has several of, but its types do not say so. */
function textOf(header: string | string[] | undefined): string {
  return typeof header === 'string' ? header : '';
}

function readAddress(forwardedFor: string, address: string): string | null {
  const forwarded = forwardedFor.split(',', 1)[0]?.trim() ?? '';
  if (forwarded && isIP(forwarded)) return forwarded;
  return address.replace(/^::ffff:/, '') || null;
}

type Equipment = Pick<Origin, 'device' | 'os' | 'browser'>;

const deviceNames: Readonly<Record<string, string>> = {
  desktop: 'Desktop',
  mobile: 'Mobile',
  tablet: 'Tablet',
  tv: 'TV',
  bot: 'Bot',
};
const unknown: Equipment = { device: null, os: null, browser: null };
const longest = 1000;
const known = new LRUCache<string, Equipment>({ max: 2000 });

/** Device, operating system and browser by their user agent; null what it does not tell. */
export function readUserAgent(userAgent: string | null): Equipment {
  // A parser of patterns is given only as much as a browser would send.
  const text = userAgent?.slice(0, longest);
  if (!text) return unknown;
  const before = known.get(text);
  if (before) return before;
  const { platform, os, browser } = bowser.parse(text);
  const equipment: Equipment = {
    device: deviceNames[platform.type ?? ''] ?? null,
    os: os.name || null,
    browser: browser.name || null,
  };
  known.set(text, equipment);
  return equipment;
}

/**
 * Finds parameters in a query string: the first of a name, decoded; null where it is not there. A redirect needs a few out of
 * many, once each, so they are looked for rather than parsed, which takes a fraction of the time of URLSearchParams.
 *
 * @param query without the question mark
 */
export function parameterFinder(query: string): (name: string) => string | null {
  // A name that is written with escapes is found only when all is decoded; links have no such names but by accident.
  if (/(?:^|&)[^=&]*[%+]/.test(query)) {
    const parameters = new URLSearchParams(query);
    return (name) => parameters.get(name);
  }
  return (name) => {
    for (let start = 0; start <= query.length; ) {
      const end = query.indexOf('&', start);
      const stop = end < 0 ? query.length : end;
      if (query.startsWith(name, start)) {
        const after = start + name.length;
        if (query.charCodeAt(after) === equals) return decode(query.slice(after + 1, stop));
        if (after === stop) return '';
      }
      start = stop + 1;
    }
    return null;
  };
}

const equals = '='.charCodeAt(0);

function decode(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  return new URLSearchParams(`v=${text}`).get('v') ?? '';
}
