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
} from '../tree.ts';
import {
  isContainer,
  isErrorName,
  isFailurePhrase,
  isMessageName,
  isMeta,
  isPlainMessageName,
  isRow,
  isStatusName,
  isSuccessName,
  isSuccessPhrase,
  saysNoAccess,
} from '../words.ts';

/** Of a complaint no more than this is read, in characters. */
export const maxQuotationLength = 2000;

/** `error: 0`, `errors: []`: an error field that reports none. */
export function reportsNoError(name: string, value: Tree): boolean {
  return isErrorName(name) && meansNothing(value);
}

/**
 * Finds the error in an answer that came as a success: `{error}`, `{Status: "Error", Message}`, `{message}` alone, a text, in
 * XML `<error>` or `<response status="fail">`. An error field that is empty, 0 or false is none.
 *
 * @returns the tracker's own words, empty if it gave none; undefined if there is no error
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
    return errors.map(([, value]) => wordsOf(value, depth)).find((said) => said !== '') ?? messageOf(tree, depth);
  }
  const message = messageOf(tree, depth);
  const statuses = fields.filter(([name, value]) => isStatusName(name) && isLeaf(value) && !isEmpty(value));
  const failed = statuses.find(([name, value]) => isFailure(name, String(value)));
  if (failed) return message || complaintOfText(failed[1]) || '';
  const succeeded = statuses.some(([, value]) => isSuccessPhrase(String(value)));
  if (!succeeded && message !== '' && !isSuccessPhrase(message) && isOnlyMessage(fields, message)) return message;
  // A text under a name that is no wrapper's is a value, unless the name is that of the root.
  const canHold = ([name, value]: Field) =>
    !isErrorName(name) && ((isLeaf(value) ? depth === 0 && fields.length === 1 : true) || isContainer(name));
  const [holder, ...others] = fields.filter((field) => !isEmpty(field[1]) && canHold(field));
  if (!holder || others.length > 0 || (isLeaf(holder[1]) && succeeded)) return undefined;
  return findComplaint(holder[1], depth + 1);
}

/**
 * Whether an answer to a read in which data was found is an error all the same: it has an error field, a failed status beside a
 * message, or nothing but a message. What a read returned is worth more than a remark beside it.
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
  const isAllAbout = fields.every(([name]) => isAbout(name));
  // A conversion that was rejected for a reason is a row like any other.
  if (isRowOfList && !isAllAbout) return false;
  if (!fields.every(([name, value]) => isLeaf(value) || isErrorName(name))) return false;
  if (fields.some(([name, value]) => isErrorName(name) && !meansNothing(value))) return true;
  const failed = fields.some(([name, value]) => isStatusName(name) && isFailure(name, String(value)));
  if (fields.some(([name, value]) => isPlainMessageName(name) && !meansNothing(value))) return failed || isAllAbout;
  return failed && isAllAbout && messageOf(tree, depth) !== '';
}

/** Whether a field is about the answer, and none of a row. */
export function isAbout(name: string): boolean {
  return isErrorName(name) || isStatusName(name) || isMessageName(name) || isMeta(name);
}

/** A message that stands for the whole answer; beside an empty list it has to say itself that something failed. */
function isOnlyMessage(fields: readonly Field[], message: string): boolean {
  if (!fields.every(([name, value]) => meansNothing(value) || (isLeaf(value) && isAbout(name)))) return false;
  const saysFailure = isFailurePhrase(message) || saysNoAccess(message);
  return saysFailure || !fields.some(([, value]) => !isLeaf(value));
}

/** A bare text is a complaint unless it says that something succeeded. */
function complaintOfText(value: Tree): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.slice(0, maxQuotationLength).trim();
  return /\p{L}/u.test(text) && !isSuccessPhrase(text) ? text : undefined;
}

/** `success: 0`, `Status: fail` and `status: "Invalid key"` are failures; `status: 0` says nothing by itself. */
export function isFailure(name: string, whole: string): boolean {
  const value = whole.slice(0, maxQuotationLength);
  if (isSuccessName(name) && /^(0|false|no)$/i.test(value.trim())) return true;
  return isFailurePhrase(value) || saysNoAccess(value) || /^[45]\d\d$/.test(value.trim());
}

/** An error field that is empty, 0, false or `none`. */
export function meansNothing(value: Tree): boolean {
  return (
    isEmpty(value) ||
    (isRecord(value) && Object.values(value).every(meansNothing)) ||
    value === false ||
    value === 0 ||
    (typeof value === 'string' && /^(0|false|none|null|no|ok|success|200)$/i.test(value.trim()))
  );
}

/** The words of a message field. */
function messageOf(record: TreeRecord, depth: number): string {
  if (depth > maxWrapperDepth) return '';
  const fields = Object.entries(record).filter(([name, value]) => isMessageName(name) && !meansNothing(value));
  return fields.map(([, value]) => wordsOf(value, depth + 1)).find((words) => words !== '') ?? '';
}

/** All that a field about an error says, in words: `true` and numbers are none. */
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

/** `{access: "denied"}`, `<noaccess/>`: the one thing that an answer says, by its name and value, is that there is no access. */
export function deniesAccess(tree: Tree): string | undefined {
  if (!isRecord(tree)) return undefined;
  const [only, ...others] = Object.entries(tree);
  if (!only || others.length > 0) return undefined;
  const [name, value] = only;
  if (!isLeaf(value)) return isEmpty(value) && saysNoAccess(spaced(name)) ? spaced(name) : deniesAccess(value);
  // An error or a message says it in its value alone.
  if (isErrorName(name) || isStatusName(name) || isMessageName(name)) return undefined;
  const said = `${spaced(name)} ${value ?? ''}`.trim();
  return said.length < 60 && (saysNoAccess(said) || /^(has )?access (0|false|no|none)$/i.test(said)) ? said : undefined;
}

/** `NoAccess` and `no_access` as words. */
function spaced(name: string): string {
  return name.replace(/([a-z])([A-Z])|[_-]/g, '$1 $2').replace(/\s+/g, ' ');
}
