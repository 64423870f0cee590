import { expect, test } from 'vitest';
import { type Body, problemWith, readTables } from '../read.ts';
import { attributes, elements } from '../render.ts';

/** Every shape of the same three campaigns gives this table. */
const columns = ['ID', 'Name', 'Url'];
const rows = [
  ['4', 'Solo Ads', 'https://t.example/base.php?c=4&key=ab'],
  ['7', 'Push — DE', 'https://t.example/base.php?c=7'],
  ['12', 'Empty one', null],
];
const records = [
  { ID: '4', Name: 'Solo Ads', Url: 'https://t.example/base.php?c=4&key=ab' },
  { ID: '7', Name: 'Push — DE', Url: 'https://t.example/base.php?c=7' },
  { ID: '12', Name: 'Empty one', Url: '' },
];
const lists = rows.map((row) => row.map((cell) => cell ?? ''));
const keyed = Object.fromEntries(records.map((record) => [record.ID, record]));

const shapes: Record<string, Body> = {
  'a bare array': records,
  'Status and Rows': { Status: 'OK', Rows: records },
  'status and data': { status: 'success', data: records },
  'under the noun': { campaigns: records },
  'under an unknown name': { kampagnen: records },
  'three wrappers deep': { response: { status: 1, result: { list: records } } },
  'an error of null with the rows': { error: null, data: records },
  'an error of 0 and no message': { error: 0, message: '', rows: records },
  'numbers as numbers': records.map((record) => ({ ...record, ID: Number(record.ID) })),
  'null instead of empty text': { rows: records.map((record) => ({ ...record, Url: record.Url || null })) },
  'a field left out if it is empty': [records[0], records[1], { ID: '12', Name: 'Empty one' }],
  'keyed by ID': { status: 'ok', data: keyed },
  'keyed by ID at the top': keyed,
  'keyed by position': { rows: { 0: records[0], 1: records[1], 2: records[2] } },
  'a header row and lists': [columns, ...lists],
  'columns and rows': { columns, rows: lists },
  'headers and data': { status: 'ok', headers: columns, data: lists },
  'columns as records': { fields: columns.map((name) => ({ name, type: 'text' })), values: lists },
  'columns with records': { columns, rows: records },
  'one list per column, in a list': [
    { ID: ['4', '7', '12'], Name: rows.map((row) => row[1]), Url: rows.map((row) => row[2]) },
  ],
  'one list per column': { ID: ['4', '7', '12'], Name: rows.map((row) => row[1]), Url: rows.map((row) => row[2]) },
  'each row under the name of the record': records.map((record) => ({ Campaign: record })),
  'rows of name and value': records.map((record) => Object.entries(record).map(([name, value]) => ({ name, value }))),
  'a list of one that holds the rows': [{ status: 'ok', campaigns: records }],
  'row under rows': { rows: { row: records } },
  'Response, Rows, Row': `<?xml version="1.0"?>\n<Response><Status>OK</Status><Rows>${elements('Row', records)}</Rows></Response>`,
  'plural and singular': `<campaigns>${elements('campaign', records)}</campaigns>`,
  'rows straight in the root': `<result>${elements('item', records)}</result>`,
  'unknown element names': `<kampagnen>${elements('kampagne', records)}</kampagnen>`,
  'attributes only': `<campaigns>\n${attributes('campaign', records)}\n</campaigns>`,
  'attributes with meta attributes on the root': `<result status="ok" code="200">${attributes('row', records)}</result>`,
  'named fields': `<rows>${lists.map((list) => `<row>${list.map((cell, index) => `<field name="${columns[index]}"><![CDATA[${cell}]]></field>`).join('')}</row>`).join('')}</rows>`,
  'fields with name and value as attributes': `<rows>${lists.map((list) => `<row>${list.map((cell, index) => `<field name="${columns[index]}" value="${cell.replace('&', '&amp;')}"/>`).join('')}</row>`).join('')}</rows>`,
  'fields with name and value as elements': `<rows>${lists.map((list) => `<row>${list.map((cell, index) => `<f><name>${columns[index]}</name><value><![CDATA[${cell}]]></value></f>`).join('')}</row>`).join('')}</rows>`,
  'columns and cells': `<?xml version="1.0"?><table><columns>${columns.map((name) => `<column>${name}</column>`).join('')}</columns><rows>${lists.map((list) => `<row>${list.map((cell) => `<cell><![CDATA[${cell}]]></cell>`).join('')}</row>`).join('')}</rows></table>`,
  'a namespace with a prefix': `<t:campaigns xmlns:t="urn:tracker" xmlns:xsi="x">${elements('t:campaign', records).replace('<Url></Url>', '<Url xsi:nil="true"/>')}</t:campaigns>`,
  'a default namespace': `<campaigns xmlns="urn:tracker">${elements('campaign', records)}</campaigns>`,
  'a document type without entities': `<?xml version="1.0"?><!DOCTYPE campaigns SYSTEM "c.dtd"><campaigns>${elements('campaign', records)}</campaigns>`,
  'comments and processing instructions': `<?xml version="1.0"?><!-- c --><campaigns><?x y?>${elements('campaign', records).replace('</ID>', '</ID><!-- <Name>no</Name> -->')}</campaigns><!-- end -->`,
  'a lone ampersand': `<campaigns>${elements('campaign', records).replace('&amp;', '&')}</campaigns>`,
  'laid out over lines': `<campaigns>\n${elements('campaign', records).replaceAll('><', '>\n    <').replace('<Url>\n    </Url>', '<Url/>')}\n</campaigns>\n`,
};

