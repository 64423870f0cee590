import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TokenFile } from '../../src/mcp/http/token-file.ts';
import { instructions, instructionsForSeveral } from '../../src/tools/catalogue.ts';
import type { PresentedTables } from '../../src/tools/present/outputs.ts';
import { openTrail } from '../support/audit-trail.ts';
import { askedPerson, type Connection, type ConnectOptions, connect, textOf } from '../support/connect.ts';
import { newFolder } from '../support/folders.ts';
import { type ForeignTracker, startForeignTracker } from '../support/foreign-tracker.ts';
import { startHttp } from '../support/http-server.ts';
import { plainAnswers, specifiedTools, writingTools } from '../support/specified.ts';

const folder = await newFolder();

const keys = { main: 'key-of-the-main-tracker', native: 'key-of-the-native-tracker' };
const stats = (Cost: string) => ({
  body: JSON.stringify({ Reports: { campaign: [{ ID: '7', Views: '100', Clicks: '9', Cost, Revenue: '20.00' }] } }),
});
const answers = {
  main: { 'campaign/list': '[{"ID":"7","Name":"Search"}]', stats: () => stats('10.00') },
  native: { 'campaign/list': '[{"ID":"7","Name":"Widgets"}]', stats: () => stats('30.00') },
};
const main = await startForeignTracker({ ...plainAnswers, ...answers.main });
const native = await startForeignTracker({ ...plainAnswers, ...answers.native });

type Names = 'main' | 'native';
const trackersWith = (options: Partial<Record<Names, ConnectOptions>> = {}): Record<Names, ConnectOptions> => ({
  main: { url: main.url, apiKey: keys.main, ...options.main },
  native: { url: native.url, apiKey: keys.native, ...options.native },
});
const several = await connect({ trackers: trackersWith() });
const withDefault = await connect({ trackers: trackersWith(), byDefault: 'main' });

const keysOf = (tracker: ForeignTracker) =>
  new Set(tracker.taken().map(({ parameters }) => Object.fromEntries(parameters)['key']));

type Property = { readonly enum?: string[]; readonly default?: string; readonly description?: string };
const propertiesOf = ({ listed }: Connection, tool: string) =>
  (listed.find(({ name }) => name === tool)?.inputSchema.properties ?? {}) as Record<string, Property>;
const expectNoRequest = () => expect([...main.taken(), ...native.taken()]).toEqual([]);

describe('the listing', () => {
  it('has the argument tracker first in every tool that asks a tracker, with all names', () => {
    for (const { name } of several.listed) {
      const properties = propertiesOf(several, name);
      if (name === 'query_report') expect(properties).not.toHaveProperty('tracker');
      else {
        expect(Object.keys(properties)[0], name).toBe('tracker');
        expect(properties['tracker']?.enum, name).toEqual(['main', 'native']);
      }
    }
  });

  it('requires it, except in tools over all trackers, and in reads if there is a default', () => {
    const requiring = ({ listed }: Connection) =>
      listed.filter(({ inputSchema }) => inputSchema.required?.includes('tracker')).map(({ name }) => name);
    const optional = ['get_overview', 'list_changes', 'query_report'];
    expect(requiring(several)).toEqual(
      several.listed.map(({ name }) => name).filter((name) => !optional.includes(name)),
    );
    const writes = withDefault.listed.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name);
    expect(requiring(withDefault)).toEqual(writes);
    expect(propertiesOf(withDefault, 'get_stats')['tracker']?.default).toBe('main');
  });

  it('is the same for a file with one tracker as without a file', async () => {
    const alone = await connect({ trackers: { main: { url: main.url } } });
    const plain = await connect({ url: main.url });
    expect(alone.listed).toEqual(plain.listed);
    expect(alone.client.getInstructions()).toBe(instructions);
    expect(await alone.data('list_campaigns')).not.toHaveProperty('tracker');
  });

  it('names for each tool the trackers that offer it', async () => {
    const mixed = await connect({ trackers: trackersWith({ native: { policy: { readOnly: true } } }) });
    expect(propertiesOf(mixed, 'edit_offer')['tracker']?.enum).toEqual(['main']);
    expect(propertiesOf(mixed, 'get_stats')['tracker']?.enum).toEqual(['main', 'native']);
    expect(await mixed.refusal('edit_offer', { tracker: 'native', offer_id: 1, name: 'A' })).toMatch(
      /Tracker native: edit_offer is not offered by this server: it is read-only/,
    );
    expect(native.taken()).toEqual([]);
  });

  it('shows a limit once if all trackers have it, otherwise after the name of each', async () => {
    const limit = (maxBid: number): ConnectOptions => ({ policy: { limits: { maxBid } } });
    const limited = (maxBid: number) =>
      connect({ trackers: trackersWith({ main: limit(0.5), native: limit(maxBid) }) });
    const described = (connection: Connection) => propertiesOf(connection, 'edit_campaign')['bid']?.description;
    const [plain, same, apart] = [several, await limited(0.5), await limited(0.2)].map(described);
    const shown = same?.slice(`${plain}. `.length) ?? '';
    expect(shown).toContain('0.5');
    expect(apart).toBe(`${plain}. main: ${shown} native: ${shown.replace('0.5', '0.2')}`);
  });

  it('has instructions about several trackers, short enough for hosts', () => {
    expect(several.client.getInstructions()).toBe(instructionsForSeveral);
    expect(instructionsForSeveral).not.toBe(instructions);
    expect(Buffer.byteLength(instructionsForSeveral)).toBeLessThan(2048);
  });
});

