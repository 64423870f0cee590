import { ListedCells } from '../../api/cells.ts';
import { type Group, type Reply, Table } from '../../api/table.ts';
import { fromTracker, type NamedCell, quoted, remarkOn } from '../../api/text/tracker-text.ts';
import { AnswerProblem } from './answer-problem.ts';
import { type Envelope, isGoodCode, readEnvelope } from './envelope.ts';
import { type Body, readBody, type Secret } from './read/body.ts';
import { parseJson } from './read/json.ts';
import { parse } from './read/parse.ts';
import type { Resumable, Scan } from './scan/scan.ts';
import { scanJson } from './scan/scan-json.ts';
import type { Payload, Question } from './shapes/find-payload.ts';
import type { FoundGroup } from './shapes/groups.ts';
import { type Field, isEmpty, isLeaf, type Tree, toCell } from './tree.ts';
import { maxQuotationLength, reportsNoError } from './verdict/complaint.ts';
import { ruleFor, type Verdict } from './verdict/verdict.ts';
import { isMeta, isSuccessPhrase, isSuccessWord } from './words.ts';

export type { Question, Secret };

/** An answer: its bytes, decompressed; its Content-Type header, of which only the charset counts; and what was asked. */
type Answer = readonly [
  bytes: Uint8Array,
  contentType: string | undefined,
  question: Question,
  /** Taken out of the text before it is read. */
  secret?: Secret,
];

/** Limits of a scan while other calls wait. */
export interface ScanOptions {
  /** Lets others have their turn; throws if the call has ended meanwhile. */
  readonly pause: () => Promise<void>;
  /** The most that is parsed besides the long lists, in characters. */
  readonly maxParsed: number;
}

/**
 * Reads an answer whose shape is documented nowhere, tolerant of everything and losing nothing: its bytes to a tree, what the tree
 * says about itself, the verdict on that, what it carries by its shape, and the reply.
 *
 * @throws AnswerProblem if the answer is an error of the tracker, or cannot be read
 */
export async function readAnswer(...answer: Answer): Promise<Reading> {
  return bounded(answer, async (body, question) => {
    const scanned = body.bytes.length < minScannedLength ? undefined : await readByScan(body, question);
    return scanned ?? readInFull(body, question);
  });
}

/** The parser is as fast with a shorter text. */
const minScannedLength = 8000;

/** Reads an answer by its long lists, in short steps whatever it is; undefined if that does not settle what it is. */
export async function scanAnswer(answer: Answer, options?: ScanOptions): Promise<Reading | undefined> {
  return bounded(answer, (body, question) => readByScan(body, question, options));
}

/** The reply alone; see `readAnswer`. */
export async function decode(...answer: Answer): Promise<Reply> {
  return (await readAnswer(...answer)).reply;
}

async function bounded<Result>(
  [bytes, contentType, question, secret]: Answer,
  read: (body: Body, question: Question) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(readBody(bytes, contentType, secret), question);
  } catch (error) {
    // A body made to exhaust the stack, such as a tag with a million attributes, is no answer either.
    throw error instanceof RangeError ? new AnswerProblem('too-deep') : error;
  }
}

/** Reads an answer by the parser alone. */
export async function readInFull(body: Body, question: Question): Promise<Reading> {
  const { tree, isWhole } = await parse(body);
  const reading = toReply(readEnvelope(tree, question));
  return body.hadMessages || !isWhole ? withNotice(reading) : reading;
}

async function readByScan(body: Body, question: Question, options?: ScanOptions): Promise<Reading | undefined> {
  if (question.reply !== 'rows' && question.reply !== 'reports') return undefined;
  const parsed = await parseByScan(body, options);
  if (!parsed) return undefined;
  try {
    const reading = toReply(readEnvelope(parsed.tree, question));
    const tables = reading.reply.kind === 'tables' ? reading.reply.tables : [];
    // A list that is no table of the reply was seen by its first rows alone.
    if (!parsed.scan.rows.every((rows) => tables.some(({ cells }) => cells === rows.cells))) return undefined;
    return body.hadMessages ? withNotice(reading) : reading;
  } catch (error) {
    if (error instanceof AnswerProblem) return undefined;
    throw error;
  }
}

/**
 * Reads the long lists of a body by one scan, and the rest of it into a tree in which their first rows stand for them.
 *
 * @returns undefined if there is no such list, or the body cannot be read so
 */
async function parseByScan(body: Body, options?: ScanOptions): Promise<{ tree: Tree; scan: Scan } | undefined> {
  const readers = body.kind === 'json' ? jsonReaders : body.kind === 'xml' ? await xmlReaders() : undefined;
  if (!readers) return undefined;
  try {
    const scan = await finish(readers.scanBody(body), options);
    const { skeleton } = scan ?? {};
    if (!scan || skeleton === undefined) return undefined;
    if (options && skeleton.length > options.maxParsed) return undefined;
    const tree = readers.parseRest(skeleton);
    return scan.place(tree) ? { tree, scan } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const jsonReaders = { scanBody: ({ bytes }: Body) => scanJson(bytes), parseRest: parseJson };

/** Most trackers are asked for JSON, so this is loaded with the first XML. */
async function xmlReaders() {
  const [{ parseXml }, { scanXml }] = await Promise.all([import('./read/xml.ts'), import('./scan/scan-xml.ts')]);
  return { scanBody: ({ bytes, text }: Body) => scanXml(bytes, text), parseRest: parseXml };
}

async function finish<Result>(work: Resumable<Result>, options: ScanOptions | undefined): Promise<Result> {
  let step = work.next();
  while (!step.done) {
    if (options) await options.pause();
    step = work.next();
  }
  return step.value;
}

function withNotice({ reply, shape }: Reading): Reading {
  return { reply: { ...reply, notices: [...reply.notices, messagesLeftOut] }, shape };
}

const messagesLeftOut = 'The tracker printed messages around its answer; they were left out.';

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
function toReply(answer: Envelope): Reading {
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
