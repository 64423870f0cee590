import { plainName } from '../../api/text/names.ts';
import { measureNames, nameOf } from '../../api/vocabulary.ts';

/** What the field names and words of an answer mean. */

export const isMeta = nameOf('answer', 'about');
export const isContainer = nameOf('answer', 'container');
export const isAroundLists = nameOf('answer', 'aroundLists');
export const isHeader = nameOf('answer', 'header');
export const isRow = nameOf('answer', 'row');
export const isErrorName = nameOf('answer', 'error');
export const isWarningName = nameOf('answer', 'warning');
export const isStatusName = nameOf('answer', 'status');
export const isOutcomeName = nameOf('answer', 'outcome');
export const isSuccessName = nameOf('answer', 'success');
export const isMessageName = nameOf('answer', 'message');
export const isPlainMessageName = nameOf('answer', 'plainMessage');
/** Elements of XML: `<Field name="Extra 1">`. */
export const isFieldElement = nameOf('answer', 'field');
/** What programs write with each element of XML: `<views type="integer">3</views>`. */
export const isDataType = nameOf('answer', 'dataType');
export const isValue = nameOf('answer', 'value');
const figures = new Set(Object.values(measureNames).flatMap((names) => names.split(' ')));
/** Columns of figures in reports. */
export const isFigure = (name: string) => figures.has(plainName(name));
/** Records about the pages of an answer. */
export const isPaging = nameOf('paging', 'about');

/** Fields that name the field next to them: `{report: "offer", rows: [...]}`, `{name: "Country", value: "DE"}`. */
export const isNaming = (name: string) =>
  /^(report|group|section)?(name|type|title|label|key|field|column|report|group|section)$/.test(plainName(name));

const successWords = new Set(
  'ok okay success successful succeeded true 1 200 201 done yes created added updated saved accepted completed'.split(
    ' ',
  ),
);

const failureWords = new Set(
  'error err errors fail failed failure false denied unauthorized forbidden noaccess accessdenied invalid rejected ko nok no exception'.split(
    ' ',
  ),
);

/** Only in texts about a failure. */
const failing =
  /\b(cannot|can't|could not|couldn't|error|fail(ed|s|ure)?|invalid|unable|unknown|missing|must|denied|wrong|incorrect|not (found|valid|allowed|available|authori[sz]ed|accepted|enabled|permitted|exist)|no access|does(n't| not) exist|required|disabled|forbidden|unauthori[sz]ed|expired)\b/i;

/** Not in texts about a success: "already added", "not saved", "will be added after approval", "0 rows updated". */
const doubtful =
  /\b(not?|nothing|already|never|may|might|will|would|should|pending|queued|review|approval|limit|time(d)?.?out|exception|zero)\b|(^|\s)0(\s|$)/i;

/** In texts about something that was not done, without a word of failure. */
const refusing =
  /\b(not?|nothing|never|already|duplicate|exists|in use|limit|please|bad|illegal|refused|rejected|too (long|short|large|small|many|few)|out of range|expected)\b/i;

/** Faults of the tracker itself, which can happen half-way through the work. */
const faulty =
  /time(d)?.?out|execution time|memory|fatal error|exception|internal (server )?error|gateway|overload|unavailable|deadlock|lock wait|gone away/i;

/** `plainName` drops a minus, and -1 is not a yes. */
export const isSuccessWord = (text: string) =>
  text.length < 40 && successWords.has(plainName(text)) && !text.includes('-1');

export const isCode = (name: string) => /code$/.test(plainName(name));

/** With plain apostrophes, so that "can’t" is found. */
const plainQuotes = (text: string) => text.replaceAll('’', "'");

/** "OK", "Offer added", "Saved successfully"; not "could not be added". */
export const isSuccessPhrase = (text: string) =>
  isSuccessWord(text) ||
  (text.length < 200 &&
    /\b(ok|success(fully)?|added|created|updated|saved|changed|done)\b/i.test(text) &&
    !failing.test(plainQuotes(text)) &&
    !doubtful.test(text));

/** "Error", "fail", "Invalid offer source". */
export const isFailurePhrase = (text: string) => isFailureWord(text) || failing.test(plainQuotes(text));

/** Whether a text says that nothing was done, not only that something went wrong. */
export const isRefusingPhrase = (text: string) =>
  !isFaultPhrase(text) && (isFailurePhrase(text) || refusing.test(text));

export const isFaultPhrase = (text: string) => faulty.test(text);

/** "not saved", "saved for review": neither a yes nor a plain no. */
export const isDoubtfulPhrase = (text: string) => isFailurePhrase(text) || doubtful.test(text);

/** "queued", "pending": it may be done later, or not. */
export const isWaitingWord = (text: string) =>
  /^(queued|pending|processing|partial(ly.{0,20})?|scheduled|waiting|deferred|in.?progress|submitted)$/i.test(
    text.trim(),
  );

/** Words that answer a question, whatever it was: `{"maintenance":true}` is no success. */
export const isYes = (text: string) => /^(true|yes)$/i.test(text.trim());

/** A status between success and failure. */
export const isTroubleWord = (text: string) =>
  /^(?:partial|incomplete|warning|degraded|truncated|interrupted|aborted)$/i.test(text);

export const isFailureWord = (text: string) => text.length < 40 && failureWords.has(plainName(text));

/** The key was not accepted, or the API is off. */
const noAccess =
  /\bno.?access\b|access (is |was |has been )?(denied|not allowed|disabled|forbidden|refused)|(do|does)(n't|n’t| not) have (any )?access|not authori[sz]ed|unauthori[sz]ed|authenticat|\bapi.?key\b|(invalid|wrong|bad|incorrect|missing|unknown|valid) (access |secret |api.?)?(key|credentials)\b|\bkey\b.{0,20}\b(invalid|wrong|incorrect|missing|required|not)\b|\bapi (access )?(is |has been )?(disabled|off|turned off|not (enabled|active|allowed))|forbidden|permission|\blog ?in\b|session.{0,10}expired/i;

export function saysNoAccess(text: string): boolean {
  return noAccess.test(text);
}

/** "No conversions found": an empty list in words. */
export function saysNothingFound(complaint: string): boolean {
  return /^(there (are|is) |sorry,? )?no (more )?(data|records?|rows?|results?|conversions?|visitors?|visits?|clicks?|stats|statistics|campaigns?|(traffic )?sources?|entries)\b[^.]{0,60}\.?$/i.test(
    complaint.trim(),
  );
}
