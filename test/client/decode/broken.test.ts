import { expect, it, test } from 'vitest';
import type { Question } from '../../../src/client/decode/decode.ts';
import { type Body, problemWith, readTables } from './read.ts';

const question: Question = { reply: 'reports', reports: ['offer'] };
const rows = Array.from({ length: 50 }, (_, index) => ({
  Offer: `Offer's ${index}`,
  Views: String(100 * index + 7),
  CTR: `${index}.5%`,
}));
const json = JSON.stringify({ offer: rows });
const parts = rows.slice(0, 5).map((row) => JSON.stringify(row));
const message =
  '<br />\n<b>Warning</b>:  Undefined array key "x" in [client] {main} in <b>/var/www/a.php</b> on line <b>118</b><br />\n';
const death = message.replace('Warning', 'Fatal error');
const list = (from: number, to: number) => `{"offer":[${parts.slice(from, to)}]}`;

const elements = (from: number, to: number) =>
  `<offers>${rows
    .slice(from, to)
    .map(
      (row) =>
        `<offer>${Object.entries(row)
          .map(([name, text]) => `<${name}>${text}</${name}>`)
          .join('')}</offer>`,
    )
    .join('')}</offers>`;

const columns = (numbers: string) =>
  `{"offer":{"Offer":${JSON.stringify(rows.slice(0, 5).map(({ Offer }) => Offer))},"Views":[${numbers}],"CTR":${JSON.stringify(rows.slice(0, 5).map(({ CTR }) => CTR))}}}`;

const read: Record<string, string> = {
  'a list for each column': columns('7,107,207,307,407'),
  'messages between rows': `{"offer":[${parts.slice(0, 3)},${message}${parts.slice(3)}]}`,
  'messages without HTML': `{"offer":[${parts.slice(0, 3)},\nWarning: Undefined $x in /a.php on line 3\n${parts.slice(3)}]}`,
  'an escape that is not of JSON': list(0, 5).replace("Offer's 2", "Offer\\'s 2"),
  'documents with other rows': list(0, 3) + list(3, 5),
  'a row a line': parts.join('\n'),
  'a remark after it': `${list(0, 5)}{"debug":"0.02 s"}`,
  'a remark before it': `{"debug":1}${list(0, 5)}`,
  'a script of a proxy after it': `${list(0, 5)}<script defer src="https://a.example/b.js" data-c='{"id":"8"}'></script>\n`,
  'the same answer twice': list(0, 5) + list(0, 5),
  'a report that was not asked for behind it': `${list(0, 5)}{"landing":[${parts.slice(0, 2)}]}`,
  'a report that was not asked for before it': `{"Reports":{"landing":[${parts.slice(0, 2)}]}}\n${list(0, 5)}`,
  'encoded twice': JSON.stringify(list(0, 5)),
  'encoded twice, and laid out': ` ${JSON.stringify(JSON.stringify(JSON.parse(list(0, 5)), null, 2))}\n`,
  'encoded three times, after a message': message + JSON.stringify(JSON.stringify(list(0, 5))),
  'a row in a list of its own': `{"offer":[${parts[0]},[${parts[1]}],${parts.slice(2)}]}`,
  'as text in a field': JSON.stringify({ status: 'OK', data: list(0, 5) }),
  'as text in a field beside others': JSON.stringify({ took_ms: 3, headers: { a: 'b' }, body: list(0, 5) }),
  'as text in a field, encoded twice': JSON.stringify({ data: JSON.stringify({ result: list(0, 5) }) }),
  'as text in an element': `<string xmlns="http://tempuri.org/">${list(0, 5).replaceAll('"', '&quot;')}</string>`,
  'as text in CDATA': `<result><status>ok</status><data><![CDATA[${list(0, 5)}]]></data></result>`,
  'XML as text': JSON.stringify(`<?xml version="1.0"?>${elements(0, 5)}`),
  'a field that is repeated with its value': list(0, 5).replace('"Views":"207"', '"Views":"207", "Views" : "207"'),
  'a message about an error after it': list(0, 5) + death,
  'XML twice': elements(0, 5) + elements(0, 5),
  'XML twice, with declarations': `<?xml version="1.0"?>${elements(0, 5)}\n<?xml version="1.0"?>${elements(0, 5)}`,
  'XML with a report that was not asked for before it': `<stats><landing><page><Offer>a</Offer><Views>1</Views></page></landing></stats><stats>${elements(0, 5)}</stats>`,
  'XML with messages between rows':
    elements(0, 2).replace('</offers>', message) + elements(2, 5).replace('<offers>', ''),
  'XML with a remark in JSON before it': `{"debug":1}${elements(0, 5)}`,
  'XML with a remark before it': `<debug>1</debug>${elements(0, 5)}`,
};

