import { expect, test } from 'vitest';
import { rawText } from '../../../../src/api/text/tracker-text.ts';
import { type Body, readGroups } from '../read.ts';

const groups = [
  { name: 'Campaign Data', fields: Object.entries({ 'Campaign ID': '7', Revenue: '12.50' }) },
  { name: 'Geo Data', fields: Object.entries({ Country: 'DE', City: null }) },
  { name: 'Traffic Source Tokens', fields: Object.entries({ Keyword: 'buy "shoes" & more' }) },
];
const keyed = Object.fromEntries(
  groups.map(({ name, fields }) => [name, Object.fromEntries(fields.map(([field, value]) => [field, value ?? '']))]),
);
const escapeXml = (text: string | null | undefined) => (text ?? '').replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const element = (tag: string, name: string, inside: string) => `<${tag} name="${name}">${inside}</${tag}>`;
const named = (group: string, field: string) => {
  const write = ([key, value]: [string, string | null]) => element(field, key, escapeXml(value));
  return groups.map(({ name, fields }) => element(group, name, fields.map(write).join(''))).join('');
};

const shapes: Record<string, Body> = {
  'keyed by name': keyed,
  'keyed under Groups': { Status: 'OK', Groups: keyed },
  'keyed under data': { status: 'success', data: keyed },
  'keyed under a record of the click': { click: { data: keyed } },
  'a list around it': [keyed],
  'a list of name and fields': groups.map(({ name }) => ({ name, fields: keyed[name] })),
  'a list of group and data': { groups: groups.map(({ name }) => ({ group: name, data: keyed[name] })) },
  'fields as name and value': groups.map(({ name, fields }) => ({
    title: name,
    fields: fields.map(([key, value]) => ({ name: key, value: value ?? '' })),
  })),
  'keyed, fields as label and value': Object.fromEntries(
    groups.map(({ name, fields }) => [name, fields.map(([label, value]) => ({ label, value }))]),
  ),
  'each group a list of one record': Object.fromEntries(groups.map(({ name }) => [name, [keyed[name]]])),
  'groups and fields with names': `<?xml version="1.0"?><Response><Status>OK</Status><Groups>${named('Group', 'Field')}</Groups></Response>`,
  'straight in the root': `<lookup>${named('section', 'item')}</lookup>`,
};

test.each(Object.entries(shapes))('the groups of a visitor are found: %s', async (_, body) => {
  const reply = await readGroups(body);
  expect(reply.groups).toEqual(groups);
  expect(reply.notices).toEqual([]);
});

test('groups as elements have the names of the elements', async () => {
  const reply = await readGroups(
    '<lookup><CampaignData><ID>7</ID></CampaignData><GeoData><Country>DE</Country><City/></GeoData><DeviceData/></lookup>',
  );
  expect(reply.groups).toEqual([
    { name: 'CampaignData', fields: [['ID', '7']] },
    { name: 'GeoData', fields: Object.entries({ Country: 'DE', City: null }) },
    { name: 'DeviceData', fields: [] },
  ]);
});

const record = { SubID: 'ab12cd34_7_00000345', Country: 'DE' };
const flat: Record<string, Body> = {
  'a record': record,
  'a record under data': { status: 'OK', data: record },
  'a list of one record': [record],
  elements: '<visitor><SubID>ab12cd34_7_00000345</SubID><Country>DE</Country></visitor>',
  'name and value': Object.entries(record).map(([name, value]) => ({ name, value })),
};

test.each(Object.entries(flat))('fields without groups are one group: %s', async (_, body) => {
  expect((await readGroups(body)).groups).toEqual([{ name: 'Visitor', fields: Object.entries(record) }]);
});

test.each([[null], [[]], [{}], ['']])('an empty group keeps its name: %j', async (value) => {
  const reply = await readGroups({ 'Geo Data': { Country: 'DE' }, 'Device Data': value });
  expect(reply.groups).toEqual([
    { name: 'Geo Data', fields: [['Country', 'DE']] },
    { name: 'Device Data', fields: [] },
  ]);
});

test('plain values next to the groups form a separate group', async () => {
  const reply = await readGroups({ SubID: 'ab12_7_345', 'Geo Data': { Country: 'DE' } });
  expect(reply.groups).toEqual([
    { name: 'Visitor', fields: [['SubID', 'ab12_7_345']] },
    { name: 'Geo Data', fields: [['Country', 'DE']] },
  ]);
});

test('a group inside a group is kept as text', async () => {
  const reply = await readGroups({ 'Geo Data': { Country: 'DE', Position: { lat: 52.5, lon: '13.40' } } });
  const fields = { Country: 'DE', Position: '{"lat":"52.5","lon":"13.40"}' };
  expect(reply.groups[0]?.fields).toEqual(Object.entries(fields));
});

const headed: Record<string, Parameters<typeof readGroups>[0]> = {
  'in JSON': { 'Geo Data': Object.entries({ Name: 'Value', Country: 'US', City: '' }) },
  'in JSON, under other words': { 'Geo Data': Object.entries({ Field: 'Data', Country: 'US', City: null }) },
  'in XML':
    '<Lookup><GeoData><row><cell>Name</cell><cell>Value</cell></row><row><cell>Country</cell><cell>US</cell></row><row><cell>City</cell><cell/></row></GeoData></Lookup>',
};

test.each(Object.entries(headed))('a group as pairs with a heading row reads like any other: %s', async (_, body) => {
  const [group, ...others] = (await readGroups(body)).groups;
  expect(others).toEqual([]);
  expect(group && rawText(group.name).replace(' ', '')).toBe('GeoData');
  expect(group?.fields).toEqual(Object.entries({ Country: 'US', City: null }));
});

test('pairs without a heading row, or with a name twice, are no fields by that name', async () => {
  for (const text of ['[["Country","US"],["City","Reno"]]', '[["Name","Value"],["Tag","a"],["Tag","b"]]']) {
    const pairs: unknown[] = JSON.parse(text);
    const expected = pairs.map((pair, index) => [String(index + 1), JSON.stringify(pair)]);
    expect((await readGroups({ 'Geo Data': pairs })).groups[0]?.fields).toEqual(expected);
  }
});

test.each([[{ took_ms: 3, data: [] }], [{ success: true, elapsed: '0.02 s', result: {} }]])(
  'what a framework writes beside an empty answer is no visitor: %j',
  async (body) => expect((await readGroups(body)).groups).toEqual([]),
);

test('a fact beside an empty answer is one of the visitor', async () => {
  const { groups } = await readGroups({ Country: 'DE', data: [] });
  expect(groups[0]).toEqual({ name: 'Visitor', fields: [['Country', 'DE']] });
});
