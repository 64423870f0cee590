import { describe, expect, it } from 'vitest';
import { endpoints } from '../../src/api/endpoints.ts';
import { apiKey, connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { expectedWire, plainAnswers, specified, specifiedTools, validArguments } from '../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);
const { data } = await connect({ url: tracker.url });

/** The one request that a call sends, its parameters as a record. */
async function requestOf(name: string, given: Readonly<Record<string, unknown>>) {
  await data(name, given);
  const all = tracker.taken();
  // Before an edit, the server reads the present values.
  const { access, path } = specified[name] ?? {};
  const requests = access === 'read' ? all : all.filter((request) => request.path === `/api/${path}/`);
  const [request] = requests;
  if (!request || requests.length > 1) throw new Error(`${name} sent ${requests.length} requests`);
  const names = request.parameters.map(([parameter]) => parameter);
  expect(new Set(names).size, 'no parameter twice').toBe(names.length);
  return request;
}

async function sentBy(name: string, given: Readonly<Record<string, unknown>>): Promise<Record<string, string>> {
  const { key: _, format: __, ...sent } = (await requestOf(name, given)).sent;
  return sent;
}

it('the endpoints are those of the specification, with only the arguments of the design', () => {
  const table = endpoints.map(({ name, path, access, parameters }) => {
    const entries: [string, { wire: string; required?: true }][] = Object.entries(parameters);
    const required = entries.flatMap(([argument, parameter]) => (parameter.required ? [argument] : []));
    const wire = Object.fromEntries(entries.map(([argument, parameter]) => [argument, parameter.wire]));
    return [name, { path, access, required, wire }];
  });
  const expected = specifiedTools.map(({ name, ...tool }) => {
    const { path, access, required, wire } = tool;
    return [name, { path, access, required, wire }];
  });
  expect(Object.fromEntries(table)).toEqual(Object.fromEntries(expected));
});

describe.each(specifiedTools)('$name', (tool) => {
  it('is one POST to its path with a final slash, form-encoded, with the key only in the body', async () => {
    const request = await requestOf(tool.name, validArguments(tool));
    expect(request.method).toBe('POST');
    expect(request.path).toBe(`/api/${tool.path}/`);
    expect(request.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
    expect(request.query).toBe('');
    expect(request.sent).toMatchObject({ key: apiKey, format: 'json' });
    const { key: _, ...visible } = { ...request.headers, ...request.sent };
    expect(JSON.stringify(visible)).not.toContain(apiKey);
  });

  const names = Object.keys(tool.wire);
  const together = names.filter((argument) => argument !== tool.companions?.unless);

  it.each<[string, readonly string[]]>([
    ['only required arguments', []],
    ['all compatible arguments', together],
    ...names.map((argument): [string, string[]] => [argument, [argument]]),
  ])('sends exactly the given arguments: %s', async (_, argument) => {
    const given = validArguments(tool, ...argument);
    expect(await sentBy(tool.name, given)).toEqual(expectedWire(tool, given));
  });
});

describe('values', () => {
  it.each(specifiedTools.filter(({ wire }) => wire['active']))('$name sends active as inactive', async (tool) => {
    const sent = [];
    for (const active of [true, false, 'true', 0])
      sent.push((await sentBy(tool.name, { ...validArguments(tool, 'active'), active }))['inactive']);
    expect(sent).toEqual(['0', '1', '0', '1']);
  });

  it.each([
    [1e-7, '0.0000001'],
    [0.1, '0.1'],
    [0, '0'],
    [100_000, '100000'],
    [1_000_000, '1000000'],
    ['0.50', '0.5'],
    [2.5e-5, '0.000025'],
  ])('an amount of %s is the decimal number %s', async (bid, wire) => {
    expect((await sentBy('edit_campaign', { campaign_id: 1, bid }))['bid']).toBe(wire);
  });

  it('an ID may come as numeric text', async () => {
    const given = { campaign_id: '4', page_id: ' 13 ', share: '12.5', level: '2' };
    const sent = { campaignid: '4', pageid: '13', share: '12.5', level: '2' };
    expect(await sentBy('edit_campaign_page', given)).toEqual(sent);
  });

  it.each([
    ['active campaigns are requested with 1', 'list_campaigns', { status: 'active' }, { active: '1' }],
    ['inactive campaigns are requested with 0', 'list_campaigns', { status: 'inactive' }, { active: '0' }],
    ['all campaigns are requested without a status', 'list_campaigns', { status: 'all' }, {}],
    ['no extra tokens is the default', 'get_stats', { campaign_id: 4, include_extra_tokens: false }, { camp: '4' }],
    ['campaign 0 is sent for all campaigns', 'list_visitors', { campaign_id: 0 }, { camp: '0' }],
    ['an empty note is sent to clear the note', 'edit_offer', { offer_id: 1, notes: '' }, { id: '1', notes: '' }],
    ['a ClickID keeps its leading zeros', 'lookup_subid', { subid: '00000345' }, { subid: '00000345' }],
    ['a ClickID may be a number', 'lookup_subid', { subid: 345 }, { subid: '345' }],
  ])('%s', async (_, name, given, sent) => {
    expect(await sentBy(name, given)).toEqual(sent);
  });

  it('every column of the specification can group the target report', async () => {
    const names = ['Keyword', 'AdValue', 'CampaignID', ...Array.from({ length: 15 }, (_, at) => `Extra${at + 1}`)];
    const group_by = [...names, 'Offer', 'Offer2'];
    expect((await sentBy('get_stats', { campaign_id: 4, group_by }))['grcols']).toBe(group_by.join(','));
  });

  it('get_stats sends every report of the specification', async () => {
    const reports = ['all', 'target', 'ad', 'landing', 'thankyou', 'offer', 'campaign'];
    expect((await sentBy('get_stats', { campaign_id: 4, reports }))['report']).toBe(reports.join(','));
  });

  it.each(Object.keys(specified['list_visitors']?.wire ?? {}))(
    'arguments for the view are not sent to the tracker, with %s',
    async (argument) => {
      const tool = specified['list_visitors'];
      if (!tool) throw new Error('no such tool');
      const given = validArguments(tool, argument);
      const view = { columns: ['Keyword'], sort_by: 'Keyword', sort_order: 'asc', limit: 3 };
      expect(await sentBy('list_visitors', { ...given, ...view })).toEqual(expectedWire(tool, given));
    },
  );
});
