import { describe, expect, test } from 'vitest';
import type { Quirk } from '../../src/sandbox/wire.ts';
import { fixtureDay, setup, traffic } from './support/fixture.ts';
import { apiKey, startTracker } from './support/tracker.ts';

type Form = Record<string, string>;
type Wire = Readonly<Record<'type' | 'body', string> & { status: number }>;

/** Runs tests against a tracker with quirks. */
function withQuirks(quirks: readonly Quirk[], tests: (ask: (path: string, form?: Form) => Promise<Wire>) => void) {
  describe(`with the quirks [${quirks}]`, async () => {
    const { url } = await startTracker([...setup, ...traffic], { quirks });
    tests(async (path, form = {}) => {
      const body = new URLSearchParams({ key: apiKey, ...form });
      const response = await fetch(`${url}/api/${path}/`, { method: 'POST', body });
      return { status: response.status, type: response.headers.get('content-type') ?? '', body: await response.text() };
    });
  });
}

const page = { name: 'New', url: 'https://lp.example.com/new' };
const edited = { campaignid: '1', bid: '1' };
const xmlHead = '<?xml version="1.0" encoding="UTF-8"?>\n';

withQuirks([], (ask) => {
  const body = async (path: string, form = {}) => (await ask(path, form)).body;

  test('each kind of reply has its wrapper in JSON', async () => {
    expect(await body('ts/list')).toMatch(/^\{"Status":"OK","Rows":\[\{"ID":"1",/);
    const stats = await body('stats', { camp: '5', report: 'campaign,thankyou', ...fixtureDay });
    expect(stats).toMatch(/^\{"Status":"OK","Reports":\{"thankyou":\[\],"campaign":\[\{"ID":"5",/);
    const lookup = await body('click/lookup', { subid: '1' });
    expect(lookup).toMatch(/^\{"Status":"OK","Groups":\{"Campaign Data":\{"SubID":"aaaaaaaa_1_00000001",/);
    expect(await body('lp/add', page)).toBe('{"Status":"OK","ID":"3"}');
    expect(await body('campaign/edit', edited)).toBe('{"Status":"OK"}');
    expect(await body('campaign/edit', { campaignid: '1' })).toMatch(/^\{"Status":"Error","Message":"This changes/);
  });

  test('each kind of reply has the same structure in XML', async () => {
    const xml = async (path: string, form = {}) => (await body(path, { ...form, format: 'xml' })).replace(xmlHead, '');
    const stats = await xml('stats', { camp: '5', report: 'campaign,thankyou', ...fixtureDay });
    expect(stats).toMatch(/^<Response><Status>OK<\/Status><Reports><thankyou><\/thankyou><campaign><Row><ID>5<\/ID>/);
    const lookup = await xml('click/lookup', { subid: '1' });
    const opening = '<Response><Status>OK</Status><Groups><Group name="Campaign Data"><SubID>aaaaaaaa_1_00000001<';
    expect(lookup.startsWith(opening)).toBe(true);
    expect(lookup).toContain('<Field name="Match type">exact</Field>');
    expect(await xml('lp/add', page)).toMatch(/^<Response><Status>OK<\/Status><ID>\d+<\/ID><\/Response>\n$/);
    expect(await xml('campaign/edit', edited)).toBe('<Response><Status>OK</Status></Response>\n');
    expect(await xml('lp/add', { name: 'x', url: 'a<b' })).toContain('it is &quot;a&lt;b&quot;.</Message></Response>');
  });
});

withQuirks(['notices'], (ask) => {
  test('every body starts with kilobytes of PHP notices', async () => {
    for (const wire of [await ask('ts/list'), await ask('lp/add', page), await ask('ts/list', { key: 'wrong' })]) {
      expect(wire.status).toBe(200);
      expect(wire.body).toMatch(/^<br \/>\n<b>Deprecated<\/b>: {2}trim\(\): Passing null/);
      expect(wire.body.indexOf('{"Status"')).toBeGreaterThan(2048);
    }
    expect((await ask('ts/list', { format: 'xml' })).body.indexOf('<?xml')).toBeGreaterThan(2048);
  });
});

withQuirks(['html'], (ask) => {
  test('a request without access gets a login page', async () => {
    for (const key of ['', 'wrong']) {
      const wire = await ask('ts/list', { key, format: 'xml' });
      expect(wire).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
      expect(wire.body).toMatch(/^<!DOCTYPE html>[\s\S]*type="password"/);
    }
  });

  test('other errors and successes do not change', async () => {
    expect((await ask('lp/add')).body).toMatch(/^\{"Status":"Error"/);
    expect((await ask('ts/list')).body).toMatch(/^\{"Status":"OK"/);
  });
});

withQuirks(['http-errors'], (ask) => {
  test.each([
    ['ts/list', { key: '' }, 401],
    ['ts/list', { key: 'wrong' }, 403],
    ['lp/add', {}, 400],
    ['lp/edit', { id: '99', name: 'New' }, 404],
    ['stats', { camp: '1', qv: '99' }, 404],
    ['click/lookup', { subid: '99' }, 404],
    ['ts/list', {}, 200],
  ])('%s %j gets status %i', async (path, form, status) => {
    const wire = await ask(path, form);
    expect(wire.status).toBe(status);
    expect(wire.body).toMatch(status === 200 ? /^\{"Status":"OK"/ : /^\{"Status":"Error","Message":"/);
  });
});

withQuirks(['bare'], (ask) => {
  test('rows, reports and groups come without a wrapper', async () => {
    expect((await ask('ts/list')).body).toMatch(/^\[\{"ID":"1",/);
    const stats = await ask('stats', { camp: '1', report: 'offer', ...fixtureDay });
    expect(stats.body).toMatch(/^\{"offer":\[\{"PageID":"4"/);
    expect((await ask('click/lookup', { subid: '1' })).body).toMatch(/^\{"Campaign Data":\{/);
    expect((await ask('ts/list', { format: 'xml' })).body).toContain(`${xmlHead}<Rows><Row><ID>1</ID>`);
    const lookup = await ask('click/lookup', { subid: '1', format: 'xml' });
    expect(lookup.body).toContain('<Groups><Group name="Campaign Data">');
  });

  test('a write is answered with just OK or the ID', async () => {
    expect(await ask('campaign/edit', edited)).toMatchObject({ status: 200, body: 'OK' });
    expect(await ask('lp/add', page)).toMatchObject({ status: 200, body: '3' });
    expect((await ask('lp/add', { ...page, format: 'xml' })).body).toBe('4');
  });

  test('an error does not change', async () => {
    expect((await ask('lp/add')).body).toMatch(/^\{"Status":"Error"/);
  });
});

withQuirks(['notices', 'html', 'http-errors', 'bare'], (ask) => {
  test('all quirks apply', async () => {
    const refused = await ask('ts/list', { key: 'wrong' });
    expect(refused).toMatchObject({ status: 403, type: 'text/html; charset=utf-8' });
    expect(refused.body).toMatch(/^<br \/>[\s\S]*<!DOCTYPE html>/);
    expect((await ask('campaign/edit', edited)).body).toMatch(/^<br \/>[\s\S]*<br \/>\nOK$/);
  });
});
