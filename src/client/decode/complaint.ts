import { plainName } from '../../api/plain-name.ts';
import { AnswerProblem } from './answer-problem.ts';
import {
  isContainer,
  isDoubtfulPhrase,
  isFailurePhrase,
  isFailureWord,
  isFaultPhrase,
  isMeta,
  isRefusingPhrase,
  isRow,
  isSuccessPhrase,
  isSuccessWord,
} from './names.ts';
import { type Field, isEmpty, isFromXml, isLeaf, isList, isRecord, type Tree, type TreeRecord } from './tree.ts';

const errorNames = new Set(
  'error errors errormessage errormsg errmsg err errno errorcode errornumber errorid exception fault failure'.split(
    ' ',
  ),
);
const statusNames = new Set('status success result state outcome ok response type code statuscode'.split(' '));

/** Of these, what says how a write went; a `state` or `type` may be the record's own. */
const outcomeNames = new Set('status success result outcome ok code statuscode'.split(' '));
const messageNames = new Set('message messages msg reason description detail details text info value title'.split(' '));

/** Names that nothing but a message has. */
const plainMessageNames = new Set('message messages msg reason'.split(' '));

const deepestWrapper = 12;

/** Of a complaint no more than this is read, in characters. */
const longestQuotation = 2000;

/** Words with which trackers say that the key was not accepted or that the API is off. */
const noAccess =
  /\bno.?access\b|access (is |was |has been )?(denied|not allowed|disabled|forbidden|refused)|(do|does)(n't|n’t| not) have (any )?access|not authori[sz]ed|unauthori[sz]ed|authenticat|\bapi.?key\b|(invalid|wrong|bad|incorrect|missing|unknown|valid) (access |secret |api.?)?(key|credentials)\b|\bkey\b.{0,20}\b(invalid|wrong|incorrect|missing|required|not)\b|\bapi (access )?(is |has been )?(disabled|off|turned off|not (enabled|active|allowed))|forbidden|permission|\blog ?in\b|session.{0,10}expired/i;

export function saysNoAccess(text: string): boolean {
  return noAccess.test(text);
}

/** `{access: "denied"}`, `<noaccess/>`: the one thing that an answer says, by its name and value, is that there is no access. */
export function deniesAccess(tree: Tree): string | undefined {
  if (!isRecord(tree)) return undefined;
  const [only, ...others] = Object.entries(tree);
  if (!only || others.length > 0) return undefined;
  const [name, value] = only;
  if (!isLeaf(value)) return isEmpty(value) && saysNoAccess(spaced(name)) ? spaced(name) : deniesAccess(value);
  // An error or a message says it in its value alone.
  if (isAbout(name)) return undefined;
  const said = `${spaced(name)} ${value ?? ''}`.trim();
  return said.length < 60 && (saysNoAccess(said) || /^(has )?access (0|false|no|none)$/i.test(said)) ? said : undefined;
}

/** `NoAccess` and `no_access` as words. */
function spaced(name: string): string {
  return name.replace(/([a-z])([A-Z])|[_-]/g, '$1 $2').replace(/\s+/g, ' ');
}

/** "No conversions found": an answer with nothing in it, whatever it is called. */
export function saysNothingFound(complaint: string): boolean {
  return /^(there (are|is) |sorry,? )?no (more )?(data|records?|rows?|results?|conversions?|visitors?|visits?|clicks?|stats|statistics|campaigns?|(traffic )?sources?|entries)\b[^.]{0,60}\.?$/i.test(
    complaint.trim(),
  );
}

/** `error: 0`, `errors: []`: an error field that reports none. */
export function reportsNoError(name: string, value: Tree): boolean {
  return errorNames.has(plainName(name)) && meansNothing(value);
}

/** The words of a tracker that refuses, as the problem they are. */
export function refusal(complaint: string): AnswerProblem {
  const said = complaint.slice(0, longestQuotation);
  return new AnswerProblem(saysNoAccess(said) ? 'no-access' : 'refused', said);
}

/**
 * Finds the error in an answer that came as a success: `{error}`, `{Status: "Error", Message}`, `{message}` alone, a text, in
 * XML `<error>` or `<response status="fail">`. An error field that is empty, 0 or false is none.
 *
 * @returns the tracker's own words, empty where it gave none; undefined where there is no error
 */
export function findComplaint(tree: Tree, depth = 0): string | undefined {
  if (depth > deepestWrapper) return undefined;
  if (isLeaf(tree)) return tree === false ? '' : complaintOfText(tree);
  if (isList(tree)) {
    // `["Error", "no such campaign"]`
    if (tree.length > 1 && tree.every((item) => typeof item === 'string') && isFailurePhrase(tree[0] ?? '')) {
      return tree.join('; ');
    }
    return tree.length === 1 ? findComplaint(tree[0] ?? null, depth + 1) : undefined;
  }
  const fields = Object.entries(tree);
  const named = (names: ReadonlySet<string>) => fields.filter(([name]) => names.has(plainName(name)));
  const errors = named(errorNames).filter(([, value]) => !meansNothing(value));
  if (errors.length > 0) {
    return errors.map(([, value]) => wordsOf(value, depth)).find((said) => said !== '') ?? messageOf(tree, depth);
  }
  const message = messageOf(tree, depth);
  const statuses = named(statusNames).filter(([, value]) => isLeaf(value) && !isEmpty(value));
  const failed = statuses.find(([name, value]) => isFailure(name, String(value)));
  if (failed) return message || complaintOfText(failed[1]) || '';
  const succeeded = statuses.some(([, value]) => isSuccessPhrase(String(value)));
  if (!succeeded && message !== '' && !isSuccessPhrase(message) && isOnlyMessage(fields, message)) return message;
  // A text under a name that is no wrapper's is a value, unless the name is that of the root.
  const canHold = ([name, value]: Field) =>
    !errorNames.has(plainName(name)) &&
    ((isLeaf(value) ? depth === 0 && fields.length === 1 : true) || isContainer(name));
  const [holder, ...others] = fields.filter((field) => !isEmpty(field[1]) && canHold(field));
  if (!holder || others.length > 0 || (isLeaf(holder[1]) && succeeded)) return undefined;
  return findComplaint(holder[1], depth + 1);
}

/**
 * Whether an answer in which data was found is an error all the same: it has an error field, a failed status beside a message,
 * or nothing but a message.
 *
 * @param isWrite whether records inside it are no excuse: what a read returned is worth more than a remark beside it
 */
export function isClearlyError(tree: Tree, isWrite: boolean, depth = 0, isRowOfList = false): boolean {
  if (depth > deepestWrapper) return false;
  if (isLeaf(tree)) return typeof tree === 'string' && !isWrite;
  if (isList(tree)) return tree.length === 1 && isClearlyError(tree[0] ?? null, isWrite, depth + 1, true);
  const fields = Object.entries(tree).filter(([, value]) => !isEmpty(value));
  const [only] = fields;
  if (isWrite && only && fields.length === 1 && errorNames.has(plainName(only[0])) && !meansNothing(only[1]))
    return true;
  if (fields.length === 1 && only && (isContainer(only[0]) || (depth === 0 && isFromXml(tree)))) {
    return isClearlyError(only[1], isWrite, depth + 1, isRow(only[0]));
  }
  // A conversion that was rejected for a reason is a row like any other.
  if (isRowOfList && !isWrite && !fields.every(([name]) => isAbout(name))) return false;
  if (!isWrite && !fields.every(([name, value]) => isLeaf(value) || errorNames.has(plainName(name)))) return false;
  const has = (names: ReadonlySet<string>) =>
    fields.some(([name, value]) => names.has(plainName(name)) && !meansNothing(value));
  if (has(errorNames)) return true;
  // The ID beside it may be an echo of what was asked.
  if (isWrite && fields.some(([name, value]) => isLeaf(value) && saysFailed(name, String(value)))) return true;
  const failed = fields.some(([name, value]) => statusNames.has(plainName(name)) && isFailure(name, String(value)));
  const isAllAbout = fields.every(([name]) => isAbout(name));
  if (has(plainMessageNames)) return failed || isAllAbout;
  return failed && isAllAbout && messageOf(tree, depth) !== '';
}

function isAbout(name: string): boolean {
  const word = plainName(name);
  return errorNames.has(word) || statusNames.has(word) || messageNames.has(word) || isMeta(name);
}

/** A message that stands for the whole answer; beside an empty list it has to say itself that something failed. */
function isOnlyMessage(fields: readonly Field[], message: string): boolean {
  if (!fields.every(([name, value]) => meansNothing(value) || (isLeaf(value) && isAbout(name)))) return false;
  const saysFailure = isFailurePhrase(message) || noAccess.test(message);
  return saysFailure || !fields.some(([, value]) => !isLeaf(value));
}

/** A bare text is a complaint unless it says that something succeeded. */
function complaintOfText(value: Tree): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.slice(0, longestQuotation).trim();
  return /\p{L}/u.test(text) && !isSuccessPhrase(text) ? text : undefined;
}