const deeper: Record<string, object> = {
  'figures in a record of their own': rows.map(({ Offer, ...stats }) => ({ Offer, stats })),
  'names and figures apart': rows.map(({ Offer, ...metrics }) => ({ dimensions: { Offer }, metrics })),
  nodes: rows.map((node, index) => ({ node, cursor: `c${index}` })),
};

test.each(Object.entries(deeper))('figures one level deeper are columns: %s', async (_, offer) => {
  const { tables } = await readTables({ offer }, question);
  const offers = tables[0]?.rows.map((row) => row.slice(0, 3));
  expect(offers).toEqual(rows.map(Object.values));
});

it('money and its currency stay one cell, and so do names that would be lost', async () => {
  const [price, twice] = [
    { amount: 5, currency: 'USD' },
    { stats: { Views: 2 }, before: { Views: 1 } },
  ];
  const table = async (row: object) => (await readTables({ offer: [{ Name: 'a', ...row }] }, question)).tables[0];
  expect((await table({ cost: price }))?.columns).toEqual(['Name', 'cost']);
  expect((await table(twice))?.columns).toEqual(['Name', 'stats', 'before']);
});

test.each(Object.entries(read))('an answer is read whole: %s', async (_, body) => {
  const { tables } = await readTables(body, question);
  expect(tables[0]?.rows).toEqual(rows.slice(0, 5).map(Object.values));
});

