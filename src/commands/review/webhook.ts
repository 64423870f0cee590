import { createHash, createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { CallCancelledError, type Deadline, within } from '../../api/deadline.ts';
import { isProxied } from '../../client/probe.ts';
import { proxyOptions } from '../../client/proxies.ts';
import { ConfigurationFailure } from '../../config.ts';
import { whyNot } from '../../files/at-path.ts';
import { readText } from '../../files/read-file.ts';
import { refuseWrongProxy } from '../open-trackers.ts';
import type { Message } from './state.ts';
import { bodyFor, type WebhookFormatName } from './webhook-formats.ts';

const retryDelaysMs = [1000, 4000];
/** For one try, and for all messages and tries of a round, from connecting to the last byte of the answers. */
const maxTryMs = 10_000;
export const maxDeliveryMs = 30_000;

export interface Webhook {
  /** Whoever knows it can post, so that no text has more of it than its host. */
  readonly url: URL;
  readonly format: WebhookFormatName;
  readonly secret: Buffer | undefined;
}

/** @throws ConfigurationFailure if the address is not a URL of that format or the file of the secret cannot be read */
export async function webhookOf(
  address: string,
  format: WebhookFormatName,
  secretFile: string | undefined,
): Promise<Webhook> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new ConfigurationFailure('--webhook must be a URL that begins with http:// or https://.');
  if (format === 'telegram' && !(url.pathname.endsWith('/sendMessage') && url.searchParams.get('chat_id')))
    throw new ConfigurationFailure('The --webhook of a Telegram bot must end with /sendMessage?chat_id= and the chat.');
  refuseWrongProxy(url);
  if (secretFile === undefined) return { url, format, secret: undefined };
  if (format !== 'json')
    throw new ConfigurationFailure(
      `--webhook-secret-file signs --webhook-format json alone: ${format} checks no signature.`,
      'Leave it out.',
    );
  const text = await readText(secretFile).catch((error: unknown) => {
    throw new ConfigurationFailure(`The file of the webhook’s secret ${secretFile} cannot be read (${whyNot(error)}).`);
  });
  const secret = text.trim();
  if (secret.length < 16) throw new ConfigurationFailure('The webhook’s secret must have at least 16 characters.');
  if (!secret.startsWith('whsec_')) return { url, format, secret: Buffer.from(secret) };
  // Node skips what is not Base64, and would sign with what is left, or with nothing.
  if (!/^whsec_[A-Za-z0-9+/_-]+={0,2}$/.test(secret))
    throw new ConfigurationFailure('The webhook’s secret begins with whsec_, so Base64 must follow, and it does not.');
  return { url, format, secret: Buffer.from(secret.slice(6), 'base64') };
}

/** Identifies a webhook in the state without its address, which may hold a secret. */
export function hashOf({ url }: Webhook): string {
  return createHash('sha256').update(url.href).digest('hex').slice(0, 16);
}

/** How the delivery of some messages ended. */
export interface Delivery {
  /** An error text if some did not arrive. */
  readonly problem?: string;
  /** Whether the receiver said that it is gone for good (410). */
  readonly isGone: boolean;
}

/**
 * Posts messages, the oldest first, within `maxDeliveryMs`.
 * @param onDelivered is called with each message that arrived
 */
export async function postAll(
  webhook: Webhook,
  messages: readonly Message[],
  onDelivered: (message: Message) => Promise<void>,
): Promise<Delivery> {
  let left = messages.length;
  let firstError: DeliveryError | undefined;
  const dispatcher = isProxied(webhook.url) ? new EnvHttpProxyAgent(proxyOptions() ?? {}) : new Agent();
  try {
    await within(maxDeliveryMs, async (deadline) => {
      for (const message of messages) {
        const error = await post(dispatcher, webhook, message, deadline);
        firstError ??= error;
        if (error && error.kind !== 'refused') break;
        if (error) continue;
        left -= 1;
        await onDelivered(message);
      }
    });
  } finally {
    // An open socket would keep the process running, and an answer may never end.
    await dispatcher.destroy();
  }
  if (!firstError) return { isGone: false };
  const count = left === 1 ? '1 message was' : `${left} messages were`;
  const problem = `${count} not accepted by the webhook at ${webhook.url.host}: ${firstError.why}.`;
  return { problem, isGone: firstError.kind === 'gone' };
}

interface DeliveryError {
  readonly why: string;
  /** `refused`: the receiver refused this message and may accept others; `gone`: it will never accept one. */
  readonly kind: 'refused' | 'gone' | 'unreachable';
}

/**
 * Posts a message as specified by Standard Webhooks (standardwebhooks.com): with `webhook-id`, `webhook-timestamp` and, if there is a
 * secret, `webhook-signature` over both and the body. Each try has the same ID, so a receiver can ignore repeated ones.
 * @returns undefined if it was delivered
 */
async function post(
  dispatcher: Dispatcher,
  webhook: Webhook,
  message: Message,
  deadline: Deadline,
): Promise<DeliveryError | undefined> {
  let why = '';
  for (const delayMs of [0, ...retryDelaysMs]) {
    try {
      await wait(delayMs, undefined, { signal: deadline.signal });
      const status = await within(
        maxTryMs,
        ({ signal }) => postOnce(dispatcher, webhook, message, signal),
        deadline.signal,
      );
      if (status >= 200 && status < 300) return undefined;
      why = `it answered ${status}`;
      if (status === 410) return { why: `${why}, so it is gone`, kind: 'gone' };
      // Another try would be refused as well.
      if (status >= 400 && status < 500 && status !== 408 && status !== 429) return { why, kind: 'refused' };
    } catch (error) {
      if (deadline.hasTimedOut)
        return { why: why || `no answer within ${maxDeliveryMs / 1000} s`, kind: 'unreachable' };
      why = error instanceof CallCancelledError ? `no answer within ${maxTryMs / 1000} s` : 'it cannot be reached';
    }
  }
  return { why, kind: 'unreachable' };
}

/** Returns the status of the answer. Its body says nothing more. */
async function postOnce(
  dispatcher: Dispatcher,
  { url, format, secret }: Webhook,
  { id, body: report }: Message,
  signal: AbortSignal,
): Promise<number> {
  const body = bodyFor(format, report, url);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = secret && createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  const { statusCode, body: answer } = await request(url, {
    dispatcher,
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      ...(signature === undefined ? {} : { 'webhook-signature': `v1,${signature}` }),
    },
    body,
  });
  // Read a little, so that the connection can be used again; more, or a slow one, is cut off.
  const dump = (rest: Deadline) => answer.dump({ limit: maxAnswerBytes, signal: rest.signal });
  await within(maxAnswerMs, dump, signal).catch(() => undefined);
  return statusCode;
}

const maxAnswerBytes = 64 * 1024;
const maxAnswerMs = 1000;
