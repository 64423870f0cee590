import { expect, test } from 'vitest';
import { type Body, problemWith, readReceipt } from './read.ts';

const ids: Record<string, Body> = {
  text: '12',
  'text and a line break': '12\n',
  'JSON string': '"12"',
  'a list of one': '[12]',
  id: { id: 12 },
  ID: { ID: '12' },
  'Status and ID': { Status: 'OK', ID: '12' },
  result: { result: 12 },
  'success and data': { success: true, data: 12 },
  'success 1 and data': { success: 1, data: '12' },
  'deep record': { status: 'ok', data: { id: 12, name: 'Keto A', status: 'inactive', campaignid: 7 } },
  'under the noun': { offer: { id: 12, active: 0 } },
  'a record with a status': { id: 12, status: 'disabled' },
  offer_id: { status: 'success', offer_id: '12', request_id: 99 },
  landingPageId: { landingPageId: 12 },
  lpid: { code: 200, message: 'Landing page added', lpid: 12 },
  'insert id': { insertId: 12, affectedRows: 1 },
  'id and message': { id: 12, message: 'Offer added' },
  'an error field that is empty': { error: '', id: 12 },
  'OK and ID as text': 'OK: 12',
  'ID as text': 'id=12',
  'root element': '<id>12</id>',
  'element in a response': '<?xml version="1.0"?>\n<response>\n  <status>OK</status>\n  <id>12</id>\n</response>\n',
  'text of the response': '<response>12</response>',
  attribute: '<offer id="12"/>',
  'attribute of the response': '<response status="ok" id="12"/>',
  CDATA: '<Response><ID><![CDATA[12]]></ID></Response>',
  'after notices':
    '<br />\n<b>Notice</b>:  Undefined index: notes in <b>/var/www/api.php</b> on line <b>12</b><br />\n12',
  'with a line break of HTML': '12<br>',
  'before a comment': '12\n<!-- 0.02 s -->',
  'New ID': 'New ID=12',
  'ID and a remark': 'ID: 12, source 3 ignored',
  'an error of code 0': { error: { code: 0, message: '' }, id: 12 },
  'code 0': { code: 0, id: 12 },
  'after text notices': '\nWarning: trim() expects a string in /var/www/api.php on line 44\n{"id":12}',
};

test.each(Object.entries(ids))('an ID is read from: %s', async (_, body) => {
  expect((await readReceipt(body, 'id')).receipt).toEqual({ id: '12' });
});

test('an ID beyond safe integers keeps its digits', async () => {
  for (const body of ['9007199254740993', '{"id":9007199254740993}', '<id>9007199254740993</id>']) {
    expect((await readReceipt(body, 'id')).receipt).toEqual({ id: '9007199254740993' });
  }
});

const oks: Record<string, Body> = {
  OK: 'OK',
  'ok and a line break': 'ok\r\n',
  'Ok.': 'Ok.',
  'JSON string': '"OK"',
  true: 'true',
  1: '1',
  'a list of one': '["OK"]',
  status: { status: 'ok' },
  Status: { Status: 'OK' },
  'status success': { status: 'success', data: null },
  'success true': { success: true },
  'success 1': { success: 1 },
  'success as text': { success: 'true' },
  'ok true': { ok: true },
  'OK true': { OK: true },
  result: { result: 'OK' },
  'status 200': { status: 200 },
  'code and message': { code: 200, message: 'OK' },
  'a sentence': { message: 'The offer was added to the campaign.' },
  'saved successfully': 'Saved successfully',
  'error false': { error: false, status: 'ok' },
  'error false alone': { error: false },
  'error 0 alone': '<error>0</error>',
  'errors empty': { errors: [], result: 'success' },
  'error 0': { error: 0, message: 'success' },
  'wrapped twice': { response: { result: { status: 'OK' } } },
  'root element': '<status>OK</status>',
  'element in a response': '<Response><Status>OK</Status></Response>',
  'text of the response': '<?xml version="1.0" encoding="UTF-8"?><response>OK</response>',
  attribute: '<response status="success"/>',
  'attribute and an empty element': '<response success="true"><error/></response>',
  'an element called ok': '<response><ok/></response>',
  'after notices': '<b>Deprecated</b>: x in <b>y.php</b> on line <b>3</b><br />\nOK',
  'a message that sounds like a failure': {
    status: 'OK',
    message: 'The old page could not be found, a new one was added',
  },
};

