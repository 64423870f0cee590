import { describe, expect, test } from 'vitest';
import { endpoints } from '../../../src/api/endpoints.ts';
import { specifiedTools } from '../../support/specified.ts';
import { setup } from '../support/fixture.ts';
import { apiKey, startTracker } from '../support/tracker.ts';

const tracker = await startTracker(setup);

const get = (pathAndQuery: string) => fetch(`${tracker.url}/api/${pathAndQuery}`);
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${tracker.url}/api/${path}`, { method: 'POST', body, headers });

describe.each(endpoints.map(({ path }) => path))('%s is answered', (path) => {
  test.each([
    ['GET', path],
    ['GET', `${path}/`],
    ['POST', path],
    ['POST', `${path}/`],
  ])('on %s /api/%s', async (method, address) => {
    const response = method === 'GET' ? await get(`${address}?key=${apiKey}`) : await post(address, `key=${apiKey}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    // An endpoint whose required parameters are missing answers with an error, which is an answer too.
    expect(await response.json()).toMatchObject({ Status: expect.stringMatching(/^(OK|Error)$/) });
  });
});

test('every required parameter is named when it is missing', async () => {
  for (const { path, required, wire, always } of specifiedTools) {
    const { Status, Message } = await tracker.ask(path);
    const parameter = wire[required[0] ?? ''] ?? Object.keys(always ?? {})[0];
    expect([path, Status, Message]).toEqual(
      parameter ? [path, 'Error', `The required parameter ${parameter} is missing.`] : [path, 'OK', undefined],
    );
  }
});

describe('parameters', () => {
  test('of a POST can be in the query string, but the body wins', async () => {
    const response = await post(`campaign/list/?key=${apiKey}&active=1`, 'active=0');
    expect(await response.json()).toMatchObject({ Rows: [{ ID: '7' }] });
  });

  test('are read from a body with any content type', async () => {
    const response = await post('ts/list/', `key=${apiKey}`, { 'Content-Type': 'text/plain' });
    expect(await response.json()).toMatchObject({ Status: 'OK' });
  });

  test('that are repeated count once: the last one', async () => {
    const response = await get(`campaign/list/?active=1&active=0&key=wrong&key=${apiKey}`);
    expect(await response.json()).toMatchObject({ Rows: [{ ID: '7' }] });
  });

  test('that are repeated in a form count once: the last one', async () => {
    const response = await post('campaign/list/', `key=wrong&active=1&key=${apiKey}&active=0`);
    expect(await response.json()).toMatchObject({ Rows: [{ ID: '7' }] });
  });

  test('that are repeated count once for the format of a refusal too', async () => {
    const response = await get('nowhere/?format=json&format=xml');
    expect(response.headers.get('content-type')).toContain('application/xml');
  });

  test('that are unknown or empty are ignored', async () => {
    expect((await tracker.ask('campaign/list', { colour: 'red', active: '' })).Rows).toHaveLength(7);
  });

  test('can be any text', async () => {
    const page = { name: 'Größe & Preis = 100 % + "more" 🚀', url: 'https://lp.example.com/?a=1&b={!subid!}' };
    const { ID } = await tracker.ask('lp/add', page);
    expect(await tracker.stored(`SELECT name, url FROM landing_pages WHERE id = ${ID}`)).toEqual([page]);
  });
});

describe('the format', () => {
  test.each(['xml', 'XML'])('%s is XML', async (format) => {
    const response = await get(`ts/list/?key=${apiKey}&format=${format}`);
    expect(response.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    expect(await response.text()).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<Response><Status>OK<\/Status><Rows><Row><ID>1<\/ID><Name>Search<\/Name><Tokens><Token><Slot>Keyword</,
    );
  });

  test('of an error is the requested one', async () => {
    const response = await post('lp/add/', `key=${apiKey}&format=xml`);
    expect(await response.text()).toContain('<Status>Error</Status><Message>The required parameter name is missing.');
  });

  test('json is the default, and others are refused', async () => {
    expect(await tracker.ask('ts/list', { format: 'json' })).toEqual(await tracker.ask('ts/list'));
    const refusal = await tracker.refusal('ts/list', { format: 'csv' });
    expect(refusal).toBe('The parameter format must be json or xml; it is "csv".');
  });
});

describe('an invalid request', () => {
  const unknown = ['/api/', '/api/campaigns/list/', '/api/stats/today/', '/', '/sub/api/stats/'];
  test.each(unknown)('to the unknown path %s is refused', async (path) => {
    const response = await fetch(tracker.url + path);
    expect(response.status).toBe(404);
    const Message = expect.stringContaining('Unknown path');
    expect(await response.json()).toMatchObject({ Status: 'Error', Message });
  });

  test('with a different method is refused', async () => {
    const response = await fetch(`${tracker.url}/api/ts/list/`, { method: 'DELETE' });
    expect(response.status).toBe(405);
    expect(await response.json()).toMatchObject({ Status: 'Error' });
  });

  test('with a body over 1 MB is refused, with or without a content length', async () => {
    const tooLong = `key=${apiKey}&notes=${'n'.repeat(1_000_000)}`;
    const chunks = ReadableStream.from([new TextEncoder().encode(tooLong)]);
    const streamed = { method: 'POST', body: chunks, duplex: 'half' } as RequestInit;
    for (const response of [await post('lp/add/', tooLong), await fetch(`${tracker.url}/api/lp/add/`, streamed)]) {
      expect(response.status).toBe(413);
      expect(await response.json()).toMatchObject({ Status: 'Error', Message: expect.stringContaining('1 MB') });
    }
  });
});
