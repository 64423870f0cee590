import { plainName } from '../../../api/text/plain-name.ts';
import { saysNoAccess } from '../access.ts';
import { type Field, isEmpty, isLeaf, isList, maxWrapperDepth, type Tree } from '../read/tree.ts';
import { isAbout, isFailure, meansNothing } from './complaint.ts';
import {
  isDoubtfulPhrase,
  isErrorName,
  isFailurePhrase,
  isFailureWord,
  isFaultPhrase,
  isOutcomeName,
  isPlainMessageName,
  isRefusingPhrase,
  isStatusName,
  isSuccessPhrase,
  isSuccessWord,
} from './words.ts';

/** What an answer to a write proves: that it was done, that it was not, or neither. A wrong word here costs money. */

/** A status that can mean nothing but that a write failed: a word such as `disabled` may be the state of its record. */
function saysFailed(name: string, value: string): boolean {
  const isNo = /^(success|ok)$/.test(plainName(name)) && /^(0|no)$/i.test(value.trim());
  return isOutcomeName(name) && (isNo || isFailureWord(value) || /^[45]\d\d$/.test(value.trim()));
}

const isCode = (name: string) => /code$/.test(plainName(name));

/** Among codes 0 means no error, and 1 may be one. */
export const isGoodCode = (name: string, text: string) => isCode(name) && /^(0|2\d\d)$/.test(text);

/** What an answer says as a whole: inside the wrappers that hold nothing else. */
function envelopeOf(tree: Tree, depth = 0): readonly Field[] {
  if (depth > maxWrapperDepth || isLeaf(tree)) return [];
  if (isList(tree)) return tree.length === 1 ? envelopeOf(tree[0] ?? null, depth + 1) : [];
  const fields = Object.entries(tree).filter(([, value]) => !isEmpty(value));
  const [only] = fields;
  const isWrapper = fields.length === 1 && only && !isLeaf(only[1]) && !isErrorName(only[0]);
  return isWrapper ? envelopeOf(only[1], depth + 1) : fields;
}

/** Whether a field states that the request failed. */
function statesFailure([name, value]: Field): boolean {
  return isErrorName(name) ? !meansNothing(value) : isLeaf(value) && saysFailed(name, String(value));
}

/** Whether an answer states a failure although an ID stands in it, which may be an echo of what was asked. */
export function failedDespiteId(tree: Tree): boolean {
  const fields = envelopeOf(tree);
  if (fields.some(statesFailure)) return true;
  const hasMessage = fields.some(([name, value]) => isPlainMessageName(name) && !meansNothing(value));
  const failed = fields.some(([name, value]) => isStatusName(name) && isLeaf(value) && isFailure(name, String(value)));
  return hasMessage && (failed || fields.every(([name]) => isAbout(name)));
}

/**
 * Whether a complaint about a write proves that nothing was done. A text that nobody knows, a fault of the tracker itself, or
 * an error beside a yes does not.
 */
export function provesRefusal(tree: Tree, complaint: string): boolean {
  const fields = envelopeOf(tree);
  const statuses = fields.filter(([name, value]) => isOutcomeName(name) && isLeaf(value));
  const isFault = statuses.some(([, value]) => /^5\d\d$/.test(String(value).trim()));
  const saysYes = statuses.some(([name, value]) => !isCode(name) && isSuccessWord(String(value)));
  if (isFault || saysYes) return false;
  if (saysNoAccess(complaint) || isRefusingPhrase(complaint)) return true;
  const isStated = tree === false || fields.some(statesFailure);
  return isStated && (complaint === '' || !isFaultPhrase(complaint));
}

/**
 * Whether an answer that holds an OK or an ID says something else too: `status: 0`, `saved: false`, `result: "not saved"`, a
 * message of failure without a word of success.
 *
 * @param id the ID that was found, which may stand under the name of a status
 */
export function isDoubtful(tree: Tree, id: string | null): boolean {
  const fields = envelopeOf(tree).flatMap(([name, value]) =>
    isLeaf(value) ? [{ name: plainName(name), text: String(value).trim() }] : [],
  );
  const saysYes = fields.some(({ name, text }) => isOutcomeName(name) && isSuccessPhrase(text));
  return fields.some(({ name, text }) => {
    if (text === id) return false;
    if (/^(state|type)$/.test(name)) return isFailureWord(text);
    if (isPlainMessageName(name)) return id !== null && !saysYes && isFailurePhrase(text);
    if (!isOutcomeName(name)) return isSuccessWord(name) && /^[a-z]/.test(name) && /^(0|false|no)$/i.test(text);
    if (/^-?\d+$/.test(text)) return isCode(name) ? !isGoodCode(name, text) : !isSuccessWord(text);
    // The status of a record, such as disabled, says nothing of the write.
    return name !== 'status' && isDoubtfulPhrase(text);
  });
}
