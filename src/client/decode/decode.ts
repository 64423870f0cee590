import type { ReplyKind, WrittenRecord } from '../../api/endpoints.ts';
import type { Reply } from '../../api/replies.ts';
import { Table } from '../../api/table.ts';
import { quotation } from '../../api/text/clean-text.ts';
import { plainName } from '../../api/text/plain-name.ts';
import { deniesAccess, saysNoAccess } from './access.ts';
import { AnswerProblem, CutOffError } from './answer-problem.ts';
import { type Body, readBody } from './read/body.ts';
import { findEmbedded } from './read/embedded.ts';
import { parseJson } from './read/json.ts';
import { type Field, isEmpty, isLeaf, type Tree, toCell } from './read/tree.ts';
import type { FoundTable } from './shapes/build-table.ts';
import { findGroups } from './shapes/groups.ts';
import { findReceipt } from './shapes/receipt.ts';
import { findReports } from './shapes/reports.ts';
import { findTable } from './shapes/tables.ts';
import { findComplaint, isClearlyError, refusal, reportsNoError, saysNothingFound } from './verdict/complaint.ts';
import { isMeta, isSuccessPhrase, isSuccessWord } from './verdict/words.ts';
import { failedDespiteId, isDoubtful, isGoodCode, provesRefusal } from './verdict/write-verdict.ts';

/** What was asked, as far as reading the answer depends on it. */
export interface Question {
  readonly reply: ReplyKind;
  /** The name of the one table of a `rows` reply. */
  readonly table?: string;
  /** What a write creates or changes. */
  readonly record?: WrittenRecord;
  /** The reports that were asked for, in a `reports` reply. */
  readonly reports?: readonly string[];
}

/**
 * Reads an answer whose shape nobody documented, tolerant of everything and losing nothing.
 *
 * @param bytes the body, decompressed
 * @param contentType the Content-Type header, of which only the charset counts
 * @param mask takes secrets out of the body's text before it is read
 * @throws AnswerProblem where the answer is an error of the tracker, or cannot be read
 */
export async function decode(
  bytes: Uint8Array,
  contentType: string | undefined,
  question: Question,
  mask: (text: string) => string = (text) => text,
): Promise<Reply> {
  try {
    const body = readBody(bytes, contentType, mask);
    const { tree, isWhole } = await parse(body);
    const reply = interpret(tree, question);
    return isWhole && !body.hadMessages ? reply : { ...reply, notices: [...reply.notices, messagesLeftOut] };
  } catch (error) {
    // A body made to exhaust the stack, such as a tag with a million attributes, is no answer either.
    throw error instanceof RangeError ? new AnswerProblem('too-deep') : error;
  }
}

const messagesLeftOut = 'The tracker printed messages around its answer; they were left out.';

interface Parsed {
  readonly tree: Tree;
  /** False where the tree is only what was found inside the body. */
  readonly isWhole: boolean;
}

