import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import bowser from 'bowser';
import { LRUCache } from 'lru-cache';
import { Failure } from '../../api/failure.ts';
import type { Origin } from '../rotation/records.ts';
import { readParameters } from '../wire.ts';

/** The requests of visitors and offer sources, and the answers to them. Those of API clients are read and sent in the same way. */

export interface VisitorRequest {
  readonly method: string;
  readonly parameter: (name: string) => string | null;
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
}

const maxForm = { bytes: 64 * 1024, words: '64 KB' };

/**
 * Reads the parameters of the query string, and on a POST also those of the body.
 *
 * @throws TurnedAway if the body is too large or ends early
 */
export async function readRequest(incoming: IncomingMessage): Promise<VisitorRequest> {
  const { method = '', url = '', headers, socket } = incoming;
  const parameters = readParameters(
    /\?.*/.exec(url)?.[0] ?? '',
    method === 'POST' ? await readBody(incoming, maxForm) : '',
  );
  const parameter = (name: string) => parameters.get(name) ?? null;
  return { method, parameter, headers, address: socket.remoteAddress ?? '' };
}

/** @throws TurnedAway if the body is too large or ends early */
export function readBody(incoming: IncomingMessage, max: typeof maxForm): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    incoming.on('data', (part: Buffer) => {
      size += part.length;
      parts.push(part);
      if (size <= max.bytes) return;
      incoming.pause();
      // The unread rest of the body would be taken for the next request of a connection that stays open.
      const headers = ['Connection', 'close'];
      reject(new TurnedAway(413, `The request body is over ${max.words}.`, '', headers));
    });
    incoming.on('end', () => resolve(Buffer.concat(parts).toString()));
    incoming.on('error', () => reject(new TurnedAway(400, 'The request body ended early.')));
  });
}

/** HEAD is rejected too: it checks a link, and is not a visit. */
export function requireMethod({ method }: VisitorRequest, methods: readonly string[]): void {
  if (methods.includes(method)) return;
  throw new TurnedAway(405, `This address takes ${methods.join(' or ')}.`, '', ['Allow', methods.join(', ')]);
}

export function readId(text: string | null, parameter: string, meaning: string): number {
  if (text && /^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new TurnedAway(400, `${parameter} must be ${meaning}, a whole number from 1.`);
}

/** Country codes that proxies use for "unknown" and for Tor. */
const noCountry = ['XX', 'T1'];

/**
 * Headers are trusted, because the tracker listens on this machine only. The address is the first one of X-Forwarded-For, or
 * that of the connection; the country is that of CF-IPCountry.
 */
export function readOrigin({ headers, address }: VisitorRequest): Origin {
  const userAgent = headers['user-agent'] || null;
  const country = textOf(headers['cf-ipcountry']).toUpperCase();
  return {
    ip: readAddress(textOf(headers['x-forwarded-for']), address),
    country: /^[A-Z][A-Z0-9]$/.test(country) && !noCountry.includes(country) ? country : null,
    region: null,
    city: null,
    isp: null,
    userAgent,
    ...readUserAgent(userAgent),
  };
}

/** Node joins repeated headers of these names, but its types do not know that. */
function textOf(header: string | string[] | undefined): string {
  return typeof header === 'string' ? header : '';
}

function readAddress(forwardedFor: string, address: string): string | null {
  const forwarded = forwardedFor.split(',', 1)[0]?.trim() ?? '';
  if (isIP(forwarded)) return forwarded;
  return address.replace(/^::ffff:/, '') || null;
}

const deviceNames: Readonly<Record<string, string>> = {
  desktop: 'Desktop',
  mobile: 'Mobile',
  tablet: 'Tablet',
  tv: 'TV',
  bot: 'Bot',
};
/** More than any browser sends: the time that the parser's patterns take grows with the text. */
const maxUserAgentLength = 1000;

type Equipment = Pick<Origin, 'device' | 'os' | 'browser'>;

/** Parsing takes as long as all the rest of a redirect. */
const equipmentByUserAgent = new LRUCache<string, Equipment>({ max: 2000, memoMethod: parseUserAgent });

/** Recognises device, operating system and browser; null where the user agent does not tell. */
export function readUserAgent(userAgent: string | null): Equipment {
  if (!userAgent) return { device: null, os: null, browser: null };
  return equipmentByUserAgent.memo(userAgent.slice(0, maxUserAgentLength));
}

function parseUserAgent(userAgent: string): Equipment {
  const { platform, os, browser } = bowser.parse(userAgent);
  return {
    device: deviceNames[platform.type ?? ''] ?? null,
    os: os.name || null,
    browser: browser.name || null,
  };
}

export interface Answer {
  readonly status: number;
  /** Names and values alternate, as Node's `writeHead` takes them. */
  readonly headers: readonly string[];
  readonly body: string | Buffer;
}

/** The cookie by which a landing page's visitor is recognised. Its value is the SubID. */
export const subidCookie = 'tracker_subid';

/** A header of redirects with the page ID, for `sandbox traffic`: pages may share a URL. */
export const pageHeader = 'tracker-page';

export function redirect(url: string, pageId: number, cookies: readonly string[] = []): Answer {
  // A header cannot hold other characters, and in a URL they may be percent-encoded.
  const location = url.replace(/[^\x21-\x7E]+/g, encodeURIComponent);
  const headers = [
    ...['Location', location, 'Cache-Control', 'no-store', pageHeader, String(pageId), 'Content-Length', '0'],
    ...cookies.flatMap((cookie) => ['Set-Cookie', cookie]),
  ];
  return { status: 302, headers, body: '' };
}

export function plainText(text: string, status: number, headers: readonly string[] = []): Answer {
  return {
    status,
    headers: [
      ...['Content-Type', 'text/plain; charset=UTF-8', 'X-Content-Type-Options', 'nosniff'],
      ...['Cache-Control', 'no-store', 'Content-Length', String(Buffer.byteLength(text) + 1)],
      ...headers,
    ],
    body: `${text}\n`,
  };
}

export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, [...headers]);
  response.end(body);
}

/** Nothing is recorded of the request. The message is for the person who set up the link or the postback. */
export class TurnedAway extends Failure {
  override readonly name = 'TurnedAway';
  readonly status: number;
  readonly headers: readonly string[];

  constructor(status: number, happened: string, next = '', headers: readonly string[] = []) {
    super(happened, next);
    this.status = status;
    this.headers = headers;
  }
}