const campaigns = { reply: 'rows', table: 'campaigns' } as const;
const conversions = { reply: 'rows', table: 'conversions' } as const;

const [first] = records;
const oneElement = `<ID>4</ID><Name>Solo Ads</Name><Url>https://t.example/base.php?c=4&amp;key=ab</Url>`;

const shapesOfOne: Record<string, Body> = {
  'a list of one': [first],
  'a record where there could be a list': { status: 'ok', data: first },
  'a record under the noun': { campaign: first },
  'keyed by its ID': { data: { 4: first } },
  'header and one list': { columns, rows: [lists[0]] },
  'one Row': `<Response><Status>OK</Status><Rows><Row>${oneElement}</Row></Rows></Response>`,
  'one campaign': `<campaigns><campaign>${oneElement}</campaign></campaigns>`,
  'one campaign deeper': `<response><data><campaigns><campaign>${oneElement}</campaign></campaigns></data></response>`,
  'one element of an unknown name': `<kampagnen><kampagne>${oneElement}</kampagne></kampagnen>`,
  'one element with attributes': `<campaigns><campaign ID="4" Name="Solo Ads" Url="https://t.example/base.php?c=4&amp;key=ab"/></campaigns>`,
};

test.each([
  ...Object.entries(shapes).map(([shape, body]) => [shape, body, rows] as const),
  ...Object.entries(shapesOfOne).map(([shape, body]) => [shape, body, rows.slice(0, 1)] as const),
])('the rows are found in: %s', async (_, body, found) => {
  const { tables, notices } = await readTables(body, campaigns);
  expect(tables).toEqual([{ name: 'campaigns', columns, rows: found }]);
  expect(notices).toEqual([]);
});

const nothing: Record<string, Body> = {
  'an empty array': '[]',
  'an empty record': '{}',
  null: 'null',
  'empty text': '""',
  'Rows empty': { Status: 'OK', Rows: [] },
  'Rows an empty record': { Status: 'OK', Rows: {} },
  'Rows null': { Status: 'OK', Rows: null },
  'Rows empty text': { Status: 'OK', Rows: '' },
  'data empty and a count': { success: true, data: [] },
  'a message with empty data': { status: 'success', message: 'ok', data: [] },
  'the noun empty': { campaigns: [] },
  'a closed root': '<campaigns/>',
  'an empty root': '<campaigns></campaigns>',
  'a root with a line break': '<?xml version="1.0"?>\n<campaigns>\n</campaigns>\n',
  'empty Rows': '<Response><Status>OK</Status><Rows/></Response>',
  'empty Rows over lines': '<Response>\n<Status>OK</Status>\n<Rows>\n</Rows>\n</Response>',
};

