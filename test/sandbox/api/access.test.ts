import { describe, expect, test } from 'vitest';
import { endpoints } from '../../../src/api/endpoints.ts';
import { setup } from '../support/fixture.ts';
import { apiKey, startTracker } from '../support/tracker.ts';

const tracker = await startTracker(setup);

describe.each(endpoints.map(({ path }) => path))('%s', (path) => {
  test.each([
    ['without a key', {}],
    ['with an empty key', { key: '' }],
    ['with a wrong key', { key: `${apiKey}x` }],
    ['with a key in another letter case', { key: apiKey.toUpperCase() }],
  ])('gives no access %s', async (_how, form) => {
    const response = await fetch(`${tracker.url}/api/${path}/`, { method: 'POST', body: new URLSearchParams(form) });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ Status: 'Error', Message: expect.stringMatching(/^No access/) });
  });
});

test('the key is checked first, and nothing is done without it', async () => {
  const form = { key: 'wrong', name: 'New', url: 'https://lp.example.com/new', format: 'yaml' };
  expect(await tracker.refusal('lp/add', form)).toMatch(/^No access/);
  expect(await tracker.stored("SELECT 1 FROM landing_pages WHERE name = 'New'")).toEqual([]);
});

test.each([
  ['access is disabled', `UPDATE settings SET value = '0' WHERE name = 'api_enabled'`],
  ['access was never enabled', `DELETE FROM settings WHERE name = 'api_enabled'`],
  ['no key is defined', `DELETE FROM settings WHERE name = 'api_key'`],
  ['the key is empty', `UPDATE settings SET value = '' WHERE name = 'api_key'`],
])('the right key gives no access while %s', async (_state, change) => {
  const closed = await startTracker([...setup, change]);
  expect(await closed.refusal('ts/list')).toMatch(/^No access/);
  expect(await closed.refusal('ts/list', { key: '' })).toMatch(/^No access/);
});
