import { InvalidArgumentError } from 'commander';
import { Agent, EnvHttpProxyAgent, request } from 'undici';
import * as z from 'zod';
import { within } from '../../api/deadline.ts';
import { Failure } from '../../api/failure.ts';
import { parseJson } from '../../api/text/json.ts';
import { isProxied } from '../../client/probe.ts';
import { proxyOptions } from '../../client/proxies.ts';
import { isLoopbackHost } from '../../config.ts';
import { printToStderr } from '../process.ts';
import { askSecret } from '../terminal/ask.ts';

/** A server for a team, as a client reaches it. */
export interface RemoteServer {
  readonly url: string;
  /** With a token, or without one if the client signs in by itself. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads the address of a server. One without a path is meant with /mcp. */
export function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError('It must be a URL such as https://mcp.example.com/mcp.');
  }
  if (url.pathname === '/') url.pathname = '/mcp';
  return url.href;
}

/**
 * Asks for the token of a person, and checks that the server takes it.
 *
 * @throws Failure if it does not
 */
export async function askForRemote(url: string): Promise<RemoteServer> {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !isLoopbackHost(hostname)) {
    printToStderr(`${url} is not encrypted: anyone on the way can read the token.`);
  }
  const token = await askSecret('Your token (it is not shown; leave it empty to sign in by OAuth): ');
  if (token === undefined) throw new Failure(nothingChanged);
  if (token !== '' && !/^[\w~+/.=-]+$/.test(token)) {
    throw new Failure('That is no token: it has characters that no token has, such as spaces.', nothingChanged);
  }
  const server = { url, headers: token === '' ? {} : { Authorization: `Bearer ${token}` } };
  await check(server);
  return server;
}

const nothingChanged = 'Nothing was changed.';

const maxCheckMs = 15_000;
const maxReplyBytes = 1024 * 1024;

const reply = z.object({ result: z.unknown().optional(), error: z.object({ message: z.string() }).optional() });

const greeting = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'tracker-mcp install', version: '1' },
  },
});

/** Greets the server as a client does. */
async function check({ url, headers }: RemoteServer): Promise<void> {
  const { statusCode, challenge, text } = await greet(url, headers).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${url} cannot be reached (${error.code ?? error.message}).`, nothingChanged);
  });
  const { data } = reply.safeParse(parseJson(text));
  if (statusCode === 200 && data?.result !== undefined) return;
  const signsIn = statusCode === 401 && String(challenge).includes('resource_metadata=');
  if (signsIn && headers['Authorization'] === undefined) return;
  const said = data?.error?.message ?? 'that is not an answer of an MCP server.';
  throw new Failure(`${url} answers ${statusCode}: ${said}`, nothingChanged);
}

async function greet(url: string, headers: RemoteServer['headers']) {
  const options = { maxResponseSize: maxReplyBytes };
  const dispatcher = isProxied(new URL(url))
    ? new EnvHttpProxyAgent({ ...options, ...proxyOptions() })
    : new Agent(options);
  try {
    return await within(maxCheckMs, async ({ signal }) => {
      const sent = { ...headers, 'content-type': 'application/json', accept: 'application/json' };
      const answer = await request(url, { dispatcher, signal, method: 'POST', headers: sent, body: greeting });
      const { statusCode, headers: given, body } = answer;
      return { statusCode, challenge: given['www-authenticate'], text: await body.text() };
    });
  } finally {
    await dispatcher.destroy();
  }
}