describe('a call', () => {
  it.each(specifiedTools.map(({ name }) => [name]))(
    '%s without a tracker asks none, and its error names both',
    async (name) => {
      expect(await several.refusal(name, {})).toMatch(/tracker is missing: one of main, native\. Nothing was sent/);
      expectNoRequest();
    },
  );

  it.each(writingTools.map(({ name }) => [name]))('%s never uses the default', async (name) => {
    expect(await withDefault.refusal(name, {})).toContain('tracker is missing: one of main, native');
    expectNoRequest();
  });

  it('reaches the tracker that it names, with only its key, and the answer names it', async () => {
    const campaigns = await several.data('list_campaigns', { tracker: 'native' });
    expect(campaigns).toMatchObject({ tracker: 'native', tables: [{ rows: [[7, 'Widgets']] }] });
    expect(main.taken()).toEqual([]);
    expect(keysOf(native)).toEqual(new Set([keys.native]));
    const result = await several.call('list_campaigns', { tracker: ' MAIN ' });
    expect(result.structuredContent).toMatchObject({ tracker: 'main' });
    expect(textOf(result)).toMatch(/^tracker: main\n/);
    expect(keysOf(main)).toEqual(new Set([keys.main]));
  });

  it('that reads uses the default if it names no tracker', async () => {
    expect(await withDefault.data('list_campaigns')).toMatchObject({ tracker: 'main' });
  });

  it('with an unknown tracker, or a name of the wrong type, asks none', async () => {
    expect(await several.refusal('list_campaigns', { tracker: 'other' })).toContain('must be one of main, native');
    expect(await several.refusal('list_campaigns', { tracker: { name: 'main' } })).toContain('must be one of');
    expect(await several.refusal('list_campaigns', { tracker: keys.native })).not.toContain(keys.native);
    expectNoRequest();
  });

  it('with a different mistake names its tracker and the argument tracker', async () => {
    const message = await several.refusal('list_campaigns', { tracker: 'main', statuss: 'all' });
    expect(message).toMatch(/^Tracker main: .*The arguments are: tracker, status/);
  });

  it('with the key of any tracker in an argument is refused', async () => {
    for (const [name, value] of Object.entries(keys)) {
      const given = { tracker: 'main', name: `Offer ${value}`, url: 'https://offers.example.com/a' };
      const message = await several.refusal('add_offer', given);
      expect(message, name).toContain('holds the API key');
      expect(message).not.toContain(value);
    }
    expectNoRequest();
  });

  it('shows no key of any tracker, even if a different tracker repeats it', async () => {
    main.answer('campaign/list', JSON.stringify([{ ID: '1', Name: `${keys.native} and ${keys.main}` }]));
    const result = await several.call('list_campaigns', { tracker: 'main' });
    main.answer('campaign/list', answers.main['campaign/list']);
    expect(JSON.stringify(result)).not.toMatch(/key-of-the/);
    expect(JSON.stringify(result)).toContain('*** and ***');
  });
});

