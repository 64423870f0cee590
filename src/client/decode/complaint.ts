import { shorten } from '../../api/text/tracker-text.ts';
import {
  type Field,
  isEmpty,
  isFromXml,
  isLeaf,
  isList,
  isRecord,
  maxWrapperDepth,
  type Tree,
  type TreeRecord,
} from './tree.ts';
import {
  isCode,
  isContainer,
  isErrorName,
  isFailurePhrase,
  isFailureWord,
  isFaultPhrase,
  isMessageName,
  isMeta,
  isNaming,
  isOutcomeName,
  isPlainMessageName,
  isRow,
  isStatusName,
  isSuccessName,
  isSuccessPhrase,
  isTroubleWord,
  isWarningName,
  saysNoAccess,
  saysNothingFound,
} from './words.ts';

/** How much of a complaint is read, in characters. The … after it tells that a key there may be cut. */
export const maxQuotationLength = 2000;

/** `error: 0`, `errors: []`: an error field without an error. */
export function reportsNoError(name: string, value: Tree): boolean {
  return isErrorName(name) && meansNothing(value);
}

/**
 * Finds the error in an answer with HTTP 200: `{error}`, `{Status: "Error", Message}`, `{message}` alone, a text, in XML
 * `<error>` or `<response status="fail">`. An error field that is empty, 0 or false is not an error.
 *
 * @returns the tracker's words, empty if it gave none; undefined if there is no error
 */
export function findComplaint(tree: Tree, depth = 0): string | undefined {
  if (depth > maxWrapperDepth) return undefined;
  if (isLeaf(tree)) return tree === false ? '' : complaintOfText(tree);
  if (isList(tree)) {
    // `["Error", "no such campaign"]`
    if (tree.length > 1 && tree.every((item) => typeof item === 'string') && isFailurePhrase(tree[0] ?? '')) {
      return tree.join('; ');
    }
    return tree.length === 1 ? findComplaint(tree[0] ?? null, depth + 1) : undefined;
  }
  const fields = Object.entries(tree);
  const errors = fields.filter(([name, value]) => isErrorName(name) && !meansNothing(value));
  if (errors.length > 0) {
    return errors.map(([, value]) => wordsOf(value, depth)).find((words) => words !== '') ?? messageOf(tree, depth);
  }
  const message = messageOf(tree, depth);
  const statuses = fields.filter(([name, value]) => isStatusName(name) && isLeaf(value) && !isEmpty(value));
  const failed = statuses.find(([name, value]) => isFailure(name, String(value)));
  if (failed) return message || complaintOfText(failed[1]) || '';
  const succeeded = statuses.some(
    ([name, value]) => isSuccessPhrase(String(value)) && !(isCode(name) && String(value) === '1'),
  );
  if (!succeeded && message !== '' && !isSuccessPhrase(message) && isOnlyMessage(fields, message)) return message;
  // A text is a value, unless its name is a wrapper's or the root's. `{"report":"offer","rows":[]}` only names the report.
  const isWrapper = (name: string) => isContainer(name) && !isNaming(name);
  const canHold = ([name, value]: Field) =>
    !isErrorName(name) && (!isLeaf(value) || isWrapper(name) || (depth === 0 && fields.length === 1));
  const [holder, ...others] = fields.filter((field) => !isEmpty(field[1]) && canHold(field));
  if (!holder || others.length > 0 || (isLeaf(holder[1]) && succeeded)) return undefined;
  return findComplaint(holder[1], depth + 1);
}

/**
 * Whether an answer to a read is an error although data was found in it: it has an error field, a failed status with a
 * message, or only a message. In doubt, the data counts.
 */
export function isClearlyError(tree: Tree, depth = 0, isRowOfList = false): boolean {
  if (depth > maxWrapperDepth) return false;
  if (isLeaf(tree)) return typeof tree === 'string';
  if (isList(tree)) return tree.length === 1 && isClearlyError(tree[0] ?? null, depth + 1, true);
  const fields = Object.entries(tree).filter(([, value]) => !isEmpty(value));
  const [only] = fields;
  if (fields.length === 1 && only && (isContainer(only[0]) || (depth === 0 && isFromXml(tree)))) {
    return isClearlyError(only[1], depth + 1, isRow(only[0]));
  }
  // `{"status":"fail","data":{"url":"is required"}}` names what is wrong by field.
  const isByField = ([name, value]: Field) =>
    isLeaf(value) ? isAboutAnswer(name) : isContainer(name) && isRecord(value) && Object.values(value).every(isLeaf);
  const saysFailed = ([name, value]: Field) => isOutcomeName(name) && isLeaf(value) && isFailureWord(String(value));
  if (!isRowOfList && fields.some(saysFailed) && fields.every(isByField)) return true;
  const isAllAboutAnswer = fields.every(([name]) => isAboutAnswer(name));
  // A conversion that was rejected for a reason is a normal row.
  if (isRowOfList && !isAllAboutAnswer) return false;
  if (!fields.every(([name, value]) => isLeaf(value) || isErrorName(name))) return false;
  if (fields.some(([name, value]) => isErrorName(name) && !meansNothing(value))) return true;
  const failed = fields.some(([name, value]) => isStatusName(name) && isFailure(name, String(value)));
  if (fields.some(([name, value]) => isPlainMessageName(name) && !meansNothing(value)))
    return failed || isAllAboutAnswer;
  return failed && isAllAboutAnswer && messageOf(tree, depth) !== '';
}

/** Whether a field describes the answer, not a row. */
export function isAboutAnswer(name: string): boolean {
  return isErrorName(name) || isStatusName(name) || isMessageName(name) || isMeta(name);
}

