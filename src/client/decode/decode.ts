import type { ReplyKind } from '../../api/endpoints.ts';
import type { Reply } from '../../api/replies.ts';
import { type Body, readBody } from './body.ts';
import { findComplaint } from './complaint.ts';
import { findGroups } from './groups.ts';
import { parseJson } from './json.ts';
import { isContainer, isMeta, isSuccessWord } from './names.ts';
import { findReceipt } from './receipt.ts';
import { findReports } from './reports.ts';
import { findTable } from './tables.ts';
import { isEmpty, isLeaf, isRecord, plainName, type Tree, toCell } from './tree.ts';

/** What was asked, as far as reading the answer depends on it. */
export interface Question {
  readonly reply: ReplyKind;
  /** The name of the one table of a `rows` reply. */
  readonly table?: string;
  /** The reports that were asked for, in a `reports` reply. */
  readonly reports?: readonly string[];
}

/**
 * What is the matter with an answer that is no reply.
 *
 * no-access: the tracker does not accept the key, or its API is off · refused: it says what was wrong with the request ·
 * page: a page of HTML · empty, cut-off, unreadable: nobody can tell what it says
 */
export type ProblemKind = 'no-access' | 'refused' | 'page' | 'empty' | 'cut-off' | 'unreadable';

export class AnswerProblem extends Error {
  readonly kind: ProblemKind;
  /** The tracker's own words; empty where it said nothing that is fit to be shown. */
  readonly said: string;

  constructor(kind: ProblemKind, said: string) {
    super(kind);
    this.kind = kind;
    this.said = said;
  }
}

/** Words with which trackers say that the key was not accepted or that the API is off. */
const noAccess =
  /\bno.?access\b|access (is )?(denied|not allowed|disabled)|not authori[sz]ed|unauthori[sz]ed|authenticat|api.?key|(invalid|wrong|bad|incorrect|missing|unknown) (api )?key|\bkey\b.{0,20}\b(invalid|wrong|incorrect|missing|required)|api (access )?(is )?(disabled|not enabled|off)|forbidden|permission/i;

/** Where nothing is known about PHP's messages, the answer begins at one of the first few brackets. */
const mostStarts = 40;

/**
 * Reads an answer whose shape nobody documented, tolerant of everything and losing nothing.
 *
 * @param bytes the body, decompressed
 * @param mask takes secrets out of the body's text before it is read
 * @throws AnswerProblem where the answer is an error of the tracker, or cannot be read
 * @throws Failure where the answer is refused for what it is, such as XML with a document type
 */
export async function decode(
  bytes: Uint8Array,
  contentType: string | undefined,
  question: Question,
  mask: (text: string) => string = (text) => text,
): Promise<Reply> {
  const body = readBody(bytes, contentType, mask);
  const { tree, isWhole } = await parse(body, question);
  const reply = interpret(tree, question);
  if (isWhole && body.phpMessages === '') return reply;
  return {
    ...reply,
    notices: [...reply.notices, 'The tracker printed messages around its answer; they were left out.'],
  };
}

interface Parsed {
  readonly tree: Tree;
  /** False where the tree is only what was found inside the body. */
  readonly isWhole: boolean;
}