describe('the memory of the server', () => {
  it('keeps answers of each tracker apart: the same call for a different one asks again', async () => {
    const { data } = await connect({ trackers: trackersWith() });
    await data('list_campaigns', { tracker: 'main' });
    const later = await data<PresentedTables>('list_campaigns', { tracker: 'native', offset: 1 });
    expect(later.tables[0]).toMatchObject({ total_rows: 1 });
    expect(native.taken()).toHaveLength(1);
  });

  it('has tables for queries with the name of their tracker, and one query joins both', async () => {
    for (const tracker of ['main', 'native']) {
      const { notices } = await several.data<PresentedTables>('list_campaigns', { tracker });
      expect(notices.join()).toMatch(new RegExp(`campaigns is r\\d+ or ${tracker}_campaigns`));
    }
    const sql = 'SELECT m."Name", n."Name" FROM main_campaigns m JOIN native_campaigns n ON m."ID" = n."ID"';
    const { tables } = await several.data<PresentedTables>('query_report', { sql });
    expect(tables[0]?.rows).toEqual([['Search', 'Widgets']]);
    expect(await several.refusal('query_report', { sql: 'SELECT * FROM campaigns' })).toContain('(campaigns of main)');
  });

  it('lists and undoes changes only on their own tracker', async () => {
    const given = { tracker: 'main', campaign_id: 7, priority: 2 };
    const { change_id } = await several.data<{ change_id: string }>('edit_campaign', given);
    expect(await several.data('list_changes', { tracker: 'native' })).toMatchObject({ changes: [] });
    expect(await several.data('list_changes')).toMatchObject({ changes: [{ change_id, tracker: 'main' }] });
    expect(textOf(await several.call('list_changes'))).toContain(`${change_id}  main  `);
    expect(await several.data('list_changes', { campaign_id: 7 })).toMatchObject({ changes: [{ tracker: 'main' }] });
    const message = await several.refusal('undo_change', { tracker: 'native', change_id });
    expect(message).toMatch(/Tracker native: There is no change/);
    expect(native.writes()).toEqual([]);
  });

  it('keeps changes of earlier runs apart for two accounts at one URL', async () => {
    const run = async (account: string, tool: string, given?: Readonly<Record<string, unknown>>) => {
      const identity = { tracker: `${main.url} (${account})`, trackerName: account };
      const auditTrail = openTrail(join(folder, 'accounts.jsonl'), identity);
      const { data } = await connect({ url: main.url, apiKey: keys.main, policy: { auditTrail } });
      return (await data<{ changes?: unknown[] }>(tool, given)).changes;
    };
    await run('first', 'edit_campaign', { campaign_id: 7, priority: 3 });
    expect(await run('first', 'list_changes')).toHaveLength(1);
    expect(await run('second', 'list_changes')).toEqual([]);
  });
});

it('the question to a person names the tracker', async () => {
  const { questions, person } = askedPerson({ action: 'decline' });
  const policy = { confirm: true };
  const { refusal } = await connect({ person, trackers: trackersWith({ main: { policy }, native: { policy } }) });
  const message = await refusal('edit_campaign', { tracker: 'native', campaign_id: 7, priority: 1 });
  expect(message).toMatch(/^Tracker native:/);
  expect(questions).toEqual([expect.stringMatching(/^On the tracker native:\n/)]);
});

describe('the overview without a tracker', () => {
  const overviewOf = (connection: Connection) => connection.data<PresentedTables>('get_overview');

  it('has the campaigns of all trackers in one table, each with its tracker', async () => {
    const { tables } = await overviewOf(several);
    expect(tables).toHaveLength(1);
    expect(tables[0]?.columns.slice(0, 3)).toEqual(['Tracker', 'ID', 'Name']);
    expect(tables[0]?.rows.map((row) => row.slice(0, 3))).toEqual([
      ['native', 7, 'Widgets'],
      ['main', 7, 'Search'],
    ]);
    expect(keysOf(main)).toEqual(new Set([keys.main]));
    expect(keysOf(native)).toEqual(new Set([keys.native]));
  });

  it('never adds up money in different or unknown currencies, but adds up counts', async () => {
    const differing = trackersWith({ main: { currency: 'EUR' }, native: { currency: 'USD' } });
    for (const connection of [several, await connect({ trackers: differing })]) {
      const { tables, notices } = await overviewOf(connection);
      expect(tables[0]?.totals).toEqual({ Views: 200, Clicks: 18, 'Views before': 200 });
      expect(notices.join()).toMatch(/not added up.*main cost 10\.00.*native cost 30\.00/);
    }
  });

  it('adds up money of one currency', async () => {
    const same = trackersWith({ main: { currency: 'EUR' }, native: { currency: 'EUR' } });
    const { tables } = await overviewOf(await connect({ trackers: same }));
    expect(tables[0]?.totals).toMatchObject({ Cost: 40, Revenue: 40 });
  });

  it('keeps the column of the tracker whatever columns are asked for', async () => {
    const { tables } = await several.data<PresentedTables>('get_overview', { columns: ['Name', 'Cost'] });
    expect(tables[0]?.columns).toEqual(['Tracker', 'Name', 'Cost']);
    expect(tables[0]?.rows.map(([tracker]) => tracker)).toEqual(['native', 'main']);
  });

  it('names a tracker that cannot be read, and shows the others', async () => {
    native.answer('campaign/list', () => ({ status: 403, body: 'no' }));
    const { tables, notices } = await overviewOf(await connect({ trackers: trackersWith() }));
    native.answer('campaign/list', answers.native['campaign/list']);
    expect(tables[0]?.rows).toHaveLength(1);
    expect(notices.join()).toContain('Not read, and in no row and no total: the tracker native');
  });

  it('names the days of each tracker if their zones make them differ', async () => {
    const now = () => new Date('2026-06-10T01:00:00Z');
    const zones = trackersWith({ main: { now }, native: { now, timeZone: 'America/New_York' } });
    const { notices } = await overviewOf(await connect({ trackers: zones }));
    expect(notices).toContain('main: 2026-06-03 to 2026-06-09, days of UTC.');
    expect(notices).toContain('native: 2026-06-02 to 2026-06-08, days of America/New_York.');
  });

  it('takes no campaign IDs, which belong to one tracker', async () => {
    expect(await several.refusal('get_overview', { campaign_ids: [7] })).toContain('Name the tracker');
    const { tables } = await several.data<PresentedTables>('get_overview', { tracker: 'main', campaign_ids: [7] });
    expect(tables[0]?.columns[0]).toBe('ID');
  });
});

