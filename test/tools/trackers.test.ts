import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AuditTrail } from '../../src/guard/audit-trail.ts';
import { TokenFile } from '../../src/mcp/http/token-file.ts';
import { instructions, instructionsForSeveral } from '../../src/tools/catalogue.ts';
import type { PresentedTables } from '../../src/tools/present/outputs.ts';
import { askedPerson, type ConnectOptions, connect, textOf } from '../support/connect.ts';
import { newFolder } from '../support/folders.ts';
import { type ForeignTracker, startForeignTracker } from '../support/foreign-tracker.ts';
import { startHttp } from '../support/http-server.ts';
import { plainAnswers, specifiedTools, writingTools } from '../support/specified.ts';

const folder = await newFolder();

const keys = { main: 'key-of-the-main-tracker', native: 'key-of-the-native-tracker' };
const stats = (cost: string) => ({
  body: JSON.stringify({
    Reports: { campaign: [{ ID: '7', Views: '100', Clicks: '9', Cost: cost, Revenue: '20.00' }] },
  }),
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

const toolNamed = ({ listed }: typeof several, wanted: string) => listed.find(({ name }) => name === wanted);
const propertiesOf = (connection: typeof several, name: string) =>
  (toolNamed(connection, name)?.inputSchema.properties ?? {}) as Record<string, { enum?: string[]; default?: string }>;

describe('the listing', () => {
  it('has tracker in every tool that asks a tracker, first and with the names', () => {
    for (const { name } of several.listed) {
      const properties = propertiesOf(several, name);
      if (name === 'query_report') expect(properties).not.toHaveProperty('tracker');
      else {
        expect(Object.keys(properties)[0], name).toBe('tracker');
        expect(properties['tracker']?.enum, name).toEqual(['main', 'native']);
      }
    }
  });

  it('requires it, but of a tool that takes all and of reads where there is a default', () => {
    const requiring = ({ listed }: typeof several) =>
      listed.filter(({ inputSchema }) => inputSchema.required?.includes('tracker')).map(({ name }) => name);
    const optional = ['get_overview', 'query_report'];
    expect(requiring(several)).toEqual(
      several.listed.map(({ name }) => name).filter((name) => !optional.includes(name)),
    );
    const writes = withDefault.listed.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name);
    expect(requiring(withDefault)).toEqual(writes);
    expect(propertiesOf(withDefault, 'get_stats')['tracker']?.default).toBe('main');
  });

  it('is the same with one tracker of a file as without a file', async () => {
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

  it('says under each name a limit that is not that of all, and once one that is', async () => {
    const limited = (native: number) =>
      connect({
        trackers: trackersWith({
          main: { policy: { limits: { maxBid: 0.5 } } },
          native: { policy: { limits: { maxBid: native } } },
        }),
      });
    const described = (connection: typeof several) =>
      (propertiesOf(connection, 'edit_campaign')['bid'] as { description?: string } | undefined)?.description;
    const [plain, same, apart] = [several, await limited(0.5), await limited(0.2)].map(described);
    const limit = same?.slice(`${plain}. `.length) ?? '';
    expect(limit).toContain('0.5');
    expect(apart).toBe(`${plain}. main: ${limit} native: ${limit.replace('0.5', '0.2')}`);
  });

  it('says in the instructions that there are several, within what hosts show', () => {
    expect(several.client.getInstructions()).toBe(instructionsForSeveral);
    expect(instructionsForSeveral).not.toBe(instructions);
    expect(Buffer.byteLength(instructionsForSeveral)).toBeLessThan(2048);
  });
});

describe('a call', () => {
  it.each(specifiedTools.map(({ name }) => [name]))('%s without a tracker asks none, and names both', async (name) => {
    expect(await several.refusal(name, {})).toMatch(/tracker is missing: one of main, native\. Nothing was sent/);
    expect([...main.taken(), ...native.taken()]).toEqual([]);
  });

  it.each(writingTools.map(({ name }) => [name]))('%s is never taken to be about the default', async (name) => {
    expect(await withDefault.refusal(name, {})).toContain('tracker is missing: one of main, native');
    expect([...main.taken(), ...native.taken()]).toEqual([]);
  });

  it('reaches the tracker that it names, with the key of that one alone, and its answer names it', async () => {
    const campaigns = await several.data<PresentedTables & { tracker: string }>('list_campaigns', {
      tracker: 'native',
    });
    expect(campaigns).toMatchObject({ tracker: 'native', tables: [{ rows: [[7, 'Widgets']] }] });
    expect(main.taken()).toEqual([]);
    expect(keysOf(native)).toEqual(new Set([keys.native]));
    const { tracker } = await several.data<{ tracker: string }>('list_campaigns', { tracker: ' MAIN ' });
    expect(tracker).toBe('main');
    expect(keysOf(main)).toEqual(new Set([keys.main]));
  });

  it('to read without a tracker uses the default', async () => {
    const { tracker } = await withDefault.data<{ tracker: string }>('list_campaigns');
    expect(tracker).toBe('main');
  });

  it('to an unknown tracker, or with a name of the wrong type, asks none', async () => {
    expect(await several.refusal('list_campaigns', { tracker: 'other' })).toContain('must be one of main, native');
    expect(await several.refusal('list_campaigns', { tracker: { name: 'main' } })).toContain('must be one of');
    expect(await several.refusal('list_campaigns', { tracker: keys.native })).not.toContain(keys.native);
    expect([...main.taken(), ...native.taken()]).toEqual([]);
  });

  it('with a different mistake names its tracker and the argument tracker', async () => {
    const said = await several.refusal('list_campaigns', { tracker: 'main', statuss: 'all' });
    expect(said).toMatch(/^Tracker main: .*The arguments are: tracker, status/);
  });

  it('with the key of any tracker in an argument is refused', async () => {
    for (const [name, value] of Object.entries(keys)) {
      const given = { tracker: 'main', name: `Offer ${value}`, url: 'https://offers.example.com/a' };
      const said = await several.refusal('add_offer', given);
      expect(said, name).toContain('holds the API key');
      expect(said).not.toContain(value);
    }
    expect([...main.taken(), ...native.taken()]).toEqual([]);
  });

  it('shows no key of any tracker, whichever tracker repeats it', async () => {
    main.answer('campaign/list', JSON.stringify([{ ID: '1', Name: `${keys.native} and ${keys.main}` }]));
    const result = await several.call('list_campaigns', { tracker: 'main' });
    main.answer('campaign/list', answers.main['campaign/list']);
    expect(JSON.stringify(result)).not.toMatch(/key-of-the/);
    expect(JSON.stringify(result)).toContain('*** and ***');
  });
});

describe('what is kept of answers', () => {
  it('is separate for each tracker: the same question to a different one is asked', async () => {
    const { data } = await connect({ trackers: trackersWith() });
    await data('list_campaigns', { tracker: 'main' });
    const later = await data<PresentedTables>('list_campaigns', { tracker: 'native', offset: 1 });
    expect(later.tables[0]).toMatchObject({ total_rows: 1 });
    expect(native.taken()).toHaveLength(1);
  });

  it('as tables for queries names its tracker, and one query joins both', async () => {
    const one = await several.data<PresentedTables>('list_campaigns', { tracker: 'main' });
    const other = await several.data<PresentedTables>('list_campaigns', { tracker: 'native' });
    expect(one.notices.join()).toMatch(/campaigns is r\d+ or main_campaigns/);
    expect(other.notices.join()).toMatch(/campaigns is r\d+ or native_campaigns/);
    const sql =
      'SELECT m."Name" AS one, n."Name" AS other FROM main_campaigns m JOIN native_campaigns n ON m."ID" = n."ID"';
    const { tables } = await several.data<PresentedTables>('query_report', { sql });
    expect(tables[0]?.rows).toEqual([['Search', 'Widgets']]);
    expect(await several.refusal('query_report', { sql: 'SELECT * FROM campaigns' })).toContain('(campaigns of main)');
  });

  it('as changes is listed and undone only on its own tracker', async () => {
    const changed = await several.data<{ change_id: string }>('edit_campaign', {
      ...{ tracker: 'main', campaign_id: 7, priority: 2 },
    });
    const { changes } = await several.data<{ changes: unknown[] }>('list_changes', { tracker: 'native' });
    expect(changes).toEqual([]);
    expect(await several.refusal('undo_change', { tracker: 'native', change_id: changed.change_id })).toMatch(
      /Tracker native: There is no change/,
    );
    expect(native.writes()).toEqual([]);
  });

  it('as changes of earlier runs is separate for two accounts at one URL', async () => {
    const log = join(folder, 'accounts.jsonl');
    const first = new AuditTrail(log, `${main.url} (one)`, 'one');
    const asking = { url: main.url, apiKey: keys.main };
    const before = await connect({ ...asking, policy: { auditTrail: first } });
    await before.data('edit_campaign', { campaign_id: 7, priority: 3 });
    await first.close();
    const changesFor = async (name: string) => {
      const trail = new AuditTrail(log, `${main.url} (${name})`, name);
      const { data } = await connect({ ...asking, policy: { auditTrail: trail } });
      const { changes } = await data<{ changes: unknown[] }>('list_changes');
      await trail.close();
      return changes;
    };
    expect(await changesFor('one')).toHaveLength(1);
    expect(await changesFor('two')).toEqual([]);
  });
});

it('the question to a person names the tracker', async () => {
  const { questions, person } = askedPerson({ action: 'decline' });
  const policy = { confirm: true };
  const { refusal } = await connect({ person, trackers: trackersWith({ main: { policy }, native: { policy } }) });
  expect(await refusal('edit_campaign', { tracker: 'native', campaign_id: 7, priority: 1 })).toMatch(
    /^Tracker native:/,
  );
  expect(questions).toEqual([expect.stringMatching(/^On the tracker native:\n/)]);
});

describe('the overview without a tracker', () => {
  const overviewOf = (connection: typeof several) => connection.data<PresentedTables>('get_overview');

  it('has the campaigns of all in one table, each with its tracker', async () => {
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
    expect(notices).toEqual(
      expect.arrayContaining([
        'main: 2026-06-03 to 2026-06-09, days of UTC.',
        'native: 2026-06-02 to 2026-06-08, days of America/New_York.',
      ]),
    );
  });

  it('takes no campaign IDs, which belong to one tracker', async () => {
    expect(await several.refusal('get_overview', { campaign_ids: [7] })).toContain('Name the tracker');
    const one = await several.data<PresentedTables>('get_overview', { tracker: 'main', campaign_ids: [7] });
    expect(one.tables[0]?.columns[0]).toBe('ID');
  });
});

describe('resources, prompts and completion', () => {
  it('are of each tracker by its name', async () => {
    const { resources } = await several.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      ...['tracker://main/campaigns', 'tracker://native/campaigns'],
      ...['tracker://main/traffic-sources', 'tracker://native/traffic-sources'],
      ...['tracker://glossary', 'tracker://time-zones'],
    ]);
    const { resourceTemplates } = await several.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'tracker://{tracker}/campaigns/{campaign_id}',
    ]);
    const read = async (uri: string) => JSON.stringify(await several.client.readResource({ uri }));
    expect(await read('tracker://native/campaigns')).toContain('Widgets');
    expect(await read('tracker://main/campaigns/7')).toContain('Search');
    expect(await read('tracker://glossary')).toContain('EPV');
    await expect(read('tracker://campaigns')).rejects.toThrow('There is no resource');
    await expect(read('tracker://other/campaigns')).rejects.toThrow('There is no resource');
  });

  it('completes trackers, and the campaigns of the one that is chosen', async () => {
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

it('the text of an answer begins with its tracker', async () => {
  expect(textOf(await several.call('list_campaigns', { tracker: 'main' }))).toMatch(/^tracker: main\n/);
});
