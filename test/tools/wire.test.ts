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
  // An edit is preceded by a look at what is there.
  const requests =
    specified[name]?.access === 'read' ? all : all.filter(({ path }) => path === `/api/${specified[name]?.path}/`);
  const [request] = requests;
  if (!request || requests.length > 1) throw new Error(`${name} sent ${requests.length} requests`);
  const names = request.parameters.map(([parameter]) => parameter);
  expect(new Set(names).size, 'no parameter twice').toBe(names.length);
  return { ...request, sent: Object.fromEntries(request.parameters) };
}

async function sentBy(name: string, given: Readonly<Record<string, unknown>>): Promise<Record<string, string>> {
  const { key: _, format: __, ...sent } = (await requestOf(name, given)).sent;
  return sent;
}

it('the endpoints are those of the specification, with the arguments of the design and no others', () => {
  const table = Object.fromEntries(
    endpoints.map(({ name, path, access, parameters }) => [
      name,
      {
        path,
        access,
        required: Object.entries(parameters).flatMap(([argument, { required }]: [string, { required?: true }]) =>
          required ? [argument] : [],
        ),
        wire: Object.fromEntries(Object.entries(parameters).map(([argument, { wire }]) => [argument, wire])),
      },
    ]),
  );
  const expected = specifiedTools.map(({ name, path, access, required, wire }) => [
    name,
    { path, access, required, wire },
  ]);
  expect(table).toEqual(Object.fromEntries(expected));
});

describe.each(specifiedTools)('$name', (tool) => {
  it('is one POST to its path with a slash at the end, form-encoded, with the key in the body alone', async () => {
    const request = await requestOf(tool.name, validArguments(tool));
    expect(request.method).toBe('POST');
    expect(request.path).toBe(`/api/${tool.path}/`);
    expect(request.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
    expect(request.query).toBe('');
    expect(request.sent).toMatchObject({ key: apiKey, format: 'json' });
    const { key: _, ...visible } = { ...request.headers, ...request.sent };
    expect(JSON.stringify(visible)).not.toContain(apiKey);
  });

  it('sends nothing but what was given, where as little as possible is given', async () => {
    const given = validArguments(tool);
    expect(await sentBy(tool.name, given)).toEqual(expectedWire(tool, given));
  });

  it('sends all that can stand together at once', async () => {
    const skipped = tool.companions?.unless;
    const given = validArguments(tool, ...Object.keys(tool.wire).filter((argument) => argument !== skipped));
    expect(await sentBy(tool.name, given)).toEqual(expectedWire(tool, given));
  });

  it.each(Object.keys(tool.wire))('puts %s on the wire as it is', async (argument) => {
    const given = validArguments(tool, argument);
    expect(await sentBy(tool.name, given)).toEqual(expectedWire(tool, given));
  });
});

describe('values', () => {
  it.each(specifiedTools.filter(({ wire }) => wire['active']))(
    '$name turns active round: the wire says inactive',
    async (tool) => {
      for (const [active, inactive] of [
        [true, '0'],
        [false, '1'],
        ['true', '0'],
        [0, '1'],
      ] as const) {
        const given = { ...validArguments(tool, 'active'), active };
        expect((await sentBy(tool.name, given))['inactive']).toBe(inactive);
      }
    },
  );

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
    expect(await sentBy('edit_campaign_page', given)).toEqual({
      campaignid: '4',
      pageid: '13',
      share: '12.5',
      level: '2',
    });
  });

  it('status is sent as 1 or 0, and not at all for all campaigns', async () => {
    expect(await sentBy('list_campaigns', { status: 'active' })).toEqual({ active: '1' });
    expect(await sentBy('list_campaigns', { status: 'inactive' })).toEqual({ active: '0' });
    expect(await sentBy('list_campaigns', { status: 'all' })).toEqual({});
  });

  it('extra tokens are asked for with 1, and not asked for with nothing', async () => {
    expect(await sentBy('get_stats', { campaign_id: 4, include_extra_tokens: false })).toEqual({ camp: '4' });
  });

  it('campaign 0 stands for all campaigns where the specification says so', async () => {
    expect(await sentBy('list_visitors', { campaign_id: 0 })).toEqual({ camp: '0' });
  });

  it('every column of the specification can group the target report', async () => {
    const names = ['Keyword', 'AdValue', 'CampaignID', ...Array.from({ length: 15 }, (_, at) => `Extra${at + 1}`)];
    const group_by = [...names, 'Offer', 'Offer2'];
    expect((await sentBy('get_stats', { campaign_id: 4, group_by }))['grcols']).toBe(group_by.join(','));
  });

  it('every report of the specification can be asked for', async () => {
    const reports = ['all', 'target', 'ad', 'landing', 'thankyou', 'offer', 'campaign'];
    expect((await sentBy('get_stats', { campaign_id: 4, reports }))['report']).toBe(reports.join(','));
  });

  it('an empty note is sent, which clears the note', async () => {
    expect(await sentBy('edit_offer', { offer_id: 1, notes: '' })).toEqual({ id: '1', notes: '' });
  });

  it('a ClickID keeps its leading zeros', async () => {
    expect(await sentBy('lookup_subid', { subid: '00000345' })).toEqual({ subid: '00000345' });
    expect(await sentBy('lookup_subid', { subid: 345 })).toEqual({ subid: '345' });
  });

  it.each(Object.keys(specified['list_visitors']?.wire ?? {}))(
    'arguments for the view are not sent to the tracker, with %s',
    async (argument) => {
      const tool = specified['list_visitors'];
      if (!tool) throw new Error('no such tool');
      const given = validArguments(tool, argument);
      const shown = { columns: ['Keyword'], sort_by: 'Keyword', sort_order: 'asc', limit: 3 };
      expect(await sentBy('list_visitors', { ...given, ...shown })).toEqual(expectedWire(tool, given));
    },
  );
});
