import { isIP } from 'node:net';
import type { Origin } from '../rotation/records.ts';
import { readUserAgent } from './user-agent.ts';
import type { VisitorRequest } from './visitor-request.ts';

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
