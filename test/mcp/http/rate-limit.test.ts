import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { RateLimit } from '../../../src/mcp/http/gate.ts';
import { TokenFile } from '../../../src/mcp/http/token-file.ts';
import { newFolder } from '../../support/folders.ts';
import { startHttp } from '../../support/http-server.ts';
import { bearer, listTools } from '../../support/messages.ts';

const folder = await newFolder();
afterEach(() => void vi.useRealTimers());
const path = join(folder, 'tokens.json');
const ann = await new TokenFile(path).add({ name: 'ann', access: 'read' });
const bob = await new TokenFile(path).add({ name: 'bob', access: 'read' });
const { post } = await startHttp({}, { verifier: new TokenFile(path), rateLimit: new RateLimit(2) });

it('rejects a token over its limit with Retry-After, and serves the others', async () => {
  for (const _ of [1, 2]) expect((await post(listTools, bearer(ann))).status).toBe(200);
  const { status, headers, body } = await post(listTools, bearer(ann));
  expect({ status, id: body.id, code: body.error?.code }).toEqual({ status: 429, id: 1, code: -32000 });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(body.error?.message).toMatch(/Too many requests.*ask again in \d+ s/);
  expect((await post(listTools, bearer(bob))).status).toBe(200);
});

it('counts neither notifications nor unknown tokens', async () => {
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } };
  for (const _ of [1, 2, 3]) expect((await post(cancelled, bearer(bob))).status).toBe(202);
  for (const _ of [1, 2, 3]) expect((await post(listTools, bearer('none'))).status).toBe(401);
  expect((await post(listTools, bearer(bob))).status).toBe(200);
});

it('starts a new window a minute after the first request', async () => {
  vi.useFakeTimers();
  const limit = new RateLimit(1);
  expect(await limit.take('ann')).toBeUndefined();
  vi.advanceTimersByTime(20_000);
  expect(await limit.take('ann')).toBe(40);
  vi.advanceTimersByTime(40_000);
  expect(await limit.take('ann')).toBeUndefined();
});