describe('resources, prompts and completion', () => {
  it('have the name of their tracker', async () => {
    const { resources } = await several.client.listResources();
    expect(resources.map(({ uri }) => uri).filter((uri) => uri.startsWith('tracker:'))).toEqual([
      ...['tracker://main/campaigns', 'tracker://native/campaigns'],
      ...['tracker://main/traffic-sources', 'tracker://native/traffic-sources'],
      ...['tracker://glossary', 'tracker://time-zones'],
    ]);
    const { resourceTemplates } = await several.client.listResourceTemplates();
    const templates = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
    expect(templates).toEqual(['tracker://{tracker}/campaigns/{campaign_id}']);
    const read = async (uri: string) => JSON.stringify(await several.client.readResource({ uri }));
    expect(await read('tracker://native/campaigns')).toContain('Widgets');
    expect(await read('tracker://main/campaigns/7')).toContain('Search');
    expect(await read('tracker://glossary')).toContain('EPV');
    await expect(read('tracker://campaigns')).rejects.toThrow('There is no resource');
    await expect(read('tracker://other/campaigns')).rejects.toThrow('There is no resource');
  });

  it('complete trackers, and the campaigns of the chosen one', async () => {
    const complete = async (name: string, value: string, chosen?: string) => {
      const { completion } = await several.client.complete({
        ref: { type: 'ref/prompt', name: 'campaign-review' },
        argument: { name, value },
        ...(chosen === undefined ? {} : { context: { arguments: { tracker: chosen } } }),
      });
      return completion.values;
    };
    expect(await complete('tracker', 'na')).toEqual(['native']);
    expect(await complete('campaign', '', 'native')).toEqual(['7 Widgets']);
    expect(await complete('campaign', '')).toEqual([]);
    expect(await complete('period', 'yester')).toEqual(['yesterday']);
  });

  it('take the tracker in every prompt, and pass it on', async () => {
    const { prompts } = await several.client.listPrompts();
    expect(prompts.map(({ arguments: taken }) => taken?.[0])).toEqual(
      prompts.map(() => expect.objectContaining({ name: 'tracker', required: true })),
    );
    const asked = { name: 'investigate-subid', arguments: { tracker: 'native', subid: 'abc' } };
    expect(JSON.stringify(await several.client.getPrompt(asked))).toContain(String.raw`the tracker \"native\"`);
  });
});

it('a token for some trackers neither sees nor reaches the others', async () => {
  const path = join(folder, 'tokens.json');
  const token = await new TokenFile(path).add({ name: 'ann', access: 'write', trackers: ['native'] });
  const { post } = await startHttp({ trackers: trackersWith() }, { verifier: new TokenFile(path) });
  const ask = async (method: string, params?: object) => {
    const { body } = await post({ jsonrpc: '2.0', id: 1, method, params }, { authorization: `Bearer ${token}` });
    return JSON.stringify(body);
  };
  expect(await ask('tools/list')).not.toMatch(/"main"/);
  expect(await ask('tools/call', { name: 'list_campaigns', arguments: {} })).toContain('Widgets');
  expect(await ask('tools/call', { name: 'list_campaigns', arguments: { tracker: 'main' } })).toContain('isError');
  expect(await ask('resources/read', { uri: 'tracker://main/campaigns' })).toContain('There is no resource');
  expect(main.taken()).toEqual([]);
});
