import { memoize, plainName } from './text/plain-name.ts';

/**
 * The names by which trackers call a thing, each in the form `plainName` gives. A name has a meaning only in a context: `page`
 * is the number of a page in an answer, the landing page of a report, and what a write was about.
 *
 * A new name is one word here. A context that reads more things, such as the columns of a report or the fields of a lookup,
 * is one more entry of the table: `payout` is the revenue of a visitor in a lookup, and not in a report.
 */
const vocabulary = {
  /** The parts of an answer. */
  answer: {
    /** Fields about the answer that are no data of a row. */
    about:
      'status statuscode success ok result code error errors errorcode errormessage message msg errno errorid errornumber count total totalcount ' +
      'totalrows rowcount recordcount records numrows page pages perpage limit offset version format time timestamp generated generatedat duration took ' +
      'currency timezone start end from to startdate enddate camp campid campaignid report reports cols rec request requestid api',
    /** Fields that hold the rows, or hold what holds them. */
    container:
      'rows row data dataset result results response reply answer payload body records record items item list entries entry elements element ' +
      'report reports stats statistics table tables values output return xml root content',
    header: 'columns headers header head fields cols columnnames fieldnames headings thead',
    /** Elements that stand for one row. */
    row: 'row record item entry line r tr element object',
    error: 'error errors errormessage errormsg errmsg err errno errorcode errornumber errorid exception fault failure',
    /** Fields that say how a request went; of these a `state`, `type` or `response` may be the record's own. */
    status: 'status success result state outcome ok response type code statuscode',
    outcome: 'status success result outcome ok code statuscode',
    /** Fields that hold a message, and those whose name nothing else has. */
    message: 'message messages msg reason description detail details text info value title',
    plainMessage: 'message messages msg reason',
    value: 'value text data content val',
    /** What holds the groups of a lookup and is none itself. */
    visitor: 'click visitor visit subid group groups lookup',
  },
  /** What a write is about, and the names of its ID; an ID under another name, such as `source_id`, is that of something else. */
  landing_page: { noun: 'lp landing landingpage page', id: 'lpid landingid landingpageid pageid' },
  offer: { noun: 'offer', id: 'offerid' },
  campaign_page: { noun: 'page campaignpage', id: 'pageid campaignpageid' },
  campaign: { noun: 'campaign', id: '' },
  record: {
    /** The ID of whatever was written. */
    id: 'id newid insertid insertedid lastid lastinsertid createdid recordid',
    /** Parts of an answer about records that were not written. */
    other: 'campaign source offersource trafficsource network user account request category',
  },
  /** The reports of the specification, without the "performance" and the like around their names. */
  report: {
    target: 'target targets',
    ad: 'ad ads',
    landing: 'landing landings lp lps',
    thankyou: 'thankyou thankyous',
    offer: 'offer offers',
    campaign: 'campaign campaigns',
  },
  /** The groups of the specification ("SubID lookup"). */
  lookup: { group: 'campaigndata geodata devicedata trafficsourcetokens offersourcetokens' },
} as const;

type Vocabulary = typeof vocabulary;

/** Tells whether a name, however it is written, means a thing in a context. */
export function nameOf<Context extends keyof Vocabulary>(
  context: Context,
  thing: keyof Vocabulary[Context] & string,
): (name: string) => boolean {
  const names = new Set(String(vocabulary[context][thing]).split(' '));
  return (name) => names.has(plainName(name));
}

const aroundReports = /performance|reports?|stats?|statistics|pages?|summary|tables?|data|lists?|rows/g;

const reportByName = new Map<string, string>(
  Object.entries(vocabulary.report).flatMap(([report, names]) => names.split(' ').map((name) => [name, report])),
);

/** The report of the specification that a name means: `Offer performance` is `offer`. */
export const reportNamed: (name: string) => string | undefined = memoize((name) =>
  reportByName.get(plainName(name).replace(aroundReports, '')),
);
