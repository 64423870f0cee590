import { expect, test } from 'vitest';
import { AnswerProblem } from '../../../src/client/decode/answer-problem.ts';
import { readBody } from '../../../src/client/decode/body.ts';
import { type Question, readAnswer } from '../../../src/client/decode/decode.ts';
import { parse } from '../../../src/client/decode/parse.ts';
import { groupListShapes, groupRecordShapes } from '../../../src/client/decode/shapes/groups.ts';
import { receiptShapes } from '../../../src/client/decode/shapes/receipt.ts';
import { reportListShapes, reportRecordShapes, statsShapes } from '../../../src/client/decode/shapes/reports.ts';
import { listShapes, recordShapes } from '../../../src/client/decode/shapes/tables.ts';
import { readEnvelope, ruleFor, rules } from '../../../src/client/decode/verdict.ts';

const rows: Question = { reply: 'rows', table: 'campaigns' };
const reports: Question = { reply: 'reports', reports: ['offer', 'landing'] };
const groups: Question = { reply: 'groups' };
const write: Question = { reply: 'id' };

const bytesOf = (body: string) => new TextEncoder().encode(body);

/** Each list of shapes with a question, and its depth in the answer. */
const families: readonly [
  question: Question,
  depth: number,
  shapes: readonly { readonly name: string; readonly examples: readonly string[] }[],
][] = [
  [rows, 0, listShapes],
  [rows, 0, recordShapes],
  [reports, 0, statsShapes],
  [reports, 1, reportRecordShapes],
  [reports, 1, reportListShapes],
  [groups, 0, groupListShapes],
  [groups, 0, groupRecordShapes],
  [write, 0, receiptShapes],
];

const examples = families.flatMap(([question, depth, shapes]) =>
  shapes.flatMap(({ name, examples: bodies }) => bodies.map((body) => [name, body, question, depth] as const)),
);

test.each(examples)('the shape “%s” reads its example %s', async (name, body, question, depth) => {
  const { shape } = await readAnswer({ bytes: bytesOf(body), question });
  expect(shape.split(' > ')[depth]).toBe(name);
});

test('every shape has an example and a unique name in its list', () => {
  for (const [, , shapes] of families) {
    for (const shape of shapes) expect(shape.examples.length, shape.name).toBeGreaterThan(0);
    expect(new Set(shapes.map(({ name }) => name)).size).toBe(shapes.length);
  }
});

const judged = rules.map((rule) => [rule.calls ?? 'any call', rule.verdict, rule.example, rule] as const);

test.each(judged)('for %s, the first rule that fits gives %s for %s', async (_, verdict, __, rule) => {
  const question = rule.calls === 'writes' ? write : rows;
  const {
    trees: [tree = null],
  } = await parse(readBody(bytesOf(rule.example), undefined));
  expect(ruleFor(readEnvelope(tree, question))).toBe(rule);
  const outcome = await readAnswer({ bytes: bytesOf(rule.example), question }).then(
    ({ shape }) => (shape === 'words for nothing' ? 'nothing-found' : 'ok'),
    (error: unknown) => (error instanceof AnswerProblem ? error.kind : error),
  );
  expect(outcome).toBe(verdict);
});
