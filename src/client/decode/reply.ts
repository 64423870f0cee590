import { ListedCells } from '../../api/cells.ts';
import { type Group, type Reply, Table } from '../../api/table.ts';
import { fromTracker, type NamedCell, quoted, remarkOn } from '../../api/text/tracker-text.ts';
import { AnswerProblem } from './answer-problem.ts';
import { type Envelope, isGoodCode } from './envelope.ts';
import type { Payload } from './shapes/find-payload.ts';
import type { FoundGroup } from './shapes/groups.ts';
import { type Field, isEmpty, isLeaf, toCell } from './tree.ts';
import { maxQuotationLength, reportsNoError } from './verdict/complaint.ts';
import { ruleFor, type Verdict } from './verdict/verdict.ts';
import { isMeta, isSuccessPhrase, isSuccessWord } from './words.ts';

/** A reply, and how it was read. */
export interface Reading {
  readonly reply: Reply;
  /** The shapes it was read by, from the outside to the inside, for debugging. */
  readonly shape: string;
}

/**
 * Makes the reply that an answer is.
 *
 * @throws AnswerProblem if it is none
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
  return answer.denial ?? answer.complaint ?? (toCell(answer.tree) ?? '').slice(0, maxQuotationLength);
}

type Carrying<Kind extends Payload['kind']> = Extract<Payload, { kind: Kind }>;

const replies: {
  readonly [Kind in Payload['kind']]: (payload: Carrying<Kind>, answer: Envelope) => Reply;
} = {
  receipt: ({ id, beside }) => ({
    kind: 'receipt',
    receipt: { id: id === null ? null : fromTracker(id) },
    notices: remarksOnWrite(beside, id),
  }),
  groups: ({ groups, beside }) => ({ kind: 'groups', groups: groups.map(toGroup), notices: remarks(beside) }),
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
    notices: [`The tracker said: ${quoted(fromTracker(complaint))}`],
  };
}

function isOneReport(name: string): boolean {
  return name !== 'all';
}

/** What stood beside the rows and is not only about the answer itself. */
function remarks(beside: readonly Field[]): string[] {
  const said = beside.filter(([name, value]) => !(isMeta(name) && isLeaf(value) && isSuccessWord(String(value))));
  return remark('Beside the rows the tracker also said', said);
}

/** What a tracker said beside OK or an ID, such as a warning; that it was done is said by the receipt. */
function remarksOnWrite(beside: readonly Field[], id: string | null): string[] {
  const said = beside.filter(([name, value]) => {
    const text = isLeaf(value) ? String(value).trim() : undefined;
    return text === undefined || !(text === id || isSuccessPhrase(text) || isGoodCode(name, text));
  });
  return remark('The tracker also said', said);
}

function remark(introduction: string, fields: readonly Field[]): string[] {
  const said = fields.filter(([name, value]) => !isEmpty(value) && !reportsNoError(name, value));
  return remarkOn(introduction, toNamedCells(said.map(([name, value]) => [name, toCell(value)])));
}

function toGroup({ name, fields }: FoundGroup): Group {
  return { name: fromTracker(name), fields: toNamedCells(fields) };
}

function toNamedCells(fields: FoundGroup['fields']): NamedCell[] {
  return fields.map(([name, value]) => [fromTracker(name), value === null ? null : fromTracker(value)]);
}