/** `success: 0`, `Status: fail` and `status: "Invalid key"` are failures; `status: 0` says nothing by itself. */
function isFailure(name: string, whole: string): boolean {
  const value = whole.slice(0, longestQuotation);
  if (/^(success|ok)$/.test(plainName(name)) && /^(0|false|no)$/i.test(value.trim())) return true;
  return isFailurePhrase(value) || noAccess.test(value) || /^[45]\d\d$/.test(value.trim());
}

/** A status that can mean nothing but that a write failed: a word such as `disabled` may be the state of its record. */
function saysFailed(name: string, value: string): boolean {
  const isNo = /^(success|ok)$/.test(plainName(name)) && /^(0|no)$/i.test(value.trim());
  return outcomeNames.has(plainName(name)) && (isNo || isFailureWord(value) || /^[45]\d\d$/.test(value.trim()));
}

/** What an answer says as a whole: inside the wrappers that hold nothing else. */
function envelopeOf(tree: Tree, depth = 0): readonly Field[] {
  if (depth > deepestWrapper || isLeaf(tree)) return [];
  if (isList(tree)) return tree.length === 1 ? envelopeOf(tree[0] ?? null, depth + 1) : [];
  const fields = Object.entries(tree).filter(([, value]) => !isEmpty(value));
  const [only] = fields;
  const isWrapper = fields.length === 1 && only && !isLeaf(only[1]) && !errorNames.has(plainName(only[0]));
  return isWrapper ? envelopeOf(only[1], depth + 1) : fields;
}