/** Whether a message is the whole answer. Next to an empty list it must report a failure. */
function isOnlyMessage(fields: readonly Field[], message: string): boolean {
  if (!fields.every(([name, value]) => meansNothing(value) || (isLeaf(value) && isAboutAnswer(name)))) return false;
  const saysFailure = isFailurePhrase(message) || saysNoAccess(message);
  return saysFailure || !fields.some(([, value]) => !isLeaf(value));
}

/** A bare text is a complaint unless it reports success, or is data and no words. */
function complaintOfText(value: Tree): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = shorten(value.trim(), maxQuotationLength);
  return /\p{L}/u.test(text) && !isSuccessPhrase(text) && !isData(text) ? text : undefined;
}

/** Data without a space, in base64 for example; a piece of JSON; YAML; or what PHP serializes or prints of a variable. */
const otherData =
  /^(?:\S{80}|\W{0,4}"[\w ]{1,60}" ?:|(?:[\w ]{1,60}:\s{0,20}\n\s{0,20})?- [\w ]{1,60}: |[aO]:\d{1,9}:|(?:Array|\w{1,40} Object|array(?:\(\d{1,9}\))?)\s{0,20}[({])/;

/** Whether a text is data in another format, such as CSV: its lines have equally many cells. */
export function isData(text: string): boolean {
  if (otherData.test(text)) return true;
  const [heading = '', row = '', ...others] = text.split(/\r?\n/, 4);
  return [',', ';', '\t', '|'].some((mark) => {
    const [cells, ...counts] = [heading, row, ...others.slice(0, -1)].map((line) => line.split(mark).length);
    return cells !== undefined && cells > 2 && /\d/.test(row) && counts.every((count) => count === cells);
  });
}

/** `success: 0`, `Status: fail` and `status: "Invalid key"` are failures; `status: 0` alone is neither. */
export function isFailure(name: string, text: string): boolean {
  const value = text.slice(0, maxQuotationLength);
  if (isSuccessName(name) && /^(0|false|no)$/i.test(value.trim())) return true;
  return isFailurePhrase(value) || saysNoAccess(value) || /^[45]\d\d$/.test(value.trim());
}

/** The fields next to rows that say that something went wrong: an error, a warning, a status of failure, and their messages. */
export function complaintsIn(fields: readonly Field[]): readonly Field[] {
  const isComplaint = ([name, value]: Field) =>
    isErrorName(name) || isWarningName(name)
      ? !meansNothing(value)
      : isStatusName(name) && isLeaf(value) && saysTrouble(name, String(value).trim());
  const isMessage = ([name, value]: Field) => isPlainMessageName(name) && !meansNothing(value);
  return fields.some(isComplaint) ? fields.filter((field) => isComplaint(field) || isMessage(field)) : [];
}

const saysTrouble = (name: string, text: string): boolean =>
  isFailureWord(text) ||
  isTroubleWord(text) ||
  isFaultPhrase(text) ||
  (isFailure(name, text) && /^(?:0|no|[45]\d\d)$/i.test(text));

/** Whether the value of an error field means no error: empty, 0, false or `none`. */
export function meansNothing(value: Tree): boolean {
  return (
    isEmpty(value) ||
    (isRecord(value) && Object.values(value).every(meansNothing)) ||
    value === false ||
    value === 0 ||
    (typeof value === 'string' && /^(0|false|none|null|no|ok|success|200)$/i.test(value.trim()))
  );
}

/** Whether the value of a field that could hold rows says that there are none: `false`, `"No data"`. */
export const holdsNothing = (value: Tree): boolean =>
  isEmpty(value) || value === false || (typeof value === 'string' && saysNothingFound(value));

/** The same of a field that can be no cell: `0` and `"none"` too. */
export const hasNoRows = (value: Tree): boolean =>
  holdsNothing(value) || (isLeaf(value) && /^(?:0|false|none|null)$/i.test(String(value).trim()));

/** The words of a message field. */
function messageOf(record: TreeRecord, depth: number): string {
  if (depth > maxWrapperDepth) return '';
  const fields = Object.entries(record).filter(([name, value]) => isMessageName(name) && !meansNothing(value));
  return fields.map(([, value]) => wordsOf(value, depth + 1)).find((words) => words !== '') ?? '';
}

/** All words in an error field; `true` and numbers are not words. */
function wordsOf(value: Tree, depth: number): string {
  if (isLeaf(value))
    return typeof value === 'string' && /\p{L}/u.test(value) && !/^true$/i.test(value) ? value.trim() : '';
  if (depth > maxWrapperDepth) return '';
  const message = isRecord(value) ? messageOf(value, depth + 1) : '';
  if (message !== '') return message;
  const words = Object.values(value)
    .slice(0, 20)
    .map((inner) => wordsOf(inner, depth + 1));
  return words.filter(Boolean).join('; ');
}

/** `{access: "denied"}`, `<noaccess/>`: an answer whose only field says that there is no access. */
export function deniesAccess(tree: Tree): string | undefined {
  if (!isRecord(tree)) return undefined;
  const [only, ...others] = Object.entries(tree);
  if (!only || others.length > 0) return undefined;
  const [name, value] = only;
  if (!isLeaf(value)) return isEmpty(value) && saysNoAccess(splitWords(name)) ? splitWords(name) : deniesAccess(value);
  // In an error or a message, only the value counts.
  if (isErrorName(name) || isStatusName(name) || isMessageName(name)) return undefined;
  const words = `${splitWords(name)} ${value ?? ''}`.trim();
  const isDenial = saysNoAccess(words) || /^(has )?access (0|false|no|none)$/i.test(words);
  return words.length < 60 && isDenial ? words : undefined;
}

/** `NoAccess` and `no_access` as words. */
function splitWords(name: string): string {
  return name.replace(/([a-z])([A-Z])|[_-]/g, '$1 $2').replace(/\s+/g, ' ');
}