test.each(Object.entries(nothing))('no rows are an empty table in: %s', async (_, body) => {
  const { tables, notices } = await readTables(body, campaigns);
  expect(tables).toMatchObject([{ name: 'campaigns', rows: [] }]);
  expect(notices).toEqual([]);
});

/** What frameworks write around rows, with fields that no list of names knows whole. */
// biome-ignore format: one framework a line
const frameworks: Record<string, (list: readonly unknown[]) => object> = {
  DataTables: (data) => ({ draw: 1, recordsTotal: data.length, recordsFiltered: data.length, data }),
  'DataTables before 1.10': (aaData) => ({ sEcho: 1, iTotalRecords: aaData.length, aaData }),
  Laravel: (data) => ({ current_page: 1, data, first_page_url: 'x', from: 1, links: [{ url: null }], path: 'x', per_page: 9, next_page_url: null, total: data.length }),
  'Django REST': (results) => ({ count: results.length, next: null, previous: null, results }),
  Spring: (content) => ({ content, pageable: { offset: 0 }, totalElements: content.length, last: true, size: 9, number: 0, first: true, empty: content.length === 0 }),
  HAL: (conversions) => ({ _links: { self: { href: 'x' } }, _embedded: { conversions }, total: conversions.length }),
  OData: (value) => ({ '@odata.context': 'x', '@odata.count': value.length, value }),
  HasOffers: (data) => ({ request: { Target: 'x' }, response: { status: 1, httpStatus: 200, data: { page: 1, current: data.length, data }, errors: [], errorMessage: '' } }),
  'ASP.NET': (conversions) => ({ d: { __type: 'x', success: true, row_count: conversions.length, conversions } }),
  GraphQL: (nodes) => ({ data: { conversions: { nodes, pageInfo: { hasNextPage: false }, totalCount: nodes.length } } }),
  'a name of its own': (Rows) => ({ Campaign: 4, took_ms: 5, server: 'web3', cached: false, Rows }),
};

test.each(Object.entries(frameworks))('what %s writes around rows is no row, and hides none', async (_, around) => {
  const list = [
    { SubID: 'ab12_4_345', Revenue: '12.00' },
    { SubID: 'ab12_4_346', Revenue: '3.00' },
  ];
  const cells = list.map((row) => Object.values(row));
  expect((await readTables(around(list), conversions)).tables[0]?.rows).toEqual(cells);
  expect((await readTables(around(cells), conversions)).tables[0]?.rows).toEqual(cells);
  expect((await readTables(around([]), conversions)).tables[0]?.rows).toEqual([]);
});

test.each([
  { Status: 'OK', Rows: { Custom1: '{"utm":"x","n":7}' } },
  '<Response><Status>OK</Status><Rows><Row><Custom1>{"utm":"x","n":7}</Custom1></Row></Rows></Response>',
  { Custom1: '{"utm":"x","n":7}' },
])('the JSON text of a visitor is no answer, even in the only cell: %j', async (body) => {
  expect((await readTables(body, conversions)).tables[0]).toMatchObject({
    columns: ['Custom1'],
    rows: [['{"utm":"x","n":7}']],
  });
});

test('a row with an empty list is a row', async () => {
  const row = { ID: '4', Name: 'Solo', Data: [] };
  expect((await readTables(row, campaigns)).tables[0]?.rows).toEqual([['4', 'Solo', null]]);
});

test('a number before an empty list is no row, and not left out', async () => {
  for (const body of ['[0,[]]', '[{"total":0},[]]']) expect(await problemWith(body, conversions)).toBe('unreadable');
});

