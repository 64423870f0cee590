import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import bowser from 'bowser';
import { LRUCache } from 'lru-cache';
import type { Origin } from '../rotation/records.ts';
import { TurnedAway } from './answers.ts';

export interface VisitorRequest {
  readonly method: string;
  /** A parameter, the first of that name; null if it is not there. */
  readonly parameter: (name: string) => string | null;
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
}

const maxFormBytes = 64 * 1024;

/**
 * Reads a request: parameters of the query string, and on a POST of the form-encoded body, which wins. Throws TurnedAway if a
 * body is too large or ends early.
 */
export async function readRequest(incoming: IncomingMessage): Promise<VisitorRequest> {
  const { method = '', url = '', headers, socket } = incoming;
  const query = new URLSearchParams(/\?.*/.exec(url)?.[0]);
  const form = new URLSearchParams(method === 'POST' ? await readBody(incoming) : '');
  const parameter = (name: string) => form.get(name) ?? query.get(name);
  return { method, parameter, headers, address: socket.remoteAddress ?? '' };
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
    // The client is gone, but the request is counted.
    incoming.on('error', () => reject(new TurnedAway('cut-off', 'The request body ended early.')));
  });
}

/** Codes a proxy uses for "unknown" and for Tor. */
const noCountry = new Set(['XX', 'T1']);

/**
 * The tracker listens on this machine only, so headers are trusted: the first address of X-Forwarded-For counts, else that of
 * the connection; the country is that of CF-IPCountry, else unknown.
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
