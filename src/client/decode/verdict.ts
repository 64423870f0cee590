import type { ReplyKind } from '../../api/endpoints.ts';
import { plainName } from '../../api/text/names.ts';
import { shorten } from '../../api/text/tracker-text.ts';
import {
  deniesAccess,
  findComplaint,
  isAboutAnswer,
  isClearlyError,
  isData,
  isFailure,
  maxQuotationLength,
  meansNothing,
} from './complaint.ts';
import { findPayload, type Payload, type Question } from './payload.ts';
import { type Field, isEmpty, isLeaf, isList, maxWrapperDepth, type Tree } from './tree.ts';
import {
  isCode,
  isDoubtfulPhrase,
  isErrorName,
  isFailurePhrase,
  isFailureWord,
  isFaultPhrase,
  isOutcomeName,
  isPlainMessageName,
  isRefusingPhrase,
  isStatusName,
  isSuccessName,
  isSuccessPhrase,
  isSuccessWord,
  saysNoAccess,
  saysNothingFound,
} from './words.ts';

/** What an answer says about itself, and what it carries. */
export interface Envelope {
  readonly tree: Tree;
  readonly question: Question;
  /** The words of an answer that says only that there is no access. */
  readonly denial: string | undefined;
  /** What the answer carries, if it can be what was asked for. */
  readonly payload: Payload | undefined;
  /** The ID in the answer to a write. */
  readonly id: string | null;
  /** The error in the tracker's words, '' if it gave none. Data outweighs it, unless the answer clearly says that it failed. */
  readonly complaint: string | undefined;
  /** The plain values of the whole answer, without the ID, which may be under the name of a status. */
  readonly texts: readonly Text[];
  /** The plain values that say how the request went, including the ID. */
  readonly outcomes: readonly Text[];
  /** Whether the answer states that the request failed, in words or as a bare `false`. */
  readonly statesFailure: boolean;
}

export function readEnvelope(tree: Tree, question: Question): Envelope {
  const payload = findPayload(tree, question);
  const id = payload?.kind === 'receipt' ? payload.id : null;
  const isWrite = question.reply === 'id' || question.reply === 'ok';
  const fields = fieldsInside(tree);
  const texts = fields.flatMap(([name, value]) =>
    isLeaf(value) ? [{ name: plainName(name), text: String(value).trim() }] : [],
  );
  const isError = () => (isWrite ? failedDespiteId(fields) : isClearlyError(tree));
  const isOutweighed = payload?.holdsData && !isError();
  const complaint = isOutweighed ? undefined : findComplaint(tree);
  return {
    tree,
    question,
    denial: deniesAccess(tree),
    payload,
    id,
    complaint: complaint && shorten(complaint, maxQuotationLength),
    texts: texts.filter(({ text }) => text !== id),
    outcomes: texts.filter(({ name }) => isOutcomeName(name)),
    statesFailure: tree === false || fields.some(statesFailure),
  };
}

/** An ID may only repeat an argument. */
function failedDespiteId(fields: readonly Field[]): boolean {
  if (fields.some(statesFailure)) return true;
  const hasMessage = fields.some(([name, value]) => isPlainMessageName(name) && !meansNothing(value));
  const failed = fields.some(([name, value]) => isStatusName(name) && isLeaf(value) && isFailure(name, String(value)));
  return hasMessage && (failed || fields.every(([name]) => isAboutAnswer(name)));
}

/** A plain value, trimmed, and its name as `plainName` gives it. */
interface Text {
  readonly name: string;
  readonly text: string;
}

/** Code 0 means no error; code 1 may be one. */
export const isGoodCode = (name: string, text: string) => isCode(name) && /^(0|2\d\d)$/.test(text);

function fieldsInside(tree: Tree, depth = 0): readonly Field[] {
  if (depth > maxWrapperDepth || isLeaf(tree)) return [];
  if (isList(tree)) return tree.length === 1 ? fieldsInside(tree[0] ?? null, depth + 1) : [];
  const fields = Object.entries(tree).filter(([, value]) => !isEmpty(value));
  const [only] = fields;
  const isWrapper = fields.length === 1 && only && !isLeaf(only[1]) && !isErrorName(only[0]);
  return isWrapper ? fieldsInside(only[1], depth + 1) : fields;
}

function statesFailure([name, value]: Field): boolean {
  return isErrorName(name) ? !meansNothing(value) : isLeaf(value) && saysFailed(name, String(value));
}

/** A status that can only mean failure. A word such as `disabled` may be the state of the record. */
function saysFailed(name: string, value: string): boolean {
  const isNo = isSuccessName(name) && /^(0|no)$/i.test(value.trim());
  return isOutcomeName(name) && (isNo || isFailureWord(value) || /^[45]\d\d$/.test(value.trim()));
}

/**
 * ok: a reply · nothing-found: it says in words that there are no rows · refused: it says what was wrong, and nothing was
 * done · no-access: the key is not accepted, or the API is off · unclear: a write may have been done or not ·
 * unreadable: not what was asked for
 */
export type Verdict = 'ok' | 'nothing-found' | 'refused' | 'no-access' | 'unclear' | 'unreadable';

interface Rule {
  /** The calls that it applies to; without it, all. */
  readonly calls?: 'reads' | 'tables' | 'writes';
  readonly when: (answer: Envelope) => boolean;
  readonly verdict: Verdict;
  /** A body that meets this rule and no earlier one. */
  readonly example: string;
}

/**
 * The first rule that fits decides. A wrong yes to a write costs money, and a wrong no makes the caller write twice: in doubt
 * the verdict is `unclear`.
 */
