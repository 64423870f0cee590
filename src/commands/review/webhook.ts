import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { Failure } from '../../api/failure.ts';
import { ConfigurationFailure } from '../../config.ts';

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
 * Posts a message, signed as Standard Webhooks (standardwebhooks.com) has it: `webhook-id`, `webhook-timestamp` and, with a secret,
 * `webhook-signature` over both and the body. The ID is the same for each try, so that a receiver can drop what it has.
 * @throws Failure if no try was answered with a success
 */
export async function post(webhook: Webhook, id: string, body: string): Promise<void> {
  const dispatcher = new EnvHttpProxyAgent();
  try {
    await postThrough(dispatcher, webhook, id, body);
  } finally {
    // A socket that is kept for another message would keep the process.
    await dispatcher.close();
  }
}

async function postThrough(dispatcher: Dispatcher, { url, secret }: Webhook, id: string, body: string): Promise<void> {
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
      if (status >= 200 && status < 300) return;
      why = `it answered ${status}`;
      // A request that is wrong stays wrong.
      if (status >= 400 && status < 500 && status !== 408 && status !== 429) break;
    } catch (error) {
      why =
        (error as Error).name === 'HeadersTimeoutError'
          ? `no answer within ${maxTryMs / 1000} s`
          : 'it cannot be reached';
    }
  }
  throw new Failure(
    `The webhook at ${url.host} got nothing: ${why}.`,
    'The next round with this state posts it again.',
  );
}
