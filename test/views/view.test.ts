import { createHash } from 'node:crypto';
import { EXTENSION_ID, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/server';
import type { ClientCapabilities, Tool } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { buildView } from '../../build/view.js';
import type { DaysBefore } from '../../src/tools/present/for-views.ts';
import { connect, textOf } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';

/** The capabilities of a host that shows MCP Apps. */
const showsApps: ClientCapabilities = { extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } } };

const others: readonly (readonly [name: string, capabilities: ClientCapabilities])[] = [
  ['announces other extensions', { extensions: { 'com.example/other': { mimeTypes: [RESOURCE_MIME_TYPE] } } }],
  ['shows views of another kind', { extensions: { [EXTENSION_ID]: { mimeTypes: ['text/html'] } } }],
];

/** The address of a listed tool's view. */
function viewOf(listed: readonly Tool[], name: string): string {
  const meta = listed.find((tool) => tool.name === name)?._meta as { ui?: { resourceUri?: string } } | undefined;
  return meta?.ui?.resourceUri ?? '';
}

describe('to a host that shows MCP Apps', () => {
  test('only tools with figures or shares as results have a view', async () => {
    const { listed } = await connect({ capabilities: showsApps });
    const carrying = listed.filter(({ _meta }) => _meta !== undefined);
    const figures = ['get_breakdown', 'get_overview', 'get_stats', 'review_account'];
    const expected = ['compare_pages', 'explain_change', ...figures, 'set_shares'];
    expect(carrying.map(({ name }) => name).toSorted()).toEqual(expected);
    for (const { _meta } of carrying) expect(_meta).toEqual({ ui: { resourceUri: expect.stringMatching(/^ui:\/\//) } });
  });

  test('the view is a resource of the extension’s type, without network access', async () => {
    const { client, listed } = await connect({ capabilities: showsApps });
    const uri = viewOf(listed, 'get_stats');
    const { resources } = await client.listResources();
    const views = resources.filter(({ mimeType }) => mimeType === RESOURCE_MIME_TYPE);
    expect(views.map(({ uri }) => uri)).toEqual([uri]);
    const { contents } = await client.readResource({ uri });
    const meta = { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } };
    expect(contents).toEqual([
      { uri, mimeType: RESOURCE_MIME_TYPE, text: expect.stringMatching(/^<!doctype html>/), _meta: meta },
    ]);
  });
});

test.each(others)('no tool and no resource mentions a view to a client that %s', async (_, capabilities) => {
  const { client, listed } = await connect({ capabilities });
  const drawing = await connect({ capabilities: showsApps });
  expect(listed).toEqual(drawing.listed.map(({ _meta, ...tool }) => tool));
  const { resources } = await client.listResources();
  expect(JSON.stringify(resources)).not.toMatch(/ui:\/\/|_meta|mcp-app/);
});

describe('the name of the campaign', () => {
  const stats = JSON.stringify({ Status: 'OK', Reports: { offer: [{ Name: 'Gym', Views: '10' }] } });
  const given = { campaign_id: 7, reports: ['offer'], period: 'today' };
  const listed = JSON.stringify([{ ID: '7', Name: 'Home \u202efitness' }]);

  test('goes into _meta for a host that draws it, and not into what a model reads', async () => {
    const tracker = await startForeignTracker({ stats, 'campaign/list': listed });
    const { call } = await connect({ url: tracker.url, capabilities: showsApps });
    const { _meta: meta, ...read } = await call('get_stats', given);
    expect(meta).toEqual({ 'tracker-mcp/campaign': 'Home fitness', 'tracker-mcp/remarks': [] });
    expect(JSON.stringify(read)).not.toContain('Home');
  });

  test('is not read for a client without views', async () => {
    const tracker = await startForeignTracker({ stats });
    const { call } = await connect({ url: tracker.url });
    expect((await call('get_stats', given))._meta).toBeUndefined();
    expect(tracker.taken().map(({ path }) => path)).toEqual(['/api/stats/']);
  });

  test.each([
    ['the tracker does not list campaigns', () => ({ status: 500, body: 'broken' }), undefined],
    ['the tracker does not list this one', () => ({ body: '[{"ID":"8","Name":"Other"}]' }), undefined],
    ['the tool that lists them is not offered', () => ({ body: listed }), ['get_stats']],
  ] as const)('is left out if %s, and the result is complete', async (_, answer, tools) => {
    const tracker = await startForeignTracker({ stats, 'campaign/list': answer });
    const policy = tools ? { tools } : {};
    const { call } = await connect({ url: tracker.url, capabilities: showsApps, policy });
    const result = await call('get_stats', given);
    expect(result.isError).not.toBe(true);
    expect(result._meta).not.toHaveProperty('tracker-mcp/campaign');
  });
});

describe('what people read of the notices', () => {
  const answers = {
    stats: JSON.stringify({ campaign: [{ Views: '10', Cost: '2.00', Revenue: '5.00' }] }),
    'campaign/list': '[{"ID":"7","Name":"Home"}]',
    conversions: '[]',
  };
  const now = () => new Date('2026-06-10T12:00:00Z');
  const given = { start_date: '2026-06-09', end_date: '2026-06-10', timezone: 'UTC' };
  const open = '2026-06-10 is not over, and is set against a whole day.';

  test('goes to a host that shows it, with an open day as data, and nothing changes for a model', async () => {
    const tracker = await startForeignTracker(answers);
    const shown = await (await connect({ url: tracker.url, now, capabilities: showsApps })).call('get_overview', given);
    const remarks = shown._meta?.['tracker-mcp/remarks'];
    expect(shown._meta).toMatchObject({
      'tracker-mcp/open-day': { day: '2026-06-10', isSure: true },
      'tracker-mcp/compared-to': { start_date: '2026-06-07', end_date: '2026-06-08' },
    });
    expect(remarks).toEqual(expect.arrayContaining(['Before: 2026-06-07 to 2026-06-08.', open]));
    expect(String(remarks)).not.toMatch(/get_overview|query_report/);
    const { _meta, ...read } = await (await connect({ url: tracker.url, now })).call('get_overview', given);
    expect(_meta).toBeUndefined();
    expect({ ...read, _meta: shown._meta }).toEqual(shown);
    expect(JSON.stringify(read)).toContain(`${open} Without dates get_overview compares whole days.`);
  });

  test('names the tracker if several were asked', async () => {
    const { url } = await startForeignTracker(answers);
    const { call } = await connect({ trackers: { main: { url, now }, other: { url, now } }, capabilities: showsApps });
    const { _meta, structuredContent } = await call('get_overview', given);
    expect(_meta?.['tracker-mcp/remarks']).toContain(`main: ${open}`);
    expect(structuredContent?.['notices']).toContainEqual(expect.stringContaining(`other: ${open} Without dates`));
  });
});

describe('the days before those of a table by day', () => {
  const given = { campaign_id: 7, by: ['day'], start_date: '2026-11-03', end_date: '2026-11-04' };
  const dayOf = (views: string) => ({
    body: JSON.stringify({ campaign: [{ Views: views, Cost: '2.00', Revenue: '5.00' }] }),
  });

  test('go into _meta for a host that draws them, and not into what a model reads', async () => {
    const tracker = await startForeignTracker({
      stats: ({ start = '' }) => dayOf(String(Number(start.slice(-2)) * 1111)),
      'campaign/list': '[]',
    });
    const { call, defects } = await connect({ url: tracker.url, capabilities: showsApps });
    const { _meta: meta, ...read } = await call('get_breakdown', given);
    expect(defects).toEqual([]);
    const before = meta?.['tracker-mcp/days-before'] as DaysBefore;
    expect(before.apart).toBe(2);
    const viewsOf = (day: string) => before.days[day]?.[before.columns.indexOf('Views')];
    expect([viewsOf('2026-11-01'), viewsOf('2026-11-02'), viewsOf('2026-11-03')]).toEqual([1111, 2222, undefined]);
    expect(JSON.stringify(read)).not.toMatch(/1111|2222/);
  });

  test('are read if the call names one of several trackers', async () => {
    const { url } = await startForeignTracker({ stats: () => dayOf('10'), 'campaign/list': '[]' });
    const { call } = await connect({ trackers: { main: { url }, native: { url } }, capabilities: showsApps });
    const { _meta: meta } = await call('get_breakdown', { ...given, tracker: 'main' });
    const before = meta?.['tracker-mcp/days-before'] as DaysBefore;
    expect(Object.keys(before.days)).toEqual(['2026-11-01', '2026-11-02']);
  });

  test('name the day that is not over, if there is one', async () => {
    const { url } = await startForeignTracker({ stats: () => dayOf('10'), 'campaign/list': '[]' });
    const openOf = async (now: string) => {
      const host = await connect({ url, now: () => new Date(now), capabilities: showsApps });
      return (await host.call('get_breakdown', given))._meta?.['tracker-mcp/open-day'];
    };
    expect(await openOf('2026-11-04T12:00:00Z')).toMatchObject({ day: '2026-11-04' });
    expect(await openOf('2026-11-05T12:00:00Z')).toBeUndefined();
  });

  test('are left out for a client without views, or if they cannot be read', async () => {
    const tracker = await startForeignTracker({
      stats: ({ start = '' }) => (start < '2026-11-03' ? { status: 400, body: 'No data' } : dayOf('10')),
      'campaign/list': '[]',
    });
    const unread = await (await connect({ url: tracker.url, capabilities: showsApps })).call('get_breakdown', given);
    expect(unread.isError, textOf(unread)).not.toBe(true);
    tracker.taken();
    const { call } = await connect({ url: tracker.url });
    expect((await call('get_breakdown', given))._meta).toBeUndefined();
    expect(tracker.taken().filter(({ path }) => path === '/api/stats/')).toHaveLength(2);
  });
});

describe('the page', async () => {
  const { page } = await buildView();

  test('contains everything it needs', () => {
    const markup = page.replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/g, '<$1></$1>');
    expect(markup).not.toMatch(/\b(src|href|srcset|action|data)=/);
    const loading = /url\(|@import|\bimport\s*\(|\bfetch\s*\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon/;
    expect(page).not.toMatch(loading);
    // The only addresses are XML namespaces, which are never fetched.
    const addresses = page.match(/https?:\/\/[^"'`\s)]+/g) ?? [];
    expect(addresses.filter((address) => !address.startsWith('http://www.w3.org/'))).toEqual([]);
  });

  test('is under 47 kB', () => {
    expect(Buffer.byteLength(page)).toBeLessThan(47_000);
  });

  test('runs only its own script, and lets no text become markup', () => {
    const [, script = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(page) ?? [];
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    const directives = policy.split('; ');
    expect(directives).toContain("default-src 'none'");
    expect(directives).toContain(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`);
    expect(directives).toContain("require-trusted-types-for 'script'");
  });
});
