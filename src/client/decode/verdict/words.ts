import { plainName } from '../../../api/text/plain-name.ts';

/** The names that trackers give to the parts of an answer, in the form `plainName` gives. */

/** Fields about an answer that are no data of a row. */
const metaNames = new Set(
  (
    'status statuscode success ok result code error errors errorcode errormessage message msg errno errorid errornumber count total totalcount totalrows rowcount ' +
    'recordcount records numrows page pages perpage limit offset version format time timestamp generated generatedat duration took currency timezone ' +
    'start end from to startdate enddate camp campid campaignid report reports cols rec request requestid api'
  ).split(' '),
);

/** Fields that hold the rows, or hold what holds them. */
const containerNames = new Set(
  (
    'rows row data dataset result results response reply answer payload body records record items item list entries entry elements element ' +
    'report reports stats statistics table tables values output return xml root content'
  ).split(' '),
);

const headerNames = new Set('columns headers header head fields cols columnnames fieldnames headings thead'.split(' '));

/** Elements that stand for one row. */
const rowNames = new Set('row record item entry line r tr element object'.split(' '));

/** Statuses that say a request was carried out. */
const successWords = new Set(
  'ok okay success successful succeeded true 1 200 201 done yes created added updated saved accepted completed'.split(
    ' ',
  ),
);

/** Statuses that say it was not. */
const failureWords = new Set(
  'error err errors fail failed failure false denied unauthorized forbidden noaccess accessdenied invalid rejected ko nok no exception'.split(
    ' ',
  ),
);

/** What only a text about a failure says. */
const failing =
  /\b(cannot|can't|could not|couldn't|error|fail(ed|s|ure)?|invalid|unable|unknown|missing|must|denied|wrong|incorrect|not (found|valid|allowed|available|authori[sz]ed|accepted|enabled|permitted|exist)|no access|does(n't| not) exist|required|disabled|forbidden|unauthori[sz]ed|expired)\b/i;

/** What a text about a success does not say: "already added", "not saved", "will be added after approval", "0 rows updated". */
const doubtful =
  /\b(not?|nothing|already|never|may|might|will|would|should|pending|queued|review|approval|limit|time(d)?.?out|exception|zero)\b|(^|\s)0(\s|$)/i;

/** What a text says of something that was not done, although no word of failure is in it. */
const refusing =
  /\b(not?|nothing|never|already|duplicate|exists|in use|limit|please|bad|illegal|refused|rejected|too (long|short|large|small|many|few)|out of range|expected)\b/i;

/** Faults of the tracker itself, which may come over it when half of the work is done. */
const faulty =
  /time(d)?.?out|execution time|memory|fatal error|exception|internal (server )?error|gateway|overload|unavailable|deadlock|lock wait|gone away/i;

/** Fields that hold an error. */
const errorNames = new Set(
  'error errors errormessage errormsg errmsg err errno errorcode errornumber errorid exception fault failure'.split(
    ' ',
  ),
);

/** Fields that say how a request went; of these, a `state`, `type` or `response` may be the record's own. */
const statusNames = new Set('status success result state outcome ok response type code statuscode'.split(' '));
const outcomeNames = new Set('status success result outcome ok code statuscode'.split(' '));

/** Fields that hold a message, and those whose name nothing else has. */
const messageNames = new Set('message messages msg reason description detail details text info value title'.split(' '));
const plainMessageNames = new Set('message messages msg reason'.split(' '));

export const isErrorName = (name: string) => errorNames.has(plainName(name));
export const isStatusName = (name: string) => statusNames.has(plainName(name));
export const isOutcomeName = (name: string) => outcomeNames.has(plainName(name));
export const isMessageName = (name: string) => messageNames.has(plainName(name));
export const isPlainMessageName = (name: string) => plainMessageNames.has(plainName(name));
export const isMeta = (name: string) => metaNames.has(plainName(name));
export const isContainer = (name: string) => containerNames.has(plainName(name));
export const isHeader = (name: string) => headerNames.has(plainName(name));
/** A minus is no part of a plain name, and -1 is no yes. */
export const isSuccessWord = (text: string) =>
  text.length < 40 && successWords.has(plainName(text)) && !text.includes('-1');

export const isRow = (name: string) => rowNames.has(plainName(name));

/** A typewriter's apostrophe, so that "can’t" is found. */
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

/** Whether a text says that nothing was done, and not only that something went wrong on the way. */
export const isRefusingPhrase = (text: string) =>
  !isFaultPhrase(text) && (isFailurePhrase(text) || refusing.test(text));

export const isFaultPhrase = (text: string) => faulty.test(text);

/** "not saved", "saved for review": neither yes nor a plain no. */
export const isDoubtfulPhrase = (text: string) => isFailurePhrase(text) || doubtful.test(text);

export const isFailureWord = (text: string) => text.length < 40 && failureWords.has(plainName(text));

/** Fields that name what stands beside them: `{report: "offer", rows: [...]}`, `{name: "Country", value: "DE"}`. */
export const isNaming = (name: string) =>
  /^(report|group|section)?(name|type|title|label|key|field|column|report|group|section)$/.test(plainName(name));

export const isValue = (name: string) => /^(value|text|data|content|val)$/.test(plainName(name));
