import { ListedCells } from '../../api/cells.ts';
import type { Reply } from '../../api/replies.ts';
import { Table } from '../../api/table.ts';
import { quotation } from '../../api/text/clean-text.ts';
import { AnswerProblem } from './answer-problem.ts';
import { type Envelope, isGoodCode } from './envelope.ts';
import type { Payload } from './shapes/find-payload.ts';
import { type Field, isEmpty, isLeaf, toCell } from './tree.ts';
import { reportsNoError } from './verdict/complaint.ts';
import { ruleFor, type Verdict } from './verdict/verdict.ts';
import { isMeta, isSuccessPhrase, isSuccessWord } from './words.ts';

/** A reply, and how it was read. */
export interface Reading {
  readonly reply: Reply;
  /** The shapes it was read by, from the outside to the inside, for those who look into how a tracker answers. */
  readonly shape: string;
}

/**
 * Makes the reply that an answer is.
 *
 * @throws AnswerProblem where it is none
 */
export function toReply(answer: Envelope): Reading {
  const { verdict } = ruleFor(answer);
  const { payload } = answer;
  if (verdict === 'nothing-found') return { reply: nothingFound(answer), shape: 'words for nothing' };
  if (verdict !== 'ok') throw new AnswerProblem(verdict, saidIn(answer, verdict));
  if (!payload) throw new TypeError('an answer without a payload is no reply');
  return { reply: replies[payload.kind](payload as never, answer), shape: payload.shape };
}

/** The tracker's own words about what is the matter. */
function saidIn(answer: Envelope, verdict: Verdict): string {
  if (verdict === 'unreadable') return '';
  return answer.denial ?? answer.complaint ?? answer.words;
}

type Carrying<Kind extends Payload['kind']> = Extract<Payload, { kind: Kind }>;

const replies: {
  readonly [Kind in Payload['kind']]: (payload: Carrying<Kind>, answer: Envelope) => Reply;
} = {
  receipt: ({ id, beside }) => ({ kind: 'receipt', receipt: { id }, notices: remarksOnWrite(beside, id) }),
  groups: ({ groups, beside }) => ({ kind: 'groups', groups, notices: remarks(beside) }),
  tables: ({ tables, beside }, { question }) => {
    const missing = (question.reports ?? []).filter(
      (name) => isOneReport(name) && !tables.some((table) => table.name === name),
    );
    return {
      kind: 'tables',
      tables: tables.map(({ name, columns, cells }) => new Table(name, columns, cells)),
      notices: [...remarks(beside), ...missing.map((name) => `The tracker returned no ${name} report.`)],
    };
  },
};

function nothingFound({ question, complaint = '' }: Envelope): Reply {
  const names = question.reply === 'rows' ? [question.table ?? 'rows'] : (question.reports ?? []).filter(isOneReport);
  return {
    kind: 'tables',
    tables: names.map((name) => new Table(name, [], new ListedCells([], 0))),
    notices: [`The tracker said: ${quotation(complaint)}`],
  };
}

function isOneReport(name: string): boolean {
  return name !== 'all';
}

/** What stood beside the rows and is not only about the answer itself. */
function remarks(beside: readonly Field[]): string[] {
  const said = beside.filter(([name, value]) => !(isMeta(name) && isLeaf(value) && isSuccessWord(String(value))));
  return quoted('Beside the rows the tracker also said', said);
}

/** What a tracker said beside OK or an ID, such as a warning; that it was done is said by the receipt. */
function remarksOnWrite(beside: readonly Field[], id: string | null): string[] {
  const said = beside.filter(([name, value]) => {
    const text = isLeaf(value) ? String(value).trim() : undefined;
    return text === undefined || !(text === id || isSuccessPhrase(text) || isGoodCode(name, text));
  });
  return quoted('The tracker also said', said);
}

function quoted(introduction: string, fields: readonly Field[]): string[] {
  const said = fields
    .filter(([name, value]) => !isEmpty(value) && !reportsNoError(name, value))
    .map(([name, value]) => `${name} = ${quotedText(toCell(value) ?? '')}`);
  return said.length === 0 ? [] : [`${introduction}: ${said.join('; ')}`];
}

/** Words in quotation marks, so that they end where they end; numbers, single words and JSON as they are. */
function quotedText(text: string): string {
  return /\s/.test(text) && !/^[[{]/.test(text) ? quotation(text) : text;
}
