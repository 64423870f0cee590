import { type Cells, ListedCells, type WrittenNumbers } from '../../api/cells.ts';
import type { ReplyNote } from '../../api/notes.ts';
import { type Group, type PartOfAnswer, type Reply, Table } from '../../api/table.ts';
import { fromTracker, type NamedCell, shorten, type TrackerText } from '../../api/text/tracker-text.ts';
import { nameOf } from '../../api/vocabulary.ts';
import { AnswerProblem } from './answer-problem.ts';
import { type Body, isDocument, readBody, type Secret } from './body.ts';
import { areRows, chooseEnvelope } from './choose-envelope.ts';
import { complaintsIn, maxQuotationLength, reportsNoError } from './complaint.ts';
import { endedScript } from './messages.ts';
import { mayHaveMessages, parse } from './parse.ts';
import { parseJson, writtenNumbers } from './parse-json.ts';
import { partIn } from './part.ts';
import type { Payload, Question } from './payload.ts';
import { type Pause, type Scan, scanText } from './scan.ts';
import { JsonForm } from './scan-json.ts';
import type { FoundGroup } from './shapes/groups.ts';
import { isOfRow } from './shapes/tables.ts';
import { type Field, isEmpty, isFromXml, isLeaf, isList, isRecord, type Tree, toCell } from './tree.ts';
import { type Envelope, isGoodCode, readEnvelope, ruleFor, type Verdict } from './verdict.ts';
import { isContainer, isMeta, isSuccessPhrase, isSuccessWord } from './words.ts';

export type { Question, Secret };
export { readBody };

export interface Answer {
  /** Its body, decompressed. */
  readonly bytes: Uint8Array;
  /** The Content-Type header; only its charset is used. */
  readonly contentType?: string | undefined;
  readonly question: Question;
  readonly secret?: Secret;
}

/** A reply, and how it was read. */
export interface Reading {
  readonly reply: Reply;
  /** The names of the shapes that fitted, from the outside to the inside; for debugging. */
  readonly shape: string;
}

/** Limits of a scan while other calls wait. */
export interface ScanOptions {
  readonly pause: Pause;
  /** How much is parsed, apart from the long lists, in characters. */
  readonly maxParsed: number;
}

/** A shorter text is parsed as fast. */
const minScannedLength = 8000;

/**
 * Reads an answer of undocumented shape without losing anything: bytes become a tree, the tree an envelope, and the verdict on the
 * envelope decides whether it is a reply.
 *
 * @throws AnswerProblem if the answer is an error of the tracker, or cannot be read
 */
export async function readAnswer(answer: Answer): Promise<Reading> {
  const scanned = answer.bytes.length < minScannedLength ? undefined : await scanAnswer(answer);
  return scanned ?? parseAnswer(answer);
}

export function parseAnswer({ question, ...answer }: Answer, depth = 0): Promise<Reading> {
  return readBounded(answer, async (body) => {
    const { trees: found, isWhole } = await parse(body);
    const inner = found.length === 1 && depth < maxDocuments ? documentIn(found[0] ?? null, question) : undefined;
    // Masked anew: the key may be written in another way inside.
    if (inner !== undefined)
      return parseAnswer({ ...answer, question, bytes: Buffer.from(inner), contentType: undefined }, depth + 1);
    const isPlain = found.length > 1 || !isTable(question);
    const trees = isPlain ? found : [await withRowsOfText(found[0] ?? null, answer.secret)];
    const reading = toReading(chooseEnvelope(trees, question), writtenNumbers(body.text, found));
    const hasMore = trees.length > 1 && !areRows(trees);
    const hasMessages = body.hadMessages || !isWhole || hasMore;
    // What it wrote before may be undone.
    if (hasMessages && !isTable(question) && tellsOfDeath(answer.bytes)) throw new AnswerProblem('unclear');
    return hasMessages ? withNotice(reading) : reading;
  });
}

const tellsOfDeath = (bytes: Uint8Array): boolean => endedScript.test(Buffer.from(bytes).toString('latin1'));

/** Reads an answer by its long lists, in short steps; undefined if that does not settle what the answer is. */
export function scanAnswer({ question, ...answer }: Answer, options?: ScanOptions): Promise<Reading | undefined> {
  return readBounded(answer, async (body) => {
    if (!isTable(question)) return undefined;
    const scanned = await scan(body, options);
    if (!scanned) return undefined;
    try {
      const reading = toReading(readEnvelope(scanned.tree, question));
      const tables = reading.reply.kind === 'tables' ? reading.reply.tables : [];
      // If a list is not a table of the reply, only its first rows were parsed.
      if (!scanned.lists.every((list) => tables.some(({ cells }) => cells === list.cells))) return undefined;
      return body.hadMessages ? withNotice(reading) : reading;
    } catch (error) {
      if (error instanceof AnswerProblem) return undefined;
      throw error;
    }
  });
}

const isTable = ({ reply }: Question): boolean => reply === 'rows' || reply === 'reports';

