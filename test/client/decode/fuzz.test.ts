import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AnswerProblem } from '../../../src/client/decode/answer-problem.ts';
import { type Question, readAnswer } from '../../../src/client/decode/decode.ts';
import { toPlainReply } from '../../support/tables.ts';

const notice = '<br />\n<b>Notice</b>:  Undefined index: qv in <b>/var/www/a.php</b> on line <b>1</b><br />\n';
const bodies = [
  '{"Status":"OK","Reports":{"target":[{"Keyword":"a","Views":"1","CTR":"1.50%"}],"offer":{"columns":["Offer","EPC"],"rows":[["Keto","0.10"]]}}}',
  '[{"ID":"4","Name":"Solo","Tokens":[{"Name":"Keyword","Param":"kw"}]},{"ID":7,"Bid":1.50,"Tokens":[]}]',
  '{"Campaign Data":{"ID":"7"},"Geo Data":{"Country":"DE"},"Device Data":[{"name":"OS","value":"iOS"}]}',
  '{"status":"error","error":{"code":3,"message":"Invalid source"}}',
  `${notice}{"Status":"OK","ID":"12"}`,
  'OK',
  '<?xml version="1.0" encoding="UTF-8"?><Response><Status>OK</Status><Rows><Row ID="4"><Name><![CDATA[a & b]]></Name><Url>x&amp;y</Url></Row></Rows></Response>',
  '<stats xmlns:t="u"><report name="offer"><row><field name="Extra 1">x</field><t:Views>1</t:Views></row></report></stats>',
  `${notice}<response><error>No access</error></response>`,
  '<!DOCTYPE html><html><body><form><input type="password"></form><script>var a={"b":[1]};</script></body></html>',
].map((body) => Buffer.from(body));

const questions: readonly Question[] = [
  { reply: 'rows', table: 'campaigns' },
  { reply: 'reports', reports: ['target', 'offer'] },
  { reply: 'groups' },
  { reply: 'id' },
  { reply: 'ok' },
];

/** Expects a reply with complete tables, or a named problem. */
async function expectReplyOrProblem(bytes: Uint8Array, contentType?: string): Promise<void> {
  for (const question of questions) {
    try {
      const reply = toPlainReply((await readAnswer({ bytes, contentType, question })).reply);
      if (reply.kind !== 'tables') continue;
      for (const { columns, rows } of reply.tables) {
        expect(new Set(columns).size).toBe(columns.length);
        for (const row of rows) expect(row).toHaveLength(columns.length);
      }
    } catch (error) {
      if (!(error instanceof AnswerProblem)) throw error;
    }
  }
}

const special = fc.constantFrom(
  ...'{}[]":,<>&/!?-=\'0e.\\\n\0\ufeff',
  ...'<![CDATA[ ]]> <!-- <!DOCTYPE &# "} [[ {"rows": null <row> </Row>'.split(' '),
);

test('a body with changed, lost, repeated or added bytes is a reply or a problem', async () => {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    lost: fc.nat({ max: 20 }),
    put: fc.oneof(
      special.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 4 }),
    ),
    isRepeated: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...bodies),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      async (body, changes) => {
        let bytes: Uint8Array = body;
        for (const { at, lost, put, isRepeated } of changes) {
          const place = Math.floor(at * bytes.length);
          const [before, after] = [bytes.subarray(0, place), bytes.subarray(place + lost)];
          const part = bytes.subarray(place, place + lost);
          bytes = Buffer.concat([before, put, ...(isRepeated ? [part, part] : []), after]);
        }
        await expectReplyOrProblem(bytes);
      },
    ),
    { numRuns: 1500 },
  );
});

test('parts of several bodies are a reply or a problem', async () => {
  const part = fc.tuple(fc.constantFrom(...bodies), fc.nat({ max: 300 }), fc.nat({ max: 300 }));
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 2, maxLength: 4 }), async (parts) => {
      const cut = parts.map(([body, from, to]) => body.subarray(Math.min(from, to), Math.max(from, to)));
      await expectReplyOrProblem(Buffer.concat(cut));
    }),
    { numRuns: 500 },
  );
});

test('bytes of any kind, declared as anything, are a reply or a problem', async () => {
  const types = ['text/html; charset=utf-16', 'application/json; charset="x"', 'text/xml;charset=shift_jis'];
  const declared = fc.constantFrom(undefined, ...types);
  const json = fc.json().map((text) => Buffer.from(text));
  const body = fc.oneof(fc.uint8Array({ maxLength: 200 }), json);
  await fc.assert(fc.asyncProperty(body, declared, expectReplyOrProblem), { numRuns: 500 });
});