test('a header without rows keeps its columns', async () => {
  const { tables } = await readTables({ columns, rows: [] }, campaigns);
  expect(tables).toEqual([{ name: 'campaigns', columns, rows: [] }]);
});

/** Rows, each a line with bars between its cells. */
const rowsOf = (...lines: string[]) => lines.map((line) => line.split('|'));

const totalIs = (value: number) => `<row><Total>${value}</Total></row>`;

const single: Record<string, [body: Body, columns: string[], rows: (string | null)[][]]> = {
  'one column of records': [{ rows: [{ Total: 4 }, { Total: 5 }] }, ['Total'], [['4'], ['5']]],
  'one column and one row': [{ rows: [{ Total: 4 }] }, ['Total'], [['4']]],
  'one column in XML': [`<rows>${totalIs(4)}${totalIs(5)}</rows>`, ['Total'], [['4'], ['5']]],
  'one column and one row in XML': [`<rows>${totalIs(4)}</rows>`, ['Total'], [['4']]],
  'plain values': [{ rows: ['a', 'b'] }, ['value'], [['a'], ['b']]],
  'a key the rows do not hold': [
    { data: { a: { Views: 3 }, b: { Views: 4 } } },
    ['key', 'Views'],
    rowsOf('a|3', 'b|4'),
  ],
  'one key the row does not hold': [{ data: { 'buy shoes': { Views: 3 } } }, ['key', 'Views'], [['buy shoes', '3']]],
  'lists without a header': [{ rows: rowsOf('4|1.5', '7|2') }, ['column_1', 'column_2'], rowsOf('4|1.5', '7|2')],
  'two columns of one name': [{ columns: ['Name', 'Name'], rows: [['a', 'b']] }, ['Name', 'Name_2'], [['a', 'b']]],
  'two columns of one name, and one with that number': [
    { columns: ['a', 'a', 'a_2'], rows: [['1', '2', '3']] },
    ['a', 'a_2', 'a_2_2'],
    [['1', '2', '3']],
  ],
  'rows in groups': [
    [
      {
        Country: 'DE',
        row: [
          { ID: 4, Views: 3 },
          { ID: 5, Views: 1 },
        ],
      },
      { Country: 'FR', row: [{ ID: 7, Views: 2 }] },
    ],
    ['Country', 'ID', 'Views'],
    rowsOf('DE|4|3', 'DE|5|1', 'FR|7|2'),
  ],
  'rows with figures of their own, and lists': [
    { rows: [{ ID: 4, Views: 3, row: [{ Views: 1 }, { Views: 2 }] }] },
    ['ID', 'Views', 'row'],
    [['4', '3', '[{"Views":"1"},{"Views":"2"}]']],
  ],
  'a prefix that is not declared': ['<t:rows><t:row><t:ID>4</t:ID></t:row></t:rows>', ['ID'], [['4']]],
  'elements with types': [
    '<rows type="array"><row><ID type="integer">4</ID><Views type="integer">3</Views></row></rows>',
    ['ID', 'Views'],
    rowsOf('4|3'),
  ],
  'attributes with text': [
    '<rows><row id="4">x</row><row id="7">y</row></rows>',
    ['id', 'value'],
    rowsOf('4|x', '7|y'),
  ],
  'a column called like a wrapper': [
    { rows: [{ Data: '', Result: 'x', Content: '5' }] },
    ['Data', 'Result', 'Content'],
    [[null, 'x', '5']],
  ],
  'a column called like the noun': [
    '<campaigns><campaign><ID>4</ID><campaign>Solo</campaign></campaign></campaigns>',
    ['ID', 'campaign'],
    [['4', 'Solo']],
  ],
};

test.each(Object.entries(single))('a table with %s loses nothing', async (_, [body, names, cells]) => {
  const { tables } = await readTables(body, campaigns);
  expect(tables).toEqual([{ name: 'campaigns', columns: names, rows: cells }]);
});

