import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { ConfigurationFailure } from '../../config.ts';
import type { Message } from './state.ts';

/** Waits between tries, in ms. */
const waits = [1000, 4000];
const maxTryMs = 10_000;

export interface Webhook {
  readonly url: URL;
  readonly secret: Buffer | undefined;
}

/** @throws ConfigurationFailure if the address is none, or the file of the secret cannot be read */
export async function webhookOf(address: string, secretFile: string | undefined): Promise<Webhook> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new ConfigurationFailure('--webhook must be a URL that begins with http:// or https://.');
  if (secretFile === undefined) return { url, secret: undefined };
  const text = await readFile(secretFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigurationFailure(`The file of the webhook’s secret cannot be read (${error.code}).`);
  });
  const secret = text.trim();
  if (secret.length < 16) throw new ConfigurationFailure('The webhook’s secret must have 16 characters at least.');
  return { url, secret: secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret) };
}

/**
 * Posts messages, the oldest first.
 * @param forget is given each that arrived
 * @returns what is to be said of those that did not arrive; undefined if all did
 */
export async function postAll(
  webhook: Webhook,
  messages: readonly Message[],
  forget: (message: Message) => Promise<void>,
): Promise<string | undefined> {
  let left = messages.length;
  let first: Undelivered | undefined;
  const dispatcher = new EnvHttpProxyAgent();
  try {
    for (const message of messages) {
      const failed = await post(dispatcher, webhook, message);
      first ??= failed;
      if (failed && !failed.isRefused) break;
      if (failed) continue;
      left -= 1;
      await forget(message);
    }
  } finally {
    // A socket that is kept for another message would keep the process.
    await dispatcher.close();
  }
  const said = left === 1 ? '1 message was' : `${left} messages were`;
  return first && `${said} not taken by the webhook at ${webhook.url.host}: ${first.why}.`;
}

/** Why a message did not arrive, in words; that one was refused says nothing of others. */
interface Undelivered {
  readonly why: string;
  readonly isRefused: boolean;
}

/**
 * Posts a message, signed as Standard Webhooks (standardwebhooks.com) has it: `webhook-id`, `webhook-timestamp` and, with a secret,
 * `webhook-signature` over both and the body. The ID is the same for each try, so that a receiver can drop what it has.
 * @returns undefined if a try was answered with a success
 */
async function post(
  dispatcher: Dispatcher,
  { url, secret }: Webhook,
  { id, body }: Message,
): Promise<Undelivered | undefined> {
  let why = '';
  for (const waitMs of [0, ...waits]) {
    await wait(waitMs);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = secret && createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
    try {
      const { statusCode: status, body: answer } = await request(url, {
        dispatcher,
        method: 'POST',
        headersTimeout: maxTryMs,
        bodyTimeout: maxTryMs,
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          ...(signature === undefined ? {} : { 'webhook-signature': `v1,${signature}` }),
        },
        body,
      });
      await answer.dump();
      if (status >= 200 && status < 300) return undefined;
      why = `it answered ${status}`;
      // A request that is wrong stays wrong.
      if (status >= 400 && status < 500 && status !== 408 && status !== 429) return { why, isRefused: true };
    } catch (error) {
      why =
        (error as Error).name === 'HeadersTimeoutError'
          ? `no answer within ${maxTryMs / 1000} s`
          : 'it cannot be reached';
    }
  }
  return { why, isRefused: false };
}
