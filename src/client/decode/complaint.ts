import { isContainer, isFailureWord, isSuccessPhrase, isSuccessWord } from './names.ts';
import { isEmpty, isLeaf, isList, isRecord, plainName, type Tree, type TreeRecord } from './tree.ts';

/** What a tracker said went wrong; the text is the tracker's own, empty where it gave none. */
export interface Complaint {
  readonly text: string;
}

const errorNames = new Set(['error', 'errors', 'errormessage', 'errormsg', 'err', 'exception', 'fault', 'failure']);
const statusNames = new Set(['status', 'success', 'result', 'state', 'outcome', 'ok', 'response']);
const messageNames = new Set(['message', 'msg', 'reason', 'description', 'detail', 'details', 'text', 'info', 'value']);

const deepestWrapper = 6;

/**
 * Finds the error in an answer that came as a success: `{error}`, `{Status: "Error", Message}`, `{message}` alone, in XML
 * `<error>` or `<response status="fail">`. An error field that is empty, 0 or false is none.
 *
 * @param holdsData whether the answer also holds what was asked for, so that a message beside it is only a remark
 */
export function findComplaint(tree: Tree, holdsData: boolean, depth = 0): Complaint | undefined {
  if (holdsData || isLeaf(tree) || depth > deepestWrapper) return undefined;
  if (isList(tree)) return tree.length === 1 ? findComplaint(tree[0] ?? null, holdsData, depth + 1) : undefined;
  const fields = Object.entries(tree);
  const named = (names: ReadonlySet<string>) => fields.filter(([name]) => names.has(plainName(name)));
  const error = named(errorNames).find(([, value]) => !meansNothing(value));
  if (error) return { text: wordsOf(error[1]) || messageOf(tree) };
  const statuses = named(statusNames).filter(([, value]) => isLeaf(value) && value !== null && value !== '');
  if (statuses.some(([name, value]) => isFailure(name, String(value)))) return { text: messageOf(tree) };
  const succeeded = statuses.some(([, value]) => isSuccessWord(String(value)));
  const message = messageOf(tree);
  const onlyMessage = fields.every(
    ([name, value]) =>
      isLeaf(value) && (messageNames.has(plainName(name)) || statusNames.has(plainName(name)) || isCode(name)),
  );
  if (!succeeded && message !== '' && onlyMessage && !isSuccessPhrase(message)) return { text: message };
  const [only] = fields;
  const wrapped = fields.find(
    ([name, value]) => isRecord(value) && (isContainer(name) || fields.length === 1 || value === only?.[1]),
  );
  return wrapped ? findComplaint(wrapped[1], holdsData, depth + 1) : undefined;
}

function isCode(name: string): boolean {
  return /^(error|status|http)?code$/.test(plainName(name));
}

/** `success: 0` and `Status: fail` are failures; `status: 0` says nothing by itself. */
function isFailure(name: string, value: string): boolean {
  if (/^(success|ok)$/.test(plainName(name))) return /^(0|false|no)$/i.test(value.trim());
  return isFailureWord(value) || /^[45]\d\d$/.test(value.trim());
}

function meansNothing(value: Tree): boolean {
  return (
    isEmpty(value) ||
    value === false ||
    value === 0 ||
    (typeof value === 'string' && /^(0|false|none|null|no|ok)$/i.test(value.trim()))
  );
}

/** The words of a message field; a bare `error: 1` has none. */
function messageOf(record: TreeRecord): string {
  const fields = Object.entries(record).filter(
    ([name, value]) => messageNames.has(plainName(name)) && !meansNothing(value),
  );
  return fields.map(([, value]) => wordsOf(value)).find((words) => words !== '') ?? '';
}

/** All that an error field says, in words: `true` and numbers are none. */
function wordsOf(value: Tree): string {
  if (isLeaf(value))
    return typeof value === 'string' && /[^\d\s]/.test(value) && !/^true$/i.test(value) ? value.trim() : '';
  return Object.values(value)
    .slice(0, 20)
    .map((inner) =>
      isLeaf(inner) ? wordsOf(inner) : isList(inner) ? inner.filter(isLeaf).map(wordsOf).join('; ') : messageOf(inner),
    )
    .filter(Boolean)
    .join('; ');
}
