import { plainName } from './tree.ts';

/** The names that trackers give to the parts of an answer, in the form `plainName` gives. */

/** Fields about an answer that are no data of a row. */
const metaNames = new Set(
  (
    'status statuscode success ok result code error errors errorcode errormessage message msg count total totalcount totalrows rowcount ' +
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

/** Statuses that say a request was carried out. */
const successWords = new Set(
  'ok success successful succeeded true 1 200 done yes created added updated saved'.split(' '),
);

/** Statuses that say it was not. */
const failureWords = new Set(
  'error err errors fail failed failure false denied unauthorized forbidden noaccess accessdenied invalid rejected ko nok no exception'.split(
    ' ',
  ),
);

export const isMeta = (name: string) => metaNames.has(plainName(name));
export const isContainer = (name: string) => containerNames.has(plainName(name));
export const isHeader = (name: string) => headerNames.has(plainName(name));
export const isSuccessWord = (text: string) => successWords.has(plainName(text));

/** "OK", "Offer added", "Saved successfully"; not "could not be added". */
export const isSuccessPhrase = (text: string) =>
  isSuccessWord(text) ||
  (text.length < 200 &&
    /\b(success(fully)?|added|created|updated|saved|changed|done)\b/i.test(text) &&
    !/\b(not?|cannot|can't|error|fail(ed|s|ure)?|invalid|unable|unknown|missing|must|already|denied|wrong)\b/i.test(
      text,
    ));
export const isFailureWord = (text: string) => failureWords.has(plainName(text));

/** Fields that name what stands beside them: `{report: "offer", rows: [...]}`, `{name: "Country", value: "DE"}`. */
export const isNaming = (name: string) =>
  /^(report|group|section)?(name|type|title|label|key|field|column|report|group|section)$/.test(plainName(name));

export const isValue = (name: string) => /^(value|text|data|content|val)$/.test(plainName(name));