/** Rows by their key, in which a bracket closes a record too early. */
const closedEarly = (byKey: object) => {
  const body = JSON.stringify(byKey);
  return [...body.matchAll(/",/g)].map(({ index }) => `${body.slice(0, index + 1)}}${body.slice(index + 1)}`);
};
const byKey = Object.fromEntries(rows.map(({ Offer, ...row }, index) => [`k${index}`, { Name: Offer, ...row }]));

test.each(Object.entries({ wrapped: { offer: byKey }, plain: byKey, numbered: { offer: { ...rows } } }))(
  'a bracket added to rows by their key never leaves a part: %s',
  async (_, whole) => {
    for (const body of closedEarly(whole)) {
      const found = await readTables(body, question).catch(() => undefined);
      if (found) expect(found.tables[0]?.rows.length, body.slice(0, 300)).toBe(50);
    }
  },
);

it.each<[object | string]>([
  ...[false, null, 0, 'none', 'No data', '', []].map((nothing): [object] => [{ Status: 'OK', Rows: nothing }]),
  ...[null, 'No data', '', []].flatMap((nothing): [object][] => [[{ data: nothing }], [{ offer: nothing }]]),
  [{ data: 0 }],
  ['<stats><status>ok</status><rows>false</rows></stats>'],
])('no rows are no row: %j', async (body) => {
  const { tables } = await readTables(body, question);
  expect(tables.flatMap((table) => table.rows)).toEqual([]);
});

it.each(['OK', 'None', 'no', '0', 'Success', '200'])('an offer may be called %s', async (name) => {
  const body = { status: 'ok', data: [{ Offer: name, Views: null, total: 264 }] };
  expect((await readTables(body, question)).tables[0]?.rows).toEqual([[name, null, '264']]);
});

it.each([[2], [50]])('records under the name of a report each are its rows: %d', async (count) => {
  const { tables } = await readTables(
    rows.slice(0, count).map((Offer) => ({ Offer })),
    question,
  );
  expect(tables).toEqual([
    { name: 'offer', columns: Object.keys(rows[0] ?? {}), rows: rows.slice(0, count).map(Object.values) },
  ]);
});

it.each([{ more: 4 }, { remaining: 4 }, { max_rows_reached: true }])(
  'rows that are left are told: %j',
  async (said) => {
    const { part } = await readTables({ offer: rows.slice(0, 5), ...said }, question);
    expect(part?.fields.length).toBe(1);
  },
);

it('a record about pages inside of another is no report', async () => {
  const body = { offer: rows.slice(0, 5), meta: { pagination: { totalCount: 9 } } };
  expect((await readTables(body, question)).tables).toHaveLength(1);
});

it.each([
  { Views: '', Ad: '' },
  { Offer: false, Ad: '' },
])(
  'an only row whose empty cells are called like reports is no report, beside what is about the answer: %j',
  async (row) => {
    const { tables } = await readTables({ meta: { took: 1.5 }, offer: [row] }, question);
    expect(tables.map(({ name, rows }) => [name, rows.length])).toEqual([['offer', 1]]);
  },
);

it.each([
  ['base64', Buffer.from(list(0, 5)).toString('base64')],
  ['a URL', encodeURIComponent(list(0, 5))],
  ['YAML', rows.map(({ Offer, Views }) => `- Offer: ${Offer}\n  Views: ${Views}`).join('\n')],
  [
    'YAML under a name',
    `offer:\n${rows.map(({ Offer, Views }) => `  - Offer: ${Offer}\n    Views: ${Views}`).join('\n')}`,
  ],
  ['serialized PHP', 'a:1:{s:5:"offer";a:0:{}}'],
  ['print_r of PHP', 'Array\n(\n    [offer] => Array\n        (\n            [Views] => 5\n        )\n)\n'],
  ['an object of PHP', 'stdClass Object\n(\n    [offer] => 5\n)\n'],
  ['CSV in a field', { Status: 'OK', result: 'Offer,Views,Clicks\nGym,10,5\nKeto,3,1' }],
  ['half of JSON in a field', { result: JSON.stringify(rows.slice(0, 2)).slice(2), took: 3 }],
])('data as %s is neither taken for a refusal nor called empty', async (_, body) => {
  expect(await problemWith(body, question)).toBe('unreadable');
});

it.each(['\u200bViews', 'Views ', '\u00a0Views'])(
  'a name with an invisible character is the same column: %j',
  async (name) => {
    const { tables } = await readTables(list(0, 5).replace('"Views"', JSON.stringify(name)), question);
    expect(tables[0]?.rows).toEqual(rows.slice(0, 5).map(Object.values));
  },
);

const otherCase = (at: readonly number[], extra: object = {}) =>
  JSON.stringify({
    offer: rows.map(({ Views, ...row }, index) =>
      at.includes(index) ? { ...row, views: Views, ...extra } : { ...row, Views },
    ),
  });

test.each([[[0]], [[3]], [[49, 7]]])('a name in another letter case is the same column: rows %j', async (at) => {
  const { tables } = await readTables(otherCase(at), question);
  expect(tables[0]?.columns.length).toBe(3);
  const views = tables[0]?.columns.findIndex((name) => name.toLowerCase() === 'views') ?? -1;
  expect(tables[0]?.rows.map((row) => row[views])).toEqual(rows.map(({ Views }) => Views));
});

test.each([
  ['XML', '<stats><offer><row><Offer></Offer><Views></Views><CTR>{"a":[1]} x}</CTR></row></offer></stats>'],
  ['JSON', { offer: [{ Offer: '', Views: '', CTR: '{"a":[1]} x}' }] }],
])('a text like a document in the only filled cell of a row is no answer: %s', async (_, body) => {
  const { tables } = await readTables(body, question);
  expect(tables[0]?.rows).toEqual([[null, null, '{"a":[1]} x}']]);
});

it('names that differ by letter case in every row are two columns', async () => {
  const { tables } = await readTables({ offer: rows.map((row) => ({ ...row, views: '1' })) }, question);
  expect(tables[0]?.columns).toEqual(['Offer', 'Views', 'CTR', 'views']);
});

const refused: Record<string, string> = {
  'a name in two letter cases in one row': otherCase([3], { Views: '7' }),
  'a quote within a text': list(0, 5).replace("Offer's 2", 'Offer "2"'),
  'a comma before a bracket': list(0, 5).replace('"},{', '",},{'),
  'a missing value': list(0, 5).replace('"Views":"207"', '"Views":'),
  'a number with a comma': list(0, 5).replace('"207"', '5,5'),
  'documents with a row in common': list(0, 3) + list(2, 5),
  'a row of a different kind': `${parts.join('\n')}\n{"x":1,"y":2}`,
  'a list twice in one record': `{"offer":[${parts.slice(0, 3)}],"offer":[${parts.slice(3)}]}`,
  'two rows in one record': `{"offer":[{"a":1,"b":2,"a":3,"b":4}]}`,
  'a field twice in one row': list(0, 5).replace('"Views":"207"', '"Views":"207","Views":"208"'),
  'a field twice in one row, with an escape in its name': list(0, 5).replace(
    '"Views":"207"',
    '"Views":"207","View\\u0073":"208"',
  ),
  'a script that ended between rows': `{"offer":[${parts.slice(0, 3)}${death}]}`,
  'a script that ended after a comma': `{"offer":[${parts.slice(0, 3)},${death}${parts.slice(3)}]}`,
  'a script that ended, without HTML': `{"offer":[${parts.slice(0, 3)}\nPHP Fatal error:  Out of memory in /a.php on line 3\n]}`,
  'a script that ended, as Xdebug shows it': `{"offer":[${parts.slice(0, 3)}<table class="xdebug-error"><tr><th>( ! ) Fatal error: Out of memory</th></tr></table>]}`,
  'a script that ended within XML': elements(0, 3).replace('</offers>', `${death}</offers>`),
  'two documents of XML with a row in common': elements(0, 3) + elements(2, 5),
  'a quotation mark lost in a row': list(0, 5).replace('"207"', '"207'),
  'a quotation mark lost in the last row': list(0, 5).replace('"4.5%"', '"4.5%'),
  'a bracket lost': list(0, 5).replace('},{', ',{'),
  'the end of a section lost': '<offers><offer><Offer>a</Offer><Views><![CDATA[1</Views></offer></offers>',
  'a quotation mark lost at the start of a line': parts
    .join('\n')
    .replace('{"Offer":"Offer\'s 2"', '{Offer":"Offer\'s 2"'),
  'a sign too many at the start of the last line': parts
    .join('\n')
    .replace('{"Offer":"Offer\'s 4"', '{x"Offer":"Offer\'s 4"'),
  'a sign too many at the start of the first line': `{x${parts.join('\n').slice(1)}`,
  'a comma lost in a list of one column': columns('7,107,207307,407'),
  'a comma added in a list of one column': columns('7,107,2,07,307,407'),
  'rows in lists between rows': `{"offer":[${parts[0]},[${parts.slice(1, 3)}],${parts.slice(3)}]}`,
  'a note among the rows': `{"offer":[${parts},{"_note":"45 more rows"}]}`,
  'rows as texts': JSON.stringify({ offer: parts }),
  'half of an answer as text in a field': JSON.stringify({ data: list(0, 5).replace('},{', ',{') }),
  'half of an encoded answer': JSON.stringify(list(0, 5).replace('},{', ',{')),
};

test.each(Object.entries(refused))('no part of a broken answer is read: %s', async (_, body) => {
  expect(await problemWith(body, question)).toBe('unreadable');
});

const xml = `<?xml version="1.0"?><stats><report name="offer">${rows
  .map(
    (row) =>
      `<row><Offer><![CDATA[${row.Offer}]]></Offer><Views>${row.Views}</Views><CTR unit="x">${row.CTR}</CTR></row>`,
  )
  .join('')}</report></stats>`;
const attributes = `<offers>${rows.map((row) => `<offer Offer="${row.Offer}" Views="${row.Views}" CTR="${row.CTR}"/>`).join('')}</offers>`;
const lists = JSON.stringify({
  columns: Object.keys(rows[0] ?? {}),
  rows: rows.map(({ Offer, Views, CTR }) => [Offer, Number(Views), CTR]),
});

const lines = rows.map((row) => JSON.stringify(row)).join('\n');

/** Numbers from a seed. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state;
  }
}

const names = Object.keys(rows[0] ?? {});
const rowAs = ({ columns }: { columns: readonly string[] }, row: readonly (string | null)[]) =>
  JSON.stringify(names.map((name, index) => row[columns.includes(name) ? columns.indexOf(name) : index]));

const put = [...'"\'[]{},:\\<>&/=-!0e. \n\0\x01x', '\xe4'];

test.each(Object.entries({ json, xml, attributes, lists, lines }))(
  'one byte lost or added spoils one row at most, or the answer is refused: %s',
  async (_, body) => {
    const whole = await readTables(body, question);
    const random = numbers(7);
    for (let round = 0; round < 700; round += 1) {
      const at = random.next().value % (body.length + 1);
      const byte = put[random.next().value % (put.length * 2)] ?? '';
      const text = body.slice(0, at) + byte + body.slice(byte === '' ? at + 1 : at);
      const changed: Body = Buffer.from(text, 'latin1');
      const found = await readTables(changed, question).catch(() => undefined);
      if (!found) continue;
      // A spoiled name of a column is no spoiled cell.
      const rowsOf = (tables: typeof whole.tables) =>
        tables.flatMap((table) => table.rows.map((row) => rowAs(table, row)));
      const [before, after] = [rowsOf(whole.tables), rowsOf(found.tables)];
      const spoiled = after.filter((row, index) => row !== before[index]);
      expect(
        [after.length, spoiled.length > 1],
        `${JSON.stringify(byte)} at ${at}: ${text.slice(at - 40, at + 40)}`,
      ).toEqual([50, false]);
    }
  },
);
