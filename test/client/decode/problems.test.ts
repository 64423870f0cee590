import { expect, test } from 'vitest';
import type { Question } from '../../../src/client/decode/decode.ts';
import { type Body, problemWith, readTables } from './read.ts';

const everyQuestion: Question[] = [
  { reply: 'rows', table: 'campaigns' },
  { reply: 'reports', reports: ['offer'] },
  { reply: 'groups' },
  { reply: 'id' },
  { reply: 'ok' },
];

const complaint = 'The url must start with http:// or https://';
const refusals: Record<string, Body> = {
  text: complaint,
  'text after a word': `ERROR: ${complaint}`,
  'JSON string': JSON.stringify(complaint),
  'a list of one text': [complaint],
  error: { error: complaint },
  Error: { Error: complaint },
  'error true and message': { error: true, message: complaint },
  'error with code and message': { error: { code: 17, message: complaint } },
  'a list of one error': [{ error: complaint }],
  'errors, a list': { errors: [complaint] },
  'errors by field': { errors: { url: [complaint] } },
  errorMessage: { errorCode: 17, errorMessage: complaint },
  'Status and Message': { Status: 'Error', Message: complaint },
  'status fail and msg': { status: 'fail', msg: complaint, data: null },
  'status error with empty data': { status: 'error', message: complaint, data: [] },
  'status error with empty data as text': { status: 'error', message: complaint, data: '[]' },
  'success false': { success: false, message: complaint },
  'success 0': { success: 0, message: complaint },
  'ok false': { ok: false, reason: complaint },
  'a message alone': { message: complaint },
  'code and msg': { code: 1001, msg: complaint, data: null },
  'code, msg and an empty list': { code: 1001, msg: complaint, data: [] },
  'code 1 and msg': { code: 1, msg: complaint },
  'code 0 and msg': { code: 0, msg: complaint },
  'result is the text': { result: complaint },
  'status is the text': { status: complaint },
  'more fields than an error needs': {
    status: 'error',
    message: complaint,
    hint: 'see manual',
    docs: 'https://t.example',
    trace: 'a1',
    at: '10:00',
  },
  wrapped: { response: { status: 'error', error: complaint } },
  'an element called error': `<error>${complaint}</error>`,
  'an element called error in a response': `<?xml version="1.0"?><response><error>${complaint}</error></response>`,
  'error with elements': `<response><error><code>17</code><message>${complaint}</message></error></response>`,
  'Status and Message in XML': `<Response><Status>Error</Status><Message>${complaint}</Message></Response>`,
  'status as an attribute': `<response status="fail"><message>${complaint}</message></response>`,
  'the text of the response': `<response>${complaint}</response>`,
  'the text of the response with a status': `<response status="error">${complaint}</response>`,
  'a text of an unknown element': `<antwort><![CDATA[${complaint}]]></antwort>`,
  'after notices': `<br />\n<b>Notice</b>: x in <b>y.php</b> on line <b>3</b><br />\n{"error":"${complaint}"}`,
};

test.each(Object.entries(refusals))('the reason of a refusal is quoted: %s', async (shape, body) => {
  const reason = shape === 'text after a word' ? `ERROR: ${complaint}` : complaint;
  for (const question of everyQuestion) expect(await problemWith(body, question)).toBe(`refused: ${reason}`);
});

const wordless: Record<string, Body> = {
  false: 'false',
  'success false': { success: false },
  'status error': { status: 'error' },
  'Status fail in XML': '<response status="fail"/>',
  'error true': { error: true },
  'error 17': { error: 17 },
};

test.each(Object.entries(wordless))('a refusal without a reason is recognized: %s', async (_, body) => {
  for (const question of everyQuestion) expect(await problemWith(body, question)).toMatch(/^refused(: (error|fail))?$/);
});