async function readBounded<Result>(
  { bytes, contentType, secret }: Omit<Answer, 'question'>,
  read: (body: Body) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(readBody(bytes, contentType, secret));
  } catch (error) {
    // Some bodies exhaust the stack, such as a tag with a million attributes.
    throw error instanceof RangeError ? new AnswerProblem('too-deep') : error;
  }
}

/** @returns the scanned lists, and a tree that has only their first rows; undefined if there are no lists */
async function scan(body: Body, options?: ScanOptions): Promise<(Pick<Scan, 'lists'> & { tree: Tree }) | undefined> {
  const { kind, bytes } = body;
  if (kind !== 'json' && kind !== 'xml') return undefined;
  // The parser of XML normalizes line ends.
  if (kind === 'xml' && (body.text.includes('\r') || mayHaveMessages(body.text))) return undefined;
  const xml = kind === 'xml' ? await Promise.all([import('./xml.ts'), import('./scan-xml.ts')]) : undefined;
  const form = xml ? new xml[1].XmlForm(bytes, body.text) : new JsonForm(bytes);
  const parseRest = xml ? xml[0].parseXml : parseJson;
  try {
    const scanned = await scanText(bytes, form, options?.pause);
    if (!scanned || (options && scanned.rest.length > options.maxParsed)) return undefined;
    const tree = parseRest(scanned.rest);
    return scanned.attachTo(tree) ? { tree, lists: scanned.lists } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** How many documents are read one inside another: each has to be parsed. */
const maxDocuments = 3;

const isGood = ([name, value]: Field) =>
  isMeta(name) && (isEmpty(value) || (isLeaf(value) && isSuccessWord(String(value))));

/** The answer that is text in the only field of a record, beside those that say that it went well. A row may have empty cells. */
function documentIn(tree: Tree, question: Question): string | undefined {
  if (!isRecord(tree)) return undefined;
  const [only, ...others] = Object.entries(tree).filter((field) => !isGood(field));
  if (!only || others.length > 0) return undefined;
  const [name, inner] = only;
  if (typeof inner === 'string')
    return isDocument(inner) && (isContainer(name) || !isTable(question) || !isCell(inner)) ? inner : undefined;
  return isContainer(name) || isFromXml(tree) ? documentIn(inner, question) : undefined;
}

/**
 * The answer as if the rows that one of its fields has as text stood there. The fields beside it are not those of a row: they may say
 * that the tracker refused, or that there are more rows.
 */
async function withRowsOfText(tree: Tree, secret?: Secret, depth = 0): Promise<Tree> {
  if (!isRecord(tree) || depth > maxDocuments) return tree;
  const fields = Object.entries(tree);
  const texts = fields.filter(isRowsAsText);
  const [holder, ...others] = texts.length > 0 ? texts : fields.filter((field) => !isGood(field));
  if (!holder || others.length > 0 || fields.some((field) => isOfRow(field) || isList(field[1]))) return tree;
  const [name, value] = holder;
  if (texts.length > 0) return { ...tree, [name]: await readRowsOfText(String(value), secret, depth + 1) };
  if (!isContainer(name) && !isFromXml(tree)) return tree;
  return { ...tree, [name]: await withRowsOfText(value, secret, depth + 1) };
}

/** Masks the key anew: it may be written in another way inside. */
async function readRowsOfText(text: string, secret: Secret | undefined, depth: number): Promise<Tree> {
  const { trees, isWhole } = await parse(readBody(Buffer.from(text), undefined, secret));
  if (!isWhole || (trees.length > 1 && !areRows(trees))) throw new AnswerProblem('unreadable');
  return trees.length > 1 ? trees : withRowsOfText(trees[0] ?? null, secret, depth);
}

const isRowsAsText = ([name, value]: Field): boolean =>
  typeof value === 'string' && isContainer(name) && isDocument(value) && !isCell(value);

/** Whether a text is a cell of the only row: its plain values say nothing of the answer, as in `{"utm":"x","n":7}`. */
function isCell(text: string): boolean {
  try {
    const tree = parseJson(text);
    return (
      !isLeaf(tree) && !isEmpty(tree) && Object.entries(tree).every(([name, value]) => isLeaf(value) && !isMeta(name))
    );
  } catch {
    return false;
  }
}

function withNotice({ reply, shape }: Reading): Reading {
  return { reply: { ...reply, notices: [...reply.notices, { code: 'messages-left-out' }] }, shape };
}

/** @throws AnswerProblem if the answer is not a reply */
function toReading(envelope: Envelope, numbers?: WrittenNumbers): Reading {
  const { verdict } = ruleFor(envelope);
  const { payload } = envelope;
  if (verdict === 'nothing-found') return { reply: emptyReply(envelope), shape: 'words for nothing' };
  if (verdict !== 'ok') throw new AnswerProblem(verdict, trackersMessage(envelope, verdict));
  if (!payload) throw new TypeError('an answer without a payload is no reply');
  return { reply: toReply(payload, envelope.question, numbers), shape: payload.shape };
}

function trackersMessage({ denial, complaint, tree }: Envelope, verdict: Verdict): string {
  if (verdict === 'unreadable') return '';
  return denial ?? complaint ?? shorten(toCell(tree) ?? '', maxQuotationLength);
}

function toReply(payload: Payload, question: Question, numbers?: WrittenNumbers): Reply {
  switch (payload.kind) {
    case 'receipt': {
      const { id, extra } = payload;
      const receipt = { id: id === null ? null : fromTracker(id) };
      return { kind: 'receipt', receipt, notices: remarksOnWrite(extra, id) };
    }
    case 'groups': {
      const groups = payload.groups.map(toGroup);
      const timeZone = zoneIn([...payload.groups.flatMap(({ fields }) => fields), ...payload.extra]);
      return { kind: 'groups', groups, notices: remarksOnRead(payload.extra), timeZone };
    }
    case 'tables': {
      if (payload.extra.some((field) => isStrayRow(field, payload))) throw new AnswerProblem('unreadable');
      const cellsOf = (cells: Cells) => (numbers && cells instanceof ListedCells ? cells.knowing(numbers) : cells);
      const tables = payload.tables.map(({ name, columns, cells }) => new Table(name, columns, cellsOf(cells)));
      const asked = (question.reports ?? []).filter(isOneReport);
      const missing = asked.filter((name) => !payload.tables.some((table) => table.name === name));
      const notices = missing.map((report) => ({ code: 'missing-report', report }) as const);
      const { extra } = payload;
      const part = partIn(payload.tables, [...extra, ...(question.paging ?? [])]) ?? doubtOf(payload);
      const others = extra.filter(([name]) => !part?.fields.some(([said]) => said === name));
      return { kind: 'tables', tables, part, notices: [...remarksOnRead(others), ...notices], timeZone: zoneIn(extra) };
    }
  }
}

/** Rows that came with a complaint; undefined without rows, or one. */
function doubtOf({ tables, extra, holdsData }: Extract<Payload, { kind: 'tables' }>): PartOfAnswer | undefined {
  const fields = holdsData ? complaintsIn(extra) : [];
  if (fields.length === 0) return undefined;
  const rows = tables.reduce((sum, { cells }) => sum + cells.rowCount, 0);
  const said = fields.map(([name, value]) => [name, toCell(value)] as const);
  return { tables: tables.map(({ name }) => name), rows, fields: said, isInDoubt: true };
}

/** Whether an element next to the rows is one of them under a name that was spoiled. */
function isStrayRow([name, value]: Field, { tables }: Extract<Payload, { kind: 'tables' }>): boolean {
  if (!isRecord(value) || !(isFromXml(value) || /^\d+$/.test(name)) || /total|sum|average|avg|footer/i.test(name))
    return false;
  const names = Object.keys(value);
  const isLike = (columns: readonly string[]) => names.filter((column) => columns.includes(column)).length > 1;
  return tables.some(({ columns }) => columns.length <= names.length + 1 && isLike(columns));
}

function emptyReply({ question, complaint = '' }: Envelope): Reply {
  const names = question.reply === 'rows' ? [question.table ?? 'rows'] : (question.reports ?? []).filter(isOneReport);
  return {
    kind: 'tables',
    tables: names.map((name) => new Table(name, [], new ListedCells([], 0))),
    notices: [{ code: 'tracker-said', text: complaint }],
  };
}

function isOneReport(name: string): boolean {
  return name !== 'all';
}

const isZone = nameOf('visitor', 'timeZone');

function zoneIn(fields: readonly Field[]): TrackerText | undefined {
  const zones = fields.flatMap(([name, value]) => (isZone(name) && isLeaf(value) ? (toCell(value) ?? []) : []));
  return zones[0] === undefined ? undefined : fromTracker(zones[0]);
}

/** The fields next to the rows, without fields that only say that the read succeeded. */
function remarksOnRead(extra: readonly Field[]): ReplyNote[] {
  const fields = extra.filter(([name, value]) => !(isMeta(name) && isLeaf(value) && isSuccessWord(String(value))));
  return remarks(false, fields);
}

/** The fields next to OK or an ID, such as a warning, without fields that the receipt already shows. */
function remarksOnWrite(extra: readonly Field[], id: string | null): ReplyNote[] {
  const fields = extra.filter(([name, value]) => {
    const text = isLeaf(value) ? String(value).trim() : undefined;
    return text === undefined || !(text === id || isSuccessPhrase(text) || isGoodCode(name, text));
  });
  return remarks(true, fields);
}

function remarks(isWrite: boolean, fields: readonly Field[]): ReplyNote[] {
  const filled = fields.filter(([name, value]) => !isEmpty(value) && !reportsNoError(name, value));
  if (filled.length === 0) return [];
  return [{ code: 'sent-too', isWrite, fields: filled.map(([name, value]) => [name, toCell(value)] as const) }];
}

function toGroup({ name, fields }: FoundGroup): Group {
  return { name: fromTracker(name), fields: toNamedCells(fields) };
}

function toNamedCells(fields: FoundGroup['fields']): NamedCell[] {
  return fields.map(([name, value]) => [fromTracker(name), value === null ? null : fromTracker(value)]);
}