/**
 * Whether a complaint about a write proves that nothing was done. A text that nobody knows, a fault of the tracker itself, or
 * an error beside a yes does not.
 */
export function provesRefusal(tree: Tree, complaint: string): boolean {
  const fields = envelopeOf(tree).filter(([, value]) => !meansNothing(value));
  const statuses = fields.filter(([name, value]) => outcomeNames.has(plainName(name)) && isLeaf(value));
  const isFault = statuses.some(([, value]) => /^5\d\d$/.test(String(value).trim()));
  const saysYes = statuses.some(([name, value]) => !/code$/.test(plainName(name)) && isSuccessWord(String(value)));
  if (isFault || saysYes) return false;
  if (saysNoAccess(complaint) || isRefusingPhrase(complaint)) return true;
  const isStated =
    tree === false ||
    envelopeOf(tree).some(
      ([name, value]) =>
        (errorNames.has(plainName(name)) && !meansNothing(value)) || (isLeaf(value) && saysFailed(name, String(value))),
    );
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
  const saysYes = fields.some(({ name, text }) => outcomeNames.has(name) && isSuccessPhrase(text));
  return fields.some(({ name, text }) => {
    if (text === id) return false;
    if (/^(state|type)$/.test(name)) return isFailureWord(text);
    if (plainMessageNames.has(name)) return id !== null && !saysYes && isFailurePhrase(text);
    if (!outcomeNames.has(name)) return isSuccessWord(name) && /^[a-z]/.test(name) && /^(0|false|no)$/i.test(text);
    if (/^-?\d+$/.test(text)) {
      const isCode = /code$/.test(name);
      // Among codes 0 means no error, and 1 may be one.
      return isCode ? !/^(0|2\d\d)$/.test(text) : !isSuccessWord(text);
    }
    // The status of a record, such as disabled, says nothing of the write.
    return name !== 'status' && isDoubtfulPhrase(text);
  });
}

function meansNothing(value: Tree): boolean {
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
  if (depth > deepestWrapper) return '';
  const fields = Object.entries(record).filter(
    ([name, value]) => messageNames.has(plainName(name)) && !meansNothing(value),
  );
  return fields.map(([, value]) => wordsOf(value, depth + 1)).find((words) => words !== '') ?? '';
}

/** All that a field about an error says, in words: `true` and numbers are none. */
function wordsOf(value: Tree, depth: number): string {
  if (isLeaf(value))
    return typeof value === 'string' && /\p{L}/u.test(value) && !/^true$/i.test(value) ? value.trim() : '';
  if (depth > deepestWrapper) return '';
  const message = isRecord(value) ? messageOf(value, depth + 1) : '';
  if (message !== '') return message;
  const words = Object.values(value)
    .slice(0, 20)
    .map((inner) => wordsOf(inner, depth + 1));
  return words.filter(Boolean).join('; ');
}