export const rules: readonly Rule[] = [
  { when: ({ denial }) => denial !== undefined, verdict: 'no-access', example: '{"access":"denied"}' },
  {
    calls: 'tables',
    when: ({ complaint }) => complaint !== undefined && saysNothingFound(complaint),
    verdict: 'nothing-found',
    example: '{"message":"No conversions found"}',
  },
  {
    calls: 'reads',
    when: ({ complaint }) => complaint !== undefined && saysNoAccess(complaint),
    verdict: 'no-access',
    example: '{"error":"Invalid API key"}',
  },
  {
    calls: 'reads',
    when: ({ complaint }) => complaint !== undefined,
    verdict: 'refused',
    example: '{"Status":"Error","Message":"No such campaign"}',
  },
  { calls: 'reads', when: ({ payload }) => payload === undefined, verdict: 'unreadable', example: '5' },
  // What may be the rows is not called empty.
  {
    calls: 'reads',
    when: ({ payload, texts }) => payload?.holdsData === false && texts.some(({ text }) => isData(text)),
    verdict: 'unreadable',
    example: '{"result":"Offer,Views,Clicks\\nGym,10,5"}',
  },
  // The data is there, or the container for it is empty.
  { calls: 'reads', when: () => true, verdict: 'ok', example: '{"Status":"OK","Rows":[{"ID":"4","Name":"Solo"}]}' },
  // An error of the tracker itself, maybe half-way through.
  {
    calls: 'writes',
    when: ({ complaint, outcomes }) => complaint !== undefined && outcomes.some(({ text }) => /^5\d\d$/.test(text)),
    verdict: 'unclear',
    example: '{"code":"500","error":"Invalid state"}',
  },
  // A yes next to the error.
  {
    calls: 'writes',
    when: ({ complaint, outcomes }) =>
      complaint !== undefined && outcomes.some(({ name, text }) => !isCode(name) && isSuccessWord(text)),
    verdict: 'unclear',
    example: '{"Status":"OK","error":"Invalid source"}',
  },
  {
    calls: 'writes',
    when: ({ complaint }) => complaint !== undefined && saysNoAccess(complaint),
    verdict: 'no-access',
    example: '{"error":"Invalid API key"}',
  },
  {
    calls: 'writes',
    when: ({ complaint }) => complaint !== undefined && isRefusingPhrase(complaint),
    verdict: 'refused',
    example: '{"message":"Name already in use"}',
  },
  {
    calls: 'writes',
    when: ({ complaint, statesFailure }) =>
      complaint !== undefined && statesFailure && (complaint === '' || !isFaultPhrase(complaint)),
    verdict: 'refused',
    example: '{"error":true}',
  },
  // Words that mean neither yes nor no.
  {
    calls: 'writes',
    when: ({ complaint }) => complaint !== undefined,
    verdict: 'unclear',
    example: '{"message":"Thanks"}',
  },
  {
    calls: 'writes',
    when: ({ payload }) => payload === undefined,
    verdict: 'unclear',
    example: '{"affected_rows":"0"}',
  },
  {
    calls: 'writes',
    when: ({ texts }) => texts.some(({ name, text }) => isState(name) && isFailureWord(text)),
    verdict: 'unclear',
    example: '{"ID":"12","state":"failed"}',
  },
  // An ID with a message of failure, and no yes.
  {
    calls: 'writes',
    when: ({ id, texts, outcomes }) =>
      id !== null &&
      texts.some(({ name, text }) => isPlainMessageName(name) && isFailurePhrase(text)) &&
      !outcomes.some(({ text }) => isSuccessPhrase(text)),
    verdict: 'unclear',
    example: '{"ID":"12","message":"Offer could not be linked","Name":"Keto"}',
  },
  // A word of success with a no.
  {
    calls: 'writes',
    when: ({ texts }) =>
      texts.some(
        ({ name, text }) =>
          !isOutcomeName(name) && isSuccessWord(name) && /^[a-z]/.test(name) && /^(0|false|no)$/i.test(text),
      ),
    verdict: 'unclear',
    example: '{"Status":"OK","saved":"false"}',
  },
  // A numeric status that is not a yes.
  {
    calls: 'writes',
    when: ({ texts }) =>
      texts.some(
        ({ name, text }) =>
          isOutcomeName(name) && isNumber(text) && !(isCode(name) ? isGoodCode(name, text) : isSuccessWord(text)),
      ),
    verdict: 'unclear',
    example: '{"ID":"12","result":"-1"}',
  },
  {
    calls: 'writes',
    when: ({ texts }) =>
      // The status of a record, such as disabled, does not tell about the write.
      texts.some(
        ({ name, text }) => isOutcomeName(name) && name !== 'status' && !isNumber(text) && isDoubtfulPhrase(text),
      ),
    verdict: 'unclear',
    example: '{"ID":"12","result":"saved for review"}',
  },
  // An OK or an ID, and nothing against it.
  { calls: 'writes', when: () => true, verdict: 'ok', example: '{"Status":"OK","ID":"12"}' },
];

const isState = (name: string) => /^(state|type)$/.test(name);

const isNumber = (text: string) => /^-?\d+$/.test(text);

const repliesTo: Readonly<Record<NonNullable<Rule['calls']>, ReadonlySet<ReplyKind>>> = {
  reads: new Set(['rows', 'reports', 'groups']),
  tables: new Set(['rows', 'reports']),
  writes: new Set(['id', 'ok']),
};

/** The first rule that fits. */
export function ruleFor(answer: Envelope): Rule {
  const rule = rules.find(({ calls, when }) => (!calls || repliesTo[calls].has(answer.question.reply)) && when(answer));
  if (!rule) throw new TypeError('the last rule fits every answer');
  return rule;
}