async function parse(body: Body): Promise<Parsed> {
  const { kind, text } = body;
  if (kind === 'empty') throw new AnswerProblem('empty');
  let isCutOff = false;
  try {
    if (kind === 'json') return { tree: parseJson(text), isWhole: true };
    if (kind === 'xml') {
      // Most trackers are asked for JSON; the XML parser is loaded where there is XML.
      const { parseXml } = await import('./read/xml.ts');
      return { tree: parseXml(text), isWhole: true };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    isCutOff = error instanceof CutOffError;
  }
  // What stands inside a whole that was cut off is a part of it, and no answer.
  const inside = isCutOff ? 'cut-off' : isPage(text) ? undefined : await findEmbedded(body);
  if (inside === 'cut-off') throw new AnswerProblem('cut-off');
  if (inside) return { tree: inside.tree, isWhole: false };
  if (kind === 'html') throw new AnswerProblem(asksToLogIn(text) ? 'no-access' : 'page');
  if (kind === 'text') return { tree: text.replace(invisibleMarkup, ' ').trim(), isWhole: true };
  throw new AnswerProblem('unreadable');
}

/** What a script may print around a plain answer and no reader would see. */
const invisibleMarkup = /<br\s*\/?>|<!--[^>]{0,1000}-->/gi;

/** What looks like an answer inside a page belongs to its scripts. */
function isPage(text: string): boolean {
  return /^[^{[]{0,5000}?<(!doctype html|html|head|body|script|form)\b/i.test(text);
}

/** A login page, or a few words in HTML that say so. */
function asksToLogIn(page: string): boolean {
  const isLogin = /type=["']?password|name=["']?password|\blog.?in\b|\bsign.?in\b/i.test(page);
  return isLogin || (page.length < 1000 && saysNoAccess(page));
}

function interpret(tree: Tree, question: Question): Reply {
  const denial = deniesAccess(tree);
  if (denial !== undefined) throw new AnswerProblem('no-access', denial);
  switch (question.reply) {
    case 'id':
    case 'ok': {
      const found = findReceipt(tree, { kind: question.reply, record: question.record });
      const complaint = found?.id != null && !failedDespiteId(tree) ? undefined : findComplaint(tree);
      if (complaint !== undefined) {
        throw provesRefusal(tree, complaint) ? refusal(complaint) : new AnswerProblem('unclear', complaint);
      }
      if (!found || isDoubtful(tree, found.id)) throw new AnswerProblem('unclear', wordsOfAnswer(tree));
      const { id, beside } = found;
      return { kind: 'receipt', receipt: { id }, notices: remarksOnWrite(beside, id) };
    }
    case 'rows': {
      const table = findTable(tree, (name) => isNounOf(question.table ?? '', name));
      const nothing = nothingFound(tree, (table?.rowCount ?? 0) > 0);
      if (nothing) return { kind: 'tables', tables: [emptyTable(question.table ?? 'rows')], notices: nothing };
      if (!table) throw new AnswerProblem('unreadable');
      return { kind: 'tables', tables: [named(question.table ?? 'rows', table)], notices: remarks(table.beside) };
    }
    case 'reports': {
      const asked = question.reports ?? [];
      const found = findReports(tree, asked);
      const nothing = nothingFound(tree, found?.reports.some((report) => report.rowCount > 0) ?? false);
      if (nothing) return { kind: 'tables', tables: asked.filter(isOneReport).map(emptyTable), notices: nothing };
      if (!found) throw new AnswerProblem('unreadable');
      const missing = asked.filter(
        (name) => isOneReport(name) && !found.reports.some((report) => report.name === name),
      );
      return {
        kind: 'tables',
        tables: found.reports.map((report) => named(report.name, report)),
        notices: [
          ...remarks([...found.beside, ...found.reports.flatMap((report) => report.beside)]),
          ...missing.map((name) => `The tracker returned no ${name} report.`),
        ],
      };
    }
    case 'groups': {
      const found = findGroups(tree);
      const complaint = complaintOfRead(tree, found?.groups.some((group) => group.fields.length > 0) ?? false);
      if (complaint !== undefined) throw refusal(complaint);
      if (!found) throw new AnswerProblem('unreadable');
      return { kind: 'groups', groups: found.groups, notices: remarks(found.beside) };
    }
  }
}

/** All that a short answer says, to be quoted. */
function wordsOfAnswer(tree: Tree): string {
  return (toCell(tree) ?? '').slice(0, 2000);
}

/** Words in quotation marks, so that they end where they end; numbers, single words and JSON as they are. */
function quotedText(text: string): string {
  return /\s/.test(text) && !/^[[{]/.test(text) ? quotation(text) : text;
}

function named(name: string, { columns, cells, rowCount }: FoundTable): Table {
  return Table.fromColumns(name, columns, cells, rowCount);
}

function emptyTable(name: string): Table {
  return Table.fromColumns(name, [], []);
}

function isOneReport(name: string): boolean {
  return name !== 'all';
}

/** @param holdsData whether what was asked for is there, so that a message beside it is only a remark */
function complaintOfRead(tree: Tree, holdsData: boolean): string | undefined {
  return holdsData && !isClearlyError(tree) ? undefined : findComplaint(tree);
}

/**
 * @returns a notice where the tracker says in words that there are no rows
 * @throws AnswerProblem where the answer is an error
 */
function nothingFound(tree: Tree, holdsData: boolean): readonly string[] | undefined {
  const complaint = complaintOfRead(tree, holdsData);
  if (complaint === undefined) return undefined;
  if (saysNothingFound(complaint)) return [`The tracker said: ${quotation(complaint)}`];
  throw refusal(complaint);
}

/** `conversions` names conversions, conversion, conversionlist; `traffic_sources` also ts and sources. */
function isNounOf(table: string, name: string): boolean {
  const noun = plainName(table).replace(/s$/, '');
  const word = plainName(name)
    .replace(/(list|data|stats)$/, '')
    .replace(/s$/, '');
  return word === noun || (noun === 'trafficsource' && /^(t|ts|source)$/.test(word));
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