test('a rejected conversion is a row, not an error', async () => {
  const row = { SubID: 'ab12_4_345', Status: 'Rejected', Revenue: '12.00' };
  for (const body of [
    [row],
    { data: row },
    '<conversions><conversion><SubID>ab12_4_345</SubID><Status>Rejected</Status><Revenue>12.00</Revenue></conversion></conversions>',
  ]) {
    const { tables } = await readTables(body, conversions);
    expect(tables[0]?.rows).toEqual([['ab12_4_345', 'Rejected', '12.00']]);
  }
});

test.each([
  [{ SubID: 'a_1_1', Status: 'rejected', Reason: 'fraud' }],
  [{ SubID: 'a_1_1', Error: '1' }],
  [{ id: 1, SubID: 'a_1_1', Message: 'hi', Status: 'failed' }],
])('the only row of a list is a row, with any status: %j', async (row) => {
  const attributes = Object.entries(row).map(([name, value]) => `${name}="${value}"`);
  const elements = Object.entries(row).map(([name, value]) => `<${name}>${value}</${name}>`);
  for (const body of [
    [row],
    { Status: 'OK', Rows: [row] },
    `<r><row>${elements.join('')}</row></r>`,
    `<r><row ${attributes.join(' ')}/></r>`,
  ]) {
    const { tables } = await readTables(body, conversions);
    expect(tables[0]?.columns).toEqual(Object.keys(row));
    expect(tables[0]?.rows).toEqual([Object.values(row).map(String)]);
  }
});

test('rows in several lists become one table with the names of the lists, in JSON and XML', async () => {
  const active = ['A', 'B'].map((Name, index) => ({ ID: String(index + 1), Name }));
  const json = { Status: 'OK', active, inactive: [{ ID: '3', Name: 'C' }] };
  const row = (id: string, name: string) => `<campaign><ID>${id}</ID><Name>${name}</Name></campaign>`;
  const xml = `<response><active>${row('1', 'A')}${row('2', 'B')}</active><inactive>${row('3', 'C')}</inactive></response>`;
  for (const body of [json, xml]) {
    const { tables, notices } = await readTables(body, campaigns);
    expect(tables[0]?.columns).toEqual(['key', 'ID', 'Name']);
    expect(tables[0]?.rows).toEqual(rowsOf('active|1|A', 'active|2|B', 'inactive|3|C'));
    expect(notices).toEqual([]);
  }
});

test('fields next to the rows become a notice', async () => {
  const { tables, notices } = await readTables(
    { status: 'ok', rows: records, totals: { Views: 12 }, note: 'cached' },
    campaigns,
  );
  expect(tables[0]?.rows).toEqual(rows);
  const fields = [
    ['totals', '{"Views":"12"}'],
    ['note', 'cached'],
  ];
  expect(notices).toEqual([{ code: 'sent-too', isWrite: false, fields }]);
});

const token = (name: string, param: string) => `<Token><Name>${name}</Name><Param>${param}</Param></Token>`;
const [keyword, extra] = [
  { Name: 'Keyword', Param: 'kw' },
  { Name: 'Extra1', Param: 'utm_source' },
];

const tokens: Record<string, [json: object, xml: string, cell: string | null]> = {
  'a list of records': [
    [keyword, extra],
    token('Keyword', 'kw') + token('Extra1', 'utm_source'),
    '[{"Name":"Keyword","Param":"kw"},{"Name":"Extra1","Param":"utm_source"}]',
  ],
  'a list of one record': [[keyword], token('Keyword', 'kw'), '[{"Name":"Keyword","Param":"kw"}]'],
  'a list of one short record': [[{ Name: 'kw' }], '<Token><Name>kw</Name></Token>', '[{"Name":"kw"}]'],
  'a record': [
    { Keyword: 'kw', Extra1: 'utm_source', Extra2: '' },
    '<Keyword>kw</Keyword><Extra1>utm_source</Extra1><Extra2/>',
    '{"Keyword":"kw","Extra1":"utm_source","Extra2":""}',
  ],
  'a list of texts': [['kw', '007'], '<Token>kw</Token><Token>007</Token>', '["kw","007"]'],
  'a list of one text': [['kw'], '<Token>kw</Token>', '["kw"]'],
  'numbers and booleans': [{ a: 7, b: true, c: null }, '<a>7</a><b>true</b><c/>', '{"a":"7","b":"true","c":""}'],
  nothing: [[], '', null],
};

