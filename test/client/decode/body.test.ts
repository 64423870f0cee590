import { expect, test } from 'vitest';
import { readAnswer } from '../../../src/client/decode/decode.ts';
import { toPlainReply } from '../../support/tables.ts';
import { problemWith, read, readTables } from './read.ts';

const question = { reply: 'rows', table: 'campaigns' } as const;
const json = '{"Status":"OK","Rows":[{"ID":"4","Name":"Größe [1] {x}"},{"ID":"7","Name":"Zoë"}]}';
const xml =
  '<Response><Rows><Row><ID>4</ID><Name>Größe [1] {x}</Name></Row><Row><ID>7</ID><Name>Zoë</Name></Row></Rows></Response>';
const rows = [
  ['4', 'Größe [1] {x}'],
  ['7', 'Zoë'],
];

const latin = (text: string) => Buffer.from(text, 'latin1');
const wide = (text: string) => Buffer.from(text, 'utf16le');
const declaration = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?>\n`;

const singleQuoted = declaration('windows-1252').replaceAll('"', "'");

const encoded: Record<string, [bytes: Uint8Array, contentType: string | undefined]> = {
  'UTF-8 without a declaration': [Buffer.from(json), undefined],
  'UTF-8 with a byte order mark': [Buffer.from(`\ufeff${json}`), 'application/json'],
  'XML with a byte order mark': [Buffer.from(`\ufeff${declaration('UTF-8')}${xml}`), 'text/xml'],
  'JSON as HTML': [Buffer.from(json), 'text/html; charset=UTF-8'],
  'XML as plain text': [Buffer.from(xml), 'text/plain'],
  'UTF-8 declared as ISO-8859-1': [Buffer.from(json), 'text/html; charset=ISO-8859-1'],
  'UTF-8 declared as something unknown': [Buffer.from(json), 'text/html; charset=utf8mb4'],
  'ISO-8859-1': [latin(json), 'application/json; charset=ISO-8859-1'],
  'ISO-8859-1 declared as UTF-8': [latin(json), 'application/json; charset=utf-8'],
  'ISO-8859-1 without a declaration': [latin(json), undefined],
  'XML that declares ISO-8859-1': [latin(declaration('ISO-8859-1') + xml), 'text/xml'],
  'XML that declares windows-1252 in single quotes': [latin(singleQuoted + xml), undefined],
  'UTF-16 with a mark': [wide(`\ufeff${json}`), undefined],
  'UTF-16 without a mark': [wide(json), 'application/json'],
  'XML in UTF-16': [wide(`\ufeff${declaration('UTF-16')}${xml}`), 'text/xml'],
  'UTF-16 with the high byte first': [wide(`\ufeff${json}`).swap16(), undefined],
  'UTF-16 with the high byte first and no mark': [wide(json).swap16(), undefined],
};

test.each(Object.entries(encoded))('the text is read right: %s', async (_, [bytes, contentType]) => {
  const reply = toPlainReply((await readAnswer({ bytes, contentType, question })).reply);
  expect(reply).toMatchObject({ kind: 'tables', tables: [{ rows }], notices: [] });
});

test.each([undefined, 'application/json', 'text/html; charset=ISO-8859-1', 'text/html; charset=windows-1252'])(
  'the signs that only Windows-1252 has are read: %s',
  async (contentType) => {
    const bytes = latin('[{"Name":"12,50 \x80 \x96 \x93x\x94"},{"Name":"Zo\xeb"}]');
    const reply = toPlainReply((await readAnswer({ bytes, contentType, question })).reply);
    expect(reply).toMatchObject({ tables: [{ rows: [['12,50 € – “x”'], ['Zoë']] }] });
  },
);

test('one broken byte spoils only one character', async () => {
  const bytes = Buffer.concat([Buffer.from('[{"Name":"Größe '), Buffer.of(0xe4), Buffer.from('"},{"Name":"日本"}]')]);
  const reply = await read(bytes, question);
  expect(reply).toMatchObject({ tables: [{ rows: [['Größe \ufffd'], ['日本']] }] });
});

const deprecated =
  '<br />\n<b>Deprecated</b>:  trim(): Passing null to parameter #1 ($string) of type string is deprecated in <b>/var/www/html/api/common.php</b> on line <b>310</b><br />\n';
const around: Record<string, (body: string) => string> = {
  'one deprecation before it': (body) => deprecated + body,
  'kilobytes of deprecations before it': (body) => deprecated.repeat(40) + body,
  'a notice and a warning before it': (body) =>
    `<br />\n<b>Notice</b>:  Undefined index: qv in <b>/a.php</b> on line <b>1</b><br />\n<br />\n<b>Warning</b>:  array_merge(): x in <b>/a.php</b> on line <b>2</b><br />\n${body}`,
  'messages without HTML before it': (body) =>
    `\nDeprecated: trim() in /var/www/a.php on line 310\n\nWarning: Undefined variable $x in /var/www/a.php on line 311\n${body}`,
  'messages of the command line before it': (body) => `PHP Notice:  Undefined offset: 1 in /a.php on line 12\n${body}`,
  'a message that holds brackets': (body) =>
    `<br />\n<b>Warning</b>:  Undefined array key "x" in [client] {main} array(1) { [0]=> int(1) } in <b>/a.php</b> on line <b>2</b><br />\n${body}`,
  'a deprecation after it': (body) => body + deprecated,
  'deprecations after it': (body) => `${body}\n${deprecated.repeat(5)}`,
  'a message without HTML after it': (body) => `${body}\nWarning: Unknown: x in Unknown on line 0\n`,
  'deprecations on both sides': (body) => deprecated + body + deprecated,
  'a table of xdebug before it': (body) =>
    `<br />\n<font size='1'><table class='xdebug-error' dir='ltr' border='1'><tr><th colspan='5'>( ! ) Deprecated: trim() [x] in /a.php on line <i>3</i></th></tr></table></font>\n${body}`,
  'a var_dump before it': (body) => `array(1) {\n  [0]=>\n  string(1) "a"\n}\n${body}`,
  'a print_r before it': (body) => `Array\n(\n    [0] => 1\n    [x] => Array ( )\n)\n${body}`,
  'a line of a log before it': (body) => `[2026-11-20 10:00:00] tracker.INFO: api call []\n${body}`,
  'a comment of HTML after it': (body) => `${body}\n<!-- generated in 0.12 s -->`,
};

test.each(Object.entries(around))('an answer is found in JSON and XML with %s', async (name, surround) => {
  const [fromJson, fromXml] = [json, declaration('UTF-8') + xml].map((body) => readTables(surround(body), question));
  const notices = [{ code: 'messages-left-out' }];
  expect(await fromJson).toMatchObject({ tables: [{ rows }], notices });
  // A comment is part of XML.
  expect(await fromXml).toMatchObject({ tables: [{ rows }], ...(name.includes('comment') ? {} : { notices }) });
});

test('a message of PHP inside a value stays there', async () => {
  const name = `x ${deprecated}`;
  const { tables, notices } = await readTables({ Rows: [{ ID: 4, Name: name }] }, question);
  expect(tables[0]?.rows).toEqual([['4', name]]);
  expect(notices).toEqual([]);
});

test('a second value after the answer is not mixed up with it', async () => {
  expect(await problemWith('{"debug":1}{"Rows":[{"ID":4},', question)).toMatch(/^(cut-off|unreadable)$/);
});

const whole: Record<string, string> = {
  JSON: json,
  'JSON laid out': JSON.stringify(JSON.parse(json), null, 2),
  'JSON with numbers that JavaScript would change': '{"Rows":[{"ID":4,"Bid":1.50},{"ID":7,"Bid":1e5}]}',
  'JSON of lists': '{"columns":["ID","Name"],"rows":[["4","a"],["7","b"]]}',
  'JSON keyed by ID': '{"4":{"ID":"4","Name":"a"},"7":{"ID":"7","Name":"b"}}',
  'JSON after messages': deprecated + json,
  'JSON after unknown messages': `some words of a plugin [x]\n${json}`,
  XML: xml,
  'XML with a declaration': declaration('UTF-8') + xml,
  'XML of attributes': '<campaigns><campaign ID="4" Name="a"/><campaign ID="7" Name="b"/></campaigns>',
  'XML after messages': deprecated + declaration('UTF-8') + xml,
};

test.each(Object.entries(whole))('no truncated body is taken for a whole answer: %s', async (_, body) => {
  const bytes = Buffer.from(body);
  const reports = { reply: 'reports', reports: ['offer'] } as const;
  expect((await readTables(body, question)).tables[0]?.rows).toHaveLength(2);
  for (let length = 0; length < bytes.length; length += 1) {
    const part = bytes.subarray(0, length);
    for (const asked of [question, reports]) {
      const problem = await problemWith(part, asked);
      expect(problem, part.toString()).toMatch(/^(cut-off|unreadable|empty|page|refused: |no-access)/);
    }
    if (length > body.indexOf('{') + 30 && body === json) expect(await problemWith(part, question)).toBe('cut-off');
  }
});