const withoutAccess: Record<string, Body> = {
  text: 'No access',
  'text in capitals': 'NO ACCESS',
  'JSON string': '"Access denied"',
  error: { error: 'Invalid API key' },
  'no access as a status': { status: 'no access' },
  no_access: { result: 'no_access' },
  'status and message': { Status: 'Error', Message: 'Wrong API key.' },
  'a status with the reason': { status: 'Invalid API key' },
  'unauthorized with a code': { code: 401, msg: 'Unauthorized', data: null },
  'the API is off': { error: 'API access is disabled' },
  'key is missing': { status: 0, message: 'The key is missing' },
  'root element': '<response>No access</response>',
  'error element': '<?xml version="1.0"?><result><error>Invalid key</error></result>',
  'attribute and text': '<response status="error">You do not have access</response>',
  'access denied, by a field': { access: 'denied' },
  'access false': { access: false },
  NoAccess: { NoAccess: 1 },
  'an empty element of that name': '<noaccess/>',
  'login page':
    '<!DOCTYPE html><html><head><title>Log in</title></head><body><form><input type="password" name="p"></form></body></html>',
  'login page without a head': '<form action="login.php"><input type=password></form>',
  'login page after a notice':
    '<br />\n<b>Notice</b>: x in <b>y.php</b> on line <b>3</b><br />\n<html><body>Please log in</body></html>',
  'a word in HTML': '<h1>Access denied</h1>',
};

test.each(Object.entries(withoutAccess))('a key that is not accepted is recognized: %s', async (_, body) => {
  for (const question of everyQuestion) expect(await problemWith(body, question)).toMatch(/^no-access/);
});

test('words similar to key are not a problem with the key', async () => {
  for (const error of ['Invalid keyword', 'Missing keyword parameter', 'Monkey is invalid', 'Unknown campaign']) {
    expect(await problemWith({ error }, { reply: 'ok' })).toBe(`refused: ${error}`);
  }
});

test.each([',', ';', '\t', '|'])('a table with %j is no refusal in words', async (mark) => {
  const body = [
    ['Name', 'Views', 'Revenue'],
    ['Keto', 100, '2.50'],
    ['VPN', 7, '0.00'],
  ]
    .map((row) => row.join(mark))
    .join('\n');
  for (const question of everyQuestion) expect(await problemWith(body, question)).toMatch(/^(unreadable|unclear)/);
});

const pages: Record<string, Body> = {
  'a page': '<!doctype html><html><body><h1>It works</h1></body></html>',
  'a page with a declaration':
    '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x"><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>',
  'a page after a comment': '<!-- cached -->\n<html><body>hello</body></html>',
  'a page with brackets in its script': '<html><script>var a = [1, 2]; function f() { return {}; }</script></html>',
};

test.each(Object.entries(pages))('a page of HTML is not an answer: %s', async (_, body) => {
  for (const question of everyQuestion) expect(await problemWith(body, question)).toBe('page');
});

const nested = (open: string, inside: string, close: string) => open.repeat(100_000) + inside + close.repeat(100_000);

const unreadable: Record<string, [body: Body, problem: RegExp]> = {
  nothing: ['', /^empty$/],
  'white space': [' \n\t', /^empty$/],
  'a byte order mark alone': ['\ufeff', /^empty$/],
  'a message of PHP alone': ['<br />\n<b>Fatal error</b>: x in <b>y.php</b> on line <b>3</b><br />\n', /^empty$/],
  'JSON with a comma too many and no end': ['{"a":1,,', /^cut-off$/],
  'JSON that is none': ['{"a":1,,"b":2}', /^unreadable$/],
  'XML that is not well-formed': ['<r><b></r></b>', /^unreadable$/],
  'two roots': ['<r>1</r><b>2</b>', /^unreadable$/],
  'JSON 100,000 lists deep': [nested('[', '', ']'), /^(too-deep|unreadable)$/],
  'JSON 100,000 records deep': [nested('{"a":', '1', '}'), /^(too-deep|unreadable)$/],
  'JSON 100,000 wrappers deep': [nested('{"data":', '1', '}'), /^(too-deep|unreadable)$/],
  'an error 100,000 messages deep': [nested('{"error":', '"x"', '}'), /^(too-deep|unreadable|refused)$/],
  'XML 100,000 deep': [nested('<r>', '', '</r>'), /^too-deep$/],
  'XML 100,000 deep and cut off': ['<r>'.repeat(100_000), /^too-deep$/],
  'XML with entities': ['<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaa">]><r>&a;</r>', /^document-type$/],
  'XML with a billion laughs': [
    `<!DOCTYPE r [<!ENTITY a0 "ha">${Array.from({ length: 9 }, (_, index) => `<!ENTITY a${index + 1} "${`&a${index};`.repeat(10)}">`).join('')}]><r>&a9;</r>`,
    /^document-type$/,
  ],
  'XML with a file as an entity': [
    '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>',
    /^document-type$/,
  ],
};