test.each(Object.entries(tokens))('nested tokens, %s, read the same in JSON and XML', async (_, [json, xml, cell]) => {
  const question = { reply: 'rows', table: 'traffic_sources' } as const;
  const expected = [{ name: 'traffic_sources', columns: ['ID', 'Name', 'Tokens'], rows: [['3', 'Push', cell]] }];
  const row = { ID: 3, Name: 'Push', Tokens: json };
  const element = `<ID>3</ID><Name>Push</Name><Tokens>${xml}</Tokens>`;
  const bodies: Body[] = [
    { data: [row] },
    { traffic_sources: [row] },
    `<trafficSources><trafficSource>${element}</trafficSource></trafficSources>`,
    `<sources><source>${element}</source></sources>`,
    `<Response><Rows><Row>${element}</Row></Rows></Response>`,
  ];
  for (const body of bodies) expect((await readTables(body, question)).tables).toEqual(expected);
});

test('what stands beside rows in a text counts as beside rows', async () => {
  const list = [{ ID: '3', Name: 'Push' }];
  const around = (data: Body) => ({ took_ms: 3, data, total: 900, next: '/page/2' });
  const inText = await readTables(around(JSON.stringify(list)), conversions);
  expect(inText).toEqual(await readTables(around(list), conversions));
  expect(inText.part).toBeDefined();
});

test.each(['Edges', 'Nodes', 'Embedded'])('rows by their names are all read, if one is called %s', async (name) => {
  const row = { Views: '3', Clicks: '1' };
  const columns = ['key', 'Views', 'Clicks'];
  const { tables } = await readTables({ [name]: row, Solo: row }, campaigns);
  expect(tables).toMatchObject([
    {
      columns,
      rows: [
        [name, '3', '1'],
        ['Solo', '3', '1'],
      ],
    },
  ]);
  const one = await readTables({ [name]: row }, campaigns);
  expect(one.tables).toMatchObject([{ columns, rows: [[name, '3', '1']] }]);
});

const flatRows = '<ID>1</ID><Views>5</Views><ID>2</ID><Views>6</Views>';

test.each([
  '{"offer":{"ID":[1,2],"Views":[5,6]}}',
  '{"offer":[{"ID":[1,2],"Views":[5,6]}]}',
  '[{"ID":[1,2],"Views":[5,6]}]',
  '{"Status":"OK","Rows":{"ID":[1,2],"Views":[5,6]}}',
  `<stats><offer>${flatRows}</offer></stats>`,
  '<stats><offer><ID>1</ID><ID>2</ID><Views>5</Views><Views>6</Views></offer></stats>',
])('columns instead of rows are read as rows: %s', async (body) => {
  const { tables } = await readTables(body, { reply: 'reports', reports: ['offer'] });
  const rows = [
    ['1', '5'],
    ['2', '6'],
  ];
  expect(tables).toEqual([{ name: 'offer', columns: ['ID', 'Views'], rows }]);
});

test.each([
  '{"offer":{"ID":[1,2],"Views":[5,6,7]}}',
  '{"offer":{"ID":[1,2],"Views":[[5],[6]]}}',
  '{"offer":[{"ID":[1,2],"Views":[5,6,7]}]}',
  '{"Rows":{"ID":[1,2],"Name":["A","B"],"Views":[5,6],"Cost":[1]}}',
  `<stats><offer>${flatRows}<Views>7</Views></offer></stats>`,
  `<stats><offer><row>${flatRows}</row><row><ID>3</ID><Views>7</Views></row></offer></stats>`,
])('columns of which nothing shows the rows are refused: %s', async (body) => {
  expect(await problemWith(body, { reply: 'reports', reports: ['offer'] })).toBe('unreadable');
});