test.each(Object.entries(oks))('OK is read from: %s', async (_, body) => {
  expect((await readReceipt(body, 'ok')).receipt).toEqual({ id: null });
});

test.each([{ status: 'OK', pageid: 31 }, '<response status="ok"><id>31</id></response>'])(
  'an ID next to OK is kept: %j',
  async (body) => {
    expect((await readReceipt(body, 'ok')).receipt).toEqual({ id: '31' });
  },
);

test.each([
  [{ source_id: 3, offer_id: 12 }, '12'],
  [{ network_id: '3', offerid: '12' }, '12'],
  [{ source: { id: 3 }, offer: { id: 12 } }, '12'],
  [{ row_id: 1, offer: { id: 12 } }, '12'],
  [{ status: 'OK', affected_rows: '1' }, null],
  [{ status: 'OK', queries: 5 }, null],
  [{ status: 'OK', source_id: 3 }, null],
] as const)('the ID of an offer is no other number: %j', async (body, id) => {
  expect((await readReceipt(body, 'id', 'offer')).receipt).toEqual({ id });
});

test.each([
  { status: 'OK', id: '3', pageid: '8' },
  { offer_id: 3, page_id: 8, status: 'OK' },
  '<response status="OK"><offer><id>3</id></offer><page><id>8</id></page></response>',
])('the ID of a placed page comes before the ID of its predefined record: %j', async (body) => {
  expect((await readReceipt(body, 'ok', 'campaign_page')).receipt).toEqual({ id: '8' });
});

test.each([
  { status: 'error', id: '12' },
  { error: 'Unknown source', id: 12 },
  { status: 'error', message: 'Unknown source', data: { id: 12 } },
  { Status: 'fail', ID: 12 },
  { success: false, id: 12 },
  { success: 0, id: '12' },
  { ok: false, id: 12 },
  { status: false, id: 12 },
  { status: 400, id: 12 },
  { code: 400, id: 12 },
  { result: 'error', id: 12 },
  { result: false, id: 12 },
  { errno: 12, msg: 'bad' },
  { error_id: 12 },
  { status: 'error', source: '12' },
  { response: { status: 'error', pageid: 12 } },
  '<response status="error"><id>12</id></response>',
  '<response status="error" id="12"/>',
  '<response status="fail">12</response>',
  '<response success="0">12</response>',
])('a failure with a number next to it is still a failure: %j', async (body) => {
  for (const reply of ['id', 'ok'] as const) expect(await problemWith(body, { reply })).toMatch(/^refused/);
});

test.each([
  [{ Status: 'OK', Message: 'share was capped to 50' }, { Message: 'share was capped to 50' }],
  [{ status: 'OK', Warning: 'share sum is 110%' }, { Warning: 'share sum is 110%' }],
  [
    { status: 'warning', id: '12', message: 'name was cut' },
    { status: 'warning', message: 'name was cut' },
  ],
  [{ status: 'OK', ID: 'OF-12' }, { ID: 'OF-12' }],
  ['ID: 12, source 3 ignored', { text: 'source 3 ignored' }],
])('remarks next to a receipt are passed on: %j', async (body, fields) => {
  const remark = { code: 'sent-too', isWrite: true, fields: Object.entries(fields) };
  expect((await readReceipt(body, 'id')).notices).toEqual([remark]);
});