test.each(Object.entries(unreadable))('an answer that cannot be read is recognized: %s', async (_, [body, problem]) => {
  for (const question of everyQuestion) expect(await problemWith(body, question)).toMatch(problem);
});

test.each([
  { status: 'fail', data: { url: 'is wrong' } },
  { status: 'error', result: { camp: 'is unknown', start: 'is missing' } },
])('what is wrong by field is no row: %j', async (body) => {
  for (const question of everyQuestion) expect(await problemWith(body, question)).toMatch(/^(refused|unclear)/);
});

test.each<[Body, number]>([
  [{ status: 'failed', ID: '4', Name: 'Solo' }, 1],
  [{ success: false, data: [{ ID: '4' }, { ID: '7' }] }, 2],
  [{ status: 'error', data: [{ ID: '4' }] }, 1],
  [{ code: 1, msg: 'success', data: [{ ID: '4' }] }, 1],
  [{ code: 1, data: [{ ID: '4' }] }, 1],
  [{ code: 1, msg: 'Loaded from the cache', data: [{ ID: '4' }] }, 1],
  [{ code: '1', msg: '', data: [] }, 0],
  [{ code: 'OK', message: 'Have a nice day', data: [] }, 0],
])('but these are rows: %j', async (body, count) => {
  const { tables } = await readTables(body, { reply: 'rows', table: 'campaigns' });
  expect(tables.map(({ rows }) => rows.length)).toEqual([count]);
});

test('a remark next to the rows does not hide them', async () => {
  const { tables, part, notices } = await readTables(
    { status: 'error', message: 'Some rows were left out', data: [{ ID: 4 }, { ID: 7 }] },
    { reply: 'rows', table: 'campaigns' },
  );
  expect(tables[0]?.rows).toEqual([['4'], ['7']]);
  const fields = [
    ['status', 'error'],
    ['message', 'Some rows were left out'],
  ];
  expect(part).toMatchObject({ fields, isInDoubt: true });
  expect(notices).toEqual([]);
});

test.each([
  'No data',
  'No conversions found',
  { Status: 'Error', Message: 'No conversions found.' },
  { error: 'no records' },
])('an empty list in words is empty, not refused: %j', async (body) => {
  for (const question of [
    { reply: 'rows', table: 'conversions' },
    { reply: 'reports', reports: ['offer'] },
  ] as const) {
    const { tables, notices } = await readTables(body, question);
    expect(tables.map(({ rows }) => rows.length)).toEqual([0]);
    const text = expect.stringMatching(/^No (data|conversions|records)/i);
    expect(notices).toEqual([{ code: 'tracker-said', text }]);
  }
  for (const reply of ['groups', 'id', 'ok'] as const) expect(await problemWith(body, { reply })).toMatch(/^refused/);
});

test.each(['{"data":[false]}', '[0]', '{"conversions":[true]}'])('a list of flags holds no rows: %s', async (body) => {
  expect(await problemWith(body, { reply: 'rows', table: 'conversions' })).toMatch(/^unreadable/);
  expect(await problemWith(body, { reply: 'reports', reports: ['offer'] })).toMatch(/^unreadable/);
});
