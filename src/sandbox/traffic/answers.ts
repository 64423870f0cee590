import type { Context } from 'hono';
import type { Campaign } from './campaign.ts';
import { type Reason, type reasons, TurnedAway } from './turned-away.ts';

/** The cookie that tells a landing page's visitor by the SubID. */
export const subidCookie = 'tracker_subid';

/** A SubID that was not given out, or not to this tracker's visitors. */
export function unknownSubid(): TurnedAway {
  return new TurnedAway(
    'unknown-subid',
    'No visitor has this subid.',
    'Send back the whole subID as it was passed on.',
  );
}

/** @throws TurnedAway where the campaign is inactive */
export function requireActive(campaign: Campaign): void {
  if (!campaign.active) throw new TurnedAway('inactive-campaign', `Campaign ${campaign.id} is inactive.`);
}

/** A HEAD request is one of those turned away: whoever asks for no more is checking a link, and visits nothing. */
export function requireMethod(context: Context, methods: readonly string[]): void {
  if (methods.includes(context.req.method)) return;
  context.header('Allow', methods.join(', '));
  throw new TurnedAway('wrong-method', `This address takes ${methods.join(' or ')}.`);
}

/** @throws TurnedAway where the text is no ID */
export function readId(text: string | null, parameter: string, meaning: string): number {
  if (text && /^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new TurnedAway('malformed', `${parameter} must be ${meaning}, a whole number from 1.`);
}

/** The parameters of a request: its query string, also of a POST. */
export function readQuery(context: Context): URLSearchParams {
  const { url } = context.req;
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}

/** @param cookies Set-Cookie headers */
export function redirect(url: string, cookies: readonly string[] = []): Response {
  // A header holds no other characters; the reader of a URL takes them percent-encoded.
  const location = url.replace(/[^\x21-\x7E]+/g, encodeURIComponent);
  const [first, ...others] = cookies;
  const headers = { Location: location, 'Cache-Control': 'no-store', ...(first && { 'Set-Cookie': first }) };
  const response = new Response(null, { status: 302, headers });
  for (const cookie of others) response.headers.append('Set-Cookie', cookie);
  return response;
}

export function plainText(context: Context, text: string, status: 200 | 500 | (typeof reasons)[Reason]): Response {
  context.header('Cache-Control', 'no-store');
  context.header('X-Content-Type-Options', 'nosniff');
  return context.text(`${text}\n`, status);
}