async function parse(body: Body, question: Question): Promise<Parsed> {
  if (body.kind === 'empty') throw new AnswerProblem('empty', '');
  try {
    if (body.kind === 'json') return { tree: parseJson(body.text), isWhole: true };
    if (body.kind === 'xml') {
      // Most trackers are asked for JSON; the XML parser is loaded where there is XML.
      const { parseXml } = await import('./xml.ts');
      return { tree: parseXml(body.text), isWhole: true };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const inside = findJson(body.text);
  if (inside !== undefined) return { tree: inside, isWhole: false };
  if (body.kind === 'html') throw new AnswerProblem(isLoginPage(body.text) ? 'no-access' : 'page', '');
  if (body.kind === 'text') return { tree: readText(body.text, question), isWhole: true };
  throw new AnswerProblem(isCutOff(body) ? 'cut-off' : 'unreadable', '');
}

/** A bare text is OK or an ID where a write was asked for; everything else that is no data is a complaint. */
function readText(text: string, question: Question): Tree {
  const isWrite = question.reply === 'id' || question.reply === 'ok';
  if (isWrite && findReceipt(text, question.reply)) return text;
  throw complain(text.trim());
}

function complain(said: string): AnswerProblem {
  return new AnswerProblem(noAccess.test(said) ? 'no-access' : 'refused', said);
}

function interpret(tree: Tree, question: Question): Reply {
  if (typeof tree === 'string' && tree !== '') readText(tree, question);
  switch (question.reply) {
    case 'id':
    case 'ok': {
      const receipt = findReceipt(tree, question.reply);
      refuseComplaint(tree, receipt?.id != null);
      if (!receipt) throw new AnswerProblem('unreadable', '');
      return { kind: 'receipt', receipt, notices: [] };
    }
    case 'rows': {
      const table = findTable(tree, (name) => isNounOf(question.table ?? '', name));
      refuseComplaint(tree, (table?.rows.length ?? 0) > 0 && !isFlat(tree));
      if (!table) throw new AnswerProblem('unreadable', '');
      const { beside, columns, rows } = table;
      return { kind: 'tables', tables: [{ name: question.table ?? 'rows', columns, rows }], notices: remarks(beside) };
    }
    case 'reports': {
      const asked = question.reports ?? [];
      const found = findReports(tree, asked);
      const hasRows = found?.reports.some((report) => report.rows.length > 0) ?? false;
      refuseComplaint(tree, hasRows && !isFlat(tree));
      if (!found) throw new AnswerProblem('unreadable', '');
      const missing = asked.filter((name) => name !== 'all' && !found.reports.some((report) => report.name === name));
      return {
        kind: 'tables',
        tables: found.reports.map(({ name, columns, rows }) => ({ name, columns, rows })),
        notices: [
          ...remarks([...found.beside, ...found.reports.flatMap((report) => report.beside)]),
          ...missing.map((name) => `The tracker returned no ${name} report.`),
        ],
      };
    }
    case 'groups': {
      const found = findGroups(tree);
      refuseComplaint(tree, (found?.groups.some((group) => group.fields.length > 0) ?? false) && !isFlat(tree));
      if (!found) throw new AnswerProblem('unreadable', '');
      return { kind: 'groups', groups: found.groups, notices: remarks(found.beside) };
    }
  }
}

function refuseComplaint(tree: Tree, holdsData: boolean): void {
  const complaint = findComplaint(tree, holdsData);
  if (complaint) throw complain(complaint.text);
}

/** A few plain values and no more: an error, or a row that looks like one; the fields decide. */
function isFlat(tree: Tree): boolean {
  if (!isRecord(tree)) return false;
  const fields = Object.entries(tree);
  const [only] = fields;
  if (fields.length === 1 && only && isContainer(only[0]) && !isLeaf(only[1])) return isFlat(only[1]);
  return fields.length <= 6 && fields.every(([, value]) => isLeaf(value));
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
function remarks(beside: readonly (readonly [name: string, value: Tree])[]): string[] {
  const said = beside
    .filter(([name, value]) => !isEmpty(value) && !(isMeta(name) && isLeaf(value) && isSuccessWord(String(value))))
    .map(([name, value]) => `${name} = ${toCell(value)}`);
  return said.length === 0 ? [] : [`Beside the rows the tracker also said: ${said.join('; ')}`];
}

/** JSON behind text that nobody expected. */
function findJson(text: string): Tree | undefined {
  let start = -1;
  for (let attempt = 0; attempt < mostStarts; attempt += 1) {
    start = nextBracket(text, start + 1);
    if (start < 0) return undefined;
    try {
      return parseJson(text.slice(start));
    } catch {
      // Not here; perhaps at the next bracket.
    }
  }
  return undefined;
}

function nextBracket(text: string, from: number): number {
  const offset = text.slice(from, from + 100_000).search(/[[{]/);
  return offset < 0 ? -1 : from + offset;
}

/** Begun as an answer, and ended before it was whole. */
function isCutOff(body: Body): boolean {
  const end = body.text.trimEnd();
  return body.kind === 'json' ? !/[\]}"]$/.test(end) || isUnclosed(end) : !/>$/.test(end) || !isRootClosed(end);
}

function isUnclosed(text: string): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return count(/[[{]/g) > count(/[\]}]/g);
}

function isRootClosed(text: string): boolean {
  const root = /<([A-Za-z_][\w:.-]*)/.exec(text)?.[1];
  return root !== undefined && (text.endsWith(`</${root}>`) || /^(<\?[^>]*>\s*)?<[^>]*\/>$/.test(text));
}

function isLoginPage(text: string): boolean {
  return /type=["']?password|name=["']?password|\blog.?in\b|\bsign.?in\b/i.test(text);
}
