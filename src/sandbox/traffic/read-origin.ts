import { isIP } from 'node:net';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import type { Origin } from './records.ts';
import { readUserAgent } from './user-agent.ts';

/** Codes a proxy uses for "unknown" and for Tor. */
const noCountry = new Set(['XX', 'T1']);

/**
 * Where a visitor comes from. The tracker listens on this machine alone, so whoever connects may speak for the visitor: the
 * first address of X-Forwarded-For counts, else the connection's; the country is that of CF-IPCountry, else unknown.
 */
export function readOrigin(context: Context): Origin {
  const userAgent = context.req.header('user-agent') || null;
  const country = context.req.header('cf-ipcountry')?.toUpperCase() ?? '';
  return {
    ip: readAddress(context),
    country: /^[A-Z][A-Z0-9]$/.test(country) && !noCountry.has(country) ? country : null,
    region: null,
    city: null,
    isp: null,
    userAgent,
    ...readUserAgent(userAgent),
  };
}

function readAddress(context: Context): string | null {
  const forwarded = context.req.header('x-forwarded-for')?.split(',')[0]?.trim() ?? '';
  if (isIP(forwarded)) return forwarded;
  const address = getConnInfo(context).remote.address ?? '';
  return address.replace(/^::ffff:/, '') || null;
}