test.each([
  { status: 'ok', id: 12 },
  { id: 12, message: 'Offer added' },
  { code: 200, error: '', lpid: 12 },
  { code: '0', msg: 'ok', data: { id: 12 } },
])('remarks that only confirm a write are left out: %j', async (body) => {
  expect((await readReceipt(body, 'id')).notices).toEqual([]);
});

test('a reason next to an invalid ID is a refusal', async () => {
  for (const body of [{ id: 0, message: 'bad source' }, { reason: 'bad source', id: '0' }, ['Error', 'bad source']]) {
    expect(await problemWith(body, { reply: 'id' })).toMatch(/^refused: .*bad source$/);
  }
});

const empty = '{} [] null 0 -1 {"id":0} {"data":null} {"campaignid":7} <response/> <id/>';

test.each(empty.split(' '))('an answer without OK or an ID is not a success: %s', async (body) => {
  for (const reply of ['id', 'ok'] as const) expect(await problemWith(body, { reply })).toMatch(/^unclear/);
});

test.each([
  'Timeout',
  'Fatal error: Allowed memory size exhausted',
  'Gespeichert',
  'Record inserted 12',
  '0 rows updated',
  'Offer will be added after approval',
  'Request saved for review',
  { Status: 'Timeout', Message: 'timed out, may have been saved' },
  { status: 'error', message: 'Gateway timeout' },
  { code: 504, message: 'error' },
  { success: true, errors: ['cache not flushed'] },
  { status: 'ok', errors: ['cache not flushed'] },
  '<status>Pending</status>',
  // An unknown status.
  { status: '0', id: '12' },
  { code: 1, pageid: '2' },
  '<response code="1">12</response>',
  { status: 'OK', code: 17, id: 12 },
  // A yes and a no.
  { status: 'OK', saved: false },
  { Status: 'OK', Result: 'not saved' },
  { id: 12, message: 'Campaign not found' },
  { state: 'rejected', id: 12 },
])('an answer to a write that is neither yes nor no leaves the outcome open: %j', async (body) => {
  for (const reply of ['id', 'ok'] as const) expect(await problemWith(body, { reply })).toMatch(/^unclear: /);
});

test.each([
  'OK\nPHP Fatal error:  Out of memory in /a.php on line 3\n',
  '{"Status":"OK","ID":"12"}<br />\n<b>Fatal error</b>:  Uncaught PDOException in <b>/a.php</b> on line <b>3</b><br />\n',
  '<br />\n<b>Fatal error</b>:  x in <b>/a.php</b> on line <b>3</b><br />\n{"Status":"OK","ID":"12"}',
])('a script that ended after it answered a write leaves the outcome open: %j', async (body) => {
  for (const reply of ['id', 'ok'] as const) expect(await problemWith(body, { reply })).toMatch(/^unclear/);
});

test('a warning beside the answer to a write is left out', async () => {
  const body = '{"Status":"OK","ID":"12"}<br />\n<b>Warning</b>:  x in <b>/a.php</b> on line <b>3</b><br />\n';
  expect((await readReceipt(body, 'id')).receipt).toEqual({ id: '12' });
});

test.each([
  'offer can’t be added',
  'Offer limit reached',
  'Offer already added',
  'No such campaign',
  'The url must start with http:// or https://',
  '<error code="5"><id>4</id></error>',
])('a text that nothing was done is a refusal: %j', async (body) => {
  for (const reply of ['id', 'ok'] as const) expect(await problemWith(body, { reply })).toMatch(/^refused/);
});

test.each([
  { status: 'queued', id: 12 },
  { Status: 'pending', ID: '12' },
  { data: { id: 12, status: 'processing' } },
  '<response status="scheduled"><id>12</id></response>',
  { maintenance: true },
  { cached: 'yes' },
])('what may be done later, or is about something else, is no success: %j', async (body) => {
  expect(await problemWith(body, { reply: 'id' })).toMatch(/^unclear/);
  expect(await problemWith(body, { reply: 'ok' })).toMatch(/^unclear/);
});
