import { isIP, connect as openSocket, type Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import { within } from '../api/deadline.ts';
import { dayMs } from '../api/durations.ts';
import { endpointNamed } from '../api/endpoints.ts';
import { countInWords } from '../api/rules.ts';
import { loadDecoder } from './answer-reader.ts';
import type { BodyKind } from './decode/body.ts';
import { openConnections } from './http/connections.ts';
import { exchange, type HttpResponse } from './http/exchange.ts';
import { proxyFor } from './proxies.ts';
import { maxInFlight } from './queue.ts';
import { type RequestStyle, type Tracker, TrackerRequest } from './request.ts';

export type { HttpResponse } from './http/exchange.ts';

/** The result of one check, and what is wrong. */
export interface Finding {
  readonly message: string;
  readonly problem?: string;
}

const maxWaitMs = 10_000;
/** A certificate that expires sooner gets a warning. */
const soonDays = 14;

const connectionProblems: Readonly<Record<string, string>> = {
  ENOTFOUND: 'There is no host of this name. Check TRACKER_URL for a typo.',
  EAI_AGAIN: 'Names cannot be looked up at the moment. Check the network and its DNS.',
  ECONNREFUSED: 'Nothing listens at this port. Check the port in TRACKER_URL, and that the tracker’s web server runs.',
  ETIMEDOUT: 'Nothing answers. Check TRACKER_URL, and the firewalls in between.',
  EHOSTUNREACH: 'There is no route to it. Check the network, or a VPN that it needs.',
  ENETUNREACH: 'There is no route to it. Check the network, or a VPN that it needs.',
};

export async function reachHost(url: URL): Promise<Finding> {
  const { host, port } = hostAndPort(url);
  const start = performance.now();
  const socket = openSocket({ host, port });
  try {
    await waitFor(socket, 'connect');
    const ms = Math.round(performance.now() - start);
    return { message: `${host} is ${socket.remoteAddress}, port ${port} is open, ${ms} ms away.` };
  } catch (error) {
    const code = codeOf(error);
    return {
      message: `${host}, port ${port}: ${code}.`,
      problem: connectionProblems[code] ?? 'Check TRACKER_URL and the network.',
    };
  } finally {
    socket.destroy();
  }
}

/**
 * Checks the certificate of an https address: whether it is trusted here, and for how long it is valid.
 *
 * @returns also whether there was no encrypted connection at all
 */
export async function checkCertificate(url: URL, now: Date): Promise<Finding & { readonly isPlain?: true }> {
  const { host, port } = hostAndPort(url);
  // The certificate is only inspected: nothing is sent over this connection.
  const socket = openTls({ host, port, rejectUnauthorized: false, ...(isIP(host) ? {} : { servername: host }) });
  try {
    await waitFor(socket, 'secureConnect');
    const until = new Date(socket.getPeerCertificate().valid_to);
    const days = Math.floor((until.getTime() - now.getTime()) / dayMs);
    if (!socket.authorized) {
      return {
        message: `The certificate is not trusted: ${codeOf(socket.authorizationError)}.`,
        problem:
          days < 0
            ? `It expired ${countInWords(-days, 'day')} ago: renew it at the tracker.`
            : 'Correct it at the tracker; if your own authority issued it, name the authority’s file in NODE_EXTRA_CA_CERTS.',
      };
    }
    const renew = days <= soonDays ? ' Renew it soon.' : '';
    return {
      message: `${socket.getProtocol()}, the certificate is valid for ${countInWords(days, 'more day')}.${renew}`,
    };
  } catch (error) {
    return {
      message: `No encrypted connection: ${codeOf(error)}.`,
      problem: 'Use https:// in TRACKER_URL only if the tracker supports it.',
      isPlain: true,
    };
  } finally {
    socket.destroy();
  }
}

const campaignList = endpointNamed('list_campaigns');

/** Asks for the campaign list once, without a key if none is given. Returns any response; undefined if there is none. */
export async function askOnce(
  tracker: Pick<Tracker, 'url'> & Partial<Tracker>,
  style: RequestStyle,
  timeoutMs: number,
): Promise<HttpResponse | undefined> {
  const request = new TrackerRequest(campaignList, {}, style);
  try {
    const { reads } = await openConnections(maxInFlight);
    return await within(timeoutMs, (deadline) => exchange(reads, { ...request.messageTo(tracker), deadline }));
  } catch {
    return undefined;
  }
}

/** The format that a tracker sends; some ignore the requested one. */
export async function sentFormat(
  tracker: Tracker,
  style: RequestStyle,
  timeoutMs: number,
): Promise<BodyKind | 'nothing'> {
  const response = await askOnce(tracker, style, timeoutMs);
  if (!response) return 'nothing';
  const { readBody } = await loadDecoder();
  return readBody(response.bytes, response.contentType).kind;
}

/** Whether calls to this address go through a proxy that the environment names. */
export function isProxied(url: URL): boolean {
  return proxyFor(url) !== undefined;
}

function hostAndPort(url: URL): { host: string; port: number } {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) };
}

function waitFor(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve);
    socket.once('error', reject);
    socket.setTimeout(maxWaitMs, () => reject(Object.assign(new Error(), { code: 'ETIMEDOUT' })));
  });
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  // If a host has several addresses, their errors come inside one error.
  const [first] = 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  if ('code' in error && error.code) return String(error.code);
  return first === undefined ? String('message' in error ? error.message : error) : codeOf(first);
}
