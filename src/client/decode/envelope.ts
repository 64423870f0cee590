import { plainName } from '../../api/text/names.ts';
import { findPayload, type Payload, type Question } from './shapes/find-payload.ts';
import { type Field, isEmpty, isLeaf, isList, maxWrapperDepth, type Tree } from './tree.ts';
import {
  deniesAccess,
  findComplaint,
  isAbout,
  isClearlyError,
  isFailure,
  maxQuotationLength,
  meansNothing,
} from './verdict/complaint.ts';
import { isErrorName, isFailureWord, isOutcomeName, isPlainMessageName, isStatusName, isSuccessName } from './words.ts';

/** What an answer says about itself, around what it carries. */
export interface Envelope {
  readonly tree: Tree;
  readonly question: Question;
  /** The words with which the answer says, and says alone, that there is no access. */
  readonly denial: string | undefined;
  /** What the answer carries, if that could be what was asked for. */
  readonly payload: Payload | undefined;
  /** The ID in the answer to a write. */
  readonly id: string | null;
  /**
   * The error in the tracker's own words, '' if it gave none. What was asked for outweighs it, unless the answer says
   * clearly that it failed.
   */
  readonly complaint: string | undefined;
  /** The plain values of the answer as a whole but the ID, which may stand under the name of a status. */
  readonly texts: readonly Text[];
  /** Those that say how the request went, the ID among them. */
  readonly outcomes: readonly Text[];
  /** Whether the answer states that the request failed, in words or by `false` alone. */
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
  return {
    tree,
    question,
    denial: deniesAccess(tree),
    payload,
    id,
    complaint: isOutweighed ? undefined : findComplaint(tree)?.slice(0, maxQuotationLength),
    texts: texts.filter(({ text }) => text !== id),
    outcomes: texts.filter(({ name }) => isOutcomeName(name)),
    statesFailure: tree === false || fields.some(statesFailure),
  };
}

/** An ID may be an echo of what was asked. */
function failedDespiteId(fields: readonly Field[]): boolean {
  if (fields.some(statesFailure)) return true;
  const hasMessage = fields.some(([name, value]) => isPlainMessageName(name) && !meansNothing(value));
  const failed = fields.some(([name, value]) => isStatusName(name) && isLeaf(value) && isFailure(name, String(value)));
  return hasMessage && (failed || fields.every(([name]) => isAbout(name)));
}

/** A plain value, trimmed, under its name in the form `plainName` gives. */
interface Text {
  readonly name: string;
  readonly text: string;
}

export const isCode = (name: string) => /code$/.test(plainName(name));

/** Among codes 0 means no error, and 1 may be one. */
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

/** A status that can mean nothing but that a write failed: a word such as `disabled` may be the state of its record. */
function saysFailed(name: string, value: string): boolean {
  const isNo = isSuccessName(name) && /^(0|no)$/i.test(value.trim());
  return isOutcomeName(name) && (isNo || isFailureWord(value) || /^[45]\d\d$/.test(value.trim()));
}
