import type { ServerResponse } from 'node:http';
import { Failure } from '../../api/failure.ts';
import type { Campaign } from '../rotation/choose-page.ts';

export interface Answer {
  readonly status: number;
  /** As Node's `writeHead` takes them: names and values in turns. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** The cookie that tells a landing page's visitor by the SubID. */
export const subidCookie = 'tracker_subid';

/** The header of a redirect that names the page ID, for visitors that are made up: pages may share a URL. */
export const pageHeader = 'tracker-page';

export function requireActive(campaign: Campaign): void {
  if (!campaign.active) throw new TurnedAway('inactive-campaign', `Campaign ${campaign.id} is inactive.`);
}

/** HEAD is turned away, too: it checks a link, and visits nothing. */
export function requireMethod({ method }: { readonly method: string }, methods: readonly string[]): void {
  if (methods.includes(method)) return;
  throw new TurnedAway('wrong-method', `This address takes ${methods.join(' or ')}.`, '', methods);
}

export function readId(text: string | null, parameter: string, meaning: string): number {
  if (text && /^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new TurnedAway('malformed', `${parameter} must be ${meaning}, a whole number from 1.`);
}

export function redirect(url: string, pageId: number, cookies: readonly string[] = []): Answer {
  // A header holds no other characters; the reader of a URL takes them percent-encoded.
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
  response.writeHead(status, headers as string[]);
  response.end(body);
}

/** Why a visitor or offer source is turned away, with the HTTP status of the answer. */
export const reasons = {
  malformed: 400,
  'cut-off': 400,
  'wrong-key': 403,
  'unknown-campaign': 404,
  'inactive-campaign': 404,
  'unknown-subid': 404,
  'unknown-page': 404,
  'no-page': 404,
  'wrong-method': 405,
  'too-large': 413,
  overloaded: 503,
} as const;
export type Reason = keyof typeof reasons;

/** Nothing is recorded of the request. The message is for the person who set up the link or the postback. */
export class TurnedAway extends Failure {
  override readonly name = 'TurnedAway';
  readonly reason: Reason;
  /** The methods that the address takes, if it was asked with another. */
  readonly allowed: readonly string[] | undefined;

  constructor(reason: Reason, happened: string, next = '', allowed?: readonly string[]) {
    super(happened, next);
    this.reason = reason;
    this.allowed = allowed;
  }
}
