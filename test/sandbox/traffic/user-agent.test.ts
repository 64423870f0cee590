import { expect, test } from 'vitest';
import { readUserAgent } from '../../../src/sandbox/traffic/http.ts';

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const windows = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit}`;
const iPad = 'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';

test.each([
  [`${windows} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0`, 'Desktop', 'Windows', 'Microsoft Edge'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${webKit} Chrome/131.0.0.0 Mobile Safari/537.36`, 'Mobile', 'Android', 'Chrome'],
  [`${iPad} Version/18.1 Mobile/15E148 Safari/604.1`, 'Tablet', 'iOS', 'Safari'],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Bot', null, 'Googlebot'],
  ['curl/8.5.0', null, null, null],
  [null, null, null, null],
  ['', null, null, null],
])('%s', (userAgent, device, os, browser) => {
  expect(readUserAgent(userAgent)).toEqual({ device, os, browser });
});

test('only the start of an endless user agent is read', () => {
  const { os, browser } = readUserAgent(`${windows} ${' '.repeat(100_000)}Chrome/131.0.0.0`);
  expect(os).toBe('Windows');
  expect(browser).not.toBe('Chrome');
});
