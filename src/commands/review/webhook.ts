import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { isProxied } from '../../client/probe.ts';
import { proxyOptions } from '../../client/proxies.ts';
import { ConfigurationFailure } from '../../config.ts';
import { whyNot } from '../../files/at-path.ts';
import { readText } from '../../files/read-file.ts';
import { refuseWrongProxy } from '../open-trackers.ts';
import type { Message } from './state.ts';

const retryDelaysMs = [1000, 4000];
const maxTryMs = 10_000;

export interface Webhook {
  readonly url: URL;
  readonly secret: Buffer | undefined;
}

/** @throws ConfigurationFailure if the address is not a URL or the file of the secret cannot be read */
export async function webhookOf(address: string, secretFile: string | undefined): Promise<Webhook> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new ConfigurationFailure('--webhook must be a URL that begins with http:// or https://.');
  refuseWrongProxy(url);
  if (secretFile === undefined) return { url, secret: undefined };
  const text = await readText(secretFile).catch((error: unknown) => {
    throw new ConfigurationFailure(`The file of the webhook’s secret ${secretFile} cannot be read (${whyNot(error)}).`);
  });
  const secret = text.trim();
  if (secret.length < 16) throw new ConfigurationFailure('The webhook’s secret must have at least 16 characters.');
  return { url, secret: secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret) };
}

/**
 * Posts messages, the oldest first.
 * @param onDelivered is called with each message that arrived
 * @returns an error text if some did not arrive
 */
export async function postAll(
  webhook: Webhook,
  messages: readonly Message[],
  onDelivered: (message: Message) => Promise<void>,
): Promise<string | undefined> {
  let left = messages.length;
  let firstError: DeliveryError | undefined;
  const dispatcher = isProxied(webhook.url) ? new EnvHttpProxyAgent(proxyOptions() ?? {}) : new Agent();
  try {
    for (const message of messages) {
      const error = await post(dispatcher, webhook, message);
      firstError ??= error;
      if (error && !error.isRefused) break;
      if (error) continue;
      left -= 1;
      await onDelivered(message);
    }
  } finally {
    // An open socket would keep the process running.
    await dispatcher.close();
  }
  const count = left === 1 ? '1 message was' : `${left} messages were`;
  return firstError && `${count} not accepted by the webhook at ${webhook.url.host}: ${firstError.why}.`;
}

interface DeliveryError {
  readonly why: string;
  /** Whether the receiver refused this message; it may accept others. */
  readonly isRefused: boolean;
}

/**
 * Posts a message as specified by Standard Webhooks (standardwebhooks.com): with `webhook-id`, `webhook-timestamp` and, if there is a
 * secret, `webhook-signature` over both and the body. Each try has the same ID, so a receiver can ignore repeated ones.
 * @returns undefined if it was delivered
 */
async function post(
  dispatcher: Dispatcher,
  { url, secret }: Webhook,
  { id, body }: Message,
): Promise<DeliveryError | undefined> {
  let why = '';
  for (const delayMs of [0, ...retryDelaysMs]) {
    await wait(delayMs);
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
      // Another try would be refused as well.
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
