import { plainName } from './text/names.ts';
import { type Cell, type NamedCell, rawText } from './text/tracker-text.ts';

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
    /** Of these, what is no word of its own: 0 is a no. */
    success: 'success ok',
    /** Fields that hold a message, and those whose name nothing else has. */
    message: 'message messages msg reason description detail details text info value title',
    plainMessage: 'message messages msg reason',
    value: 'value text data content val',
    /** Elements of XML that stand for a field and carry its name in an attribute. */
    field: 'field column col cell param parameter property attribute attr item token data var value td',
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
  /** The columns of a landing or offer report that say what a page is; the surest first, here and below. */
  page_report: {
    /** The ID of a page inside its campaign: an offer ID or a landing page ID is that of a predefined record, and of another. */
    id: 'pageid campaignpageid page id',
    record: 'offerid predefinedofferid landingpageid predefinedlandingpageid lpid landingid predefinedid',
    name: 'name offer offername landingpage landingpagename pagename landing title',
    /** The name of a page if it is not its ID. */
    nameOrId: 'page',
    url: 'url offerurl landingpageurl pageurl destinationurl',
    source: 'offersource source affiliatenetwork network',
    share: 'share sharepercent sharepercentage weight',
    inactive: 'inactive disabled paused',
    active: 'active enabled status',
    level: 'level',
    path: 'path optiongroup pathid option group',
    payout: 'payout offerpayout',
  },
  /** The columns of a conversion list. */
  conversion: {
    offerId: 'offerpageid campaignpageid pageid',
    offerName: 'offer offername offer2',
    landingId: 'landingpagepageid lppageid campaignpageid pageid',
    landingName: 'landingpage landingpagename landing lp',
    /** The offer that converted, if a list may be of any shape. */
    converted: 'offer offername offerpage offerpagename offer2',
    visitor: 'subid clickid',
    booked: 'conversiondate conversiontime convdate date datetime time timestamp',
    visited: 'visitdate visittime viewdate clickdate clicktime',
    /** What an amount is called that no measure is. */
    payout: 'payout',
    transaction: 'transactionid txid transaction txnid orderid',
  },
  /** The columns of a network's statement, the surest first. */
  statement: {
    subid:
      'subid subid1 sub1 affsub affsub1 affsubid s1 subidentifier aid1 clickid affclickid affiliateclickid externalclickid ' +
      'subid2 sub2 affsub2 s2 subid3 sub3 affsub3 s3 subid4 sub4 affsub4 s4 subid5 sub5 affsub5 s5 sid tid externalid',
    amount:
      'payout payoutamount affiliatepayout publisherpayout commission commissionamount publishercommission earnings earning earned ' +
      'revenue income profit amount approvedamount total payment price value sum rate auszahlung provision verguetung vergütung betrag',
    time:
      'conversiondate conversiontime conversiondatetime converteddate convertedat datetimeconverted actiondate actiontime eventdate eventtime ' +
      'saledate saletime leaddate transactiondate transactiontime orderdate datetime date timestamp time createdat created added day datum',
    clock: 'time conversiontime eventtime hour uhrzeit zeit',
    currency: 'currency currencycode payoutcurrency währung waehrung',
    status: 'status conversionstatus approvalstatus leadstatus state',
    transaction: 'transactionid conversionid txid transaction orderid leadid actionid eventid',
  },
  /** The times of a list that has two of them: of its rows, and of the visit or the sale besides. */
  two_times: { row: 'date', visit: 'visitdate', conversion: 'conversiondate' },
  /** The columns of a visitor list: when a visit was and what it came to. */
  visit: {
    time: 'date visitdate datetime time timestamp visittime visited created viewdate',
    clicks: 'clicked clicks click lpclicked lpclicks clickdate clicktime',
    conversions: 'converted conversions conversion conv conversiondate conversiontime',
    cost: 'cost cpv visitcost spend',
    revenue: 'revenue payout income earnings amount',
  },
  /** What visits can be grouped by, and the columns of a visitor list that say it. */
  dimension: {
    device: 'device devicetype devicename devicecategory',
    os: 'os operatingsystem platform',
    browser: 'browser browsername',
    country: 'country countrycode countryname geo',
    region: 'region state regionname',
    city: 'city cityname',
    isp: 'isp carrier ispname organization',
    keyword: 'keyword target keywords',
    ad: 'advalue ad adname creative',
    landing_page: 'landingpage landing lp lpname landingpagename',
    offer: 'offer offername offerpage',
    network: 'offersource offersourcename affiliatenetwork network',
    traffic_source: 'trafficsource trafficsourcename',
    campaign: 'campaign campaignname campaignid campid camp',
  },
  /** The fields of campaigns and traffic sources as they are listed. */
  listed: {
    id: 'id campaignid campid camp trafficsourceid tsid',
    name: 'name campaignname campaign title trafficsourcename trafficsource',
    source: 'trafficsource trafficsourcename source sourcename ts trafficsourceid tsid',
    inactive: 'inactive isinactive disabled',
    active: 'active isactive enabled status campaignstatus',
    type: 'type campaigntype',
    url: 'campaignurl url campaignlink link',
    costParameter: 'costtokenparam',
  },
  /** The same, of the options that `edit_campaign` sets, by its arguments. */
  option: {
    engage_rate: 'engagerate engage',
    bid: 'bid bidcost defaultcost',
    priority: 'priority campaignpriority',
    pass_subid_to_landing_page: 'passsubidlp passsubidtolp passsubidtolandingpage',
    pass_subid_to_offer:
      'passsubidoffer passsubidtooffer passsubidoffers passsubidtooffers passthesubidtooffer passthesubidtooffers passthesubidoffer passthesubidoffers',
  },
  /** A list by the noun that an endpoint has for it, if trackers have others. */
  list: { traffic_source: 'trafficsource t ts source' },
  /** The groups of the specification ("SubID lookup"). */
  lookup: { group: 'campaigndata geodata devicedata trafficsourcetokens offersourcetokens' },
  /** What a lookup, or a row of a conversion list, says of a visitor. */
  visitor: {
    arrivedAt: 'date visitdate arrivaldate arrived arrivedat visittime datetime time timestamp viewdate added created',
    landingPage: 'landingpage landingpagename lp lpname landing landingname page',
    clicked: 'clicked lpclicked clickthrough isclicked click',
    clickedAt: 'clickdate clicktime clickedat clickedon lpclickdate',
    offer: 'offer offername offerpage offerpagename offer2',
    subscribed: 'subscribed subscriber optedin optin',
    subscribedAt: 'subscriptiondate subscribedat subscribedon optindate',
    path: 'path pathid',
    device: 'device devicetype',
    os: 'os operatingsystem platform',
    browser: 'browser browsername',
    country: 'country countryname countrycode geo',
    trafficSource: 'trafficsource trafficsourcename source ts',
    campaign: 'campaign campaignname',
    userAgent: 'useragent ua browseragent',
    isp: 'isp provider organization',
    converted: 'converted conversion isconverted conversions',
    convertedAt: 'conversiondate conversiontime convertedat convertedon dateconverted',
    revenue: 'revenue payout income amount earnings',
    timeZone: 'timezone tz',
    campaignId: 'campaignid campid camp',
    visitor: 'subid clickid',
  },
  /** What tells the rows of any table apart. */
  row: { name: 'name subid clickid id' },
} as const;

/**
 * What the columns of reports measure, by their letters alone. A `Click` or a `Visit` may be the ID of one. A table of its own,
 * since the view of results needs no other.
 */
export const measureNames = {
  views: 'views view visitors visits',
  clicks: 'clicks lpclicks landingpageclicks',
  subscribers: 'subscribers subscriber subs subscriptions',
  conversions: 'conversions conversion conv convs',
  revenue: 'revenue rev income earnings',
  cost: 'cost costs spend spent totalcost adspend',
  profit: 'profit pl pnl netprofit profitloss',
  engaged: 'engaged engagedviews engagedvisitors engages',
  ctr: 'ctr clickthroughrate',
  cr: 'cr convrate conversionrate cvr',
  cpv: 'cpv costperview',
  cpc: 'cpc costperclick',
  epv: 'epv earningsperview revenueperview',
  epc: 'epc earningsperclick revenueperclick',
  ppv: 'ppv profitperview',
  roi: 'roi returnoninvestment',
  cpa: 'cpa costperacquisition costperconversion',
  cpsub: 'cpsub costpersubscriber',
} as const;

type Vocabulary = typeof vocabulary;

/** Tells whether a name, however it is written, means a thing in a context. */
export function nameOf<Context extends keyof Vocabulary>(
  context: Context,
  thing: keyof Vocabulary[Context] & string,
): (name: string) => boolean {
  const names = new Set(namesOf(context, thing));
  return (name) => names.has(plainName(name));
}

/** The names of a thing in a context, in the order of the table; to be compared with what `plainName` gives. */
export function namesOf<Context extends keyof Vocabulary>(
  context: Context,
  thing: keyof Vocabulary[Context] & string,
): readonly string[] {
  return String(vocabulary[context][thing]).split(' ');
}

/** All that a context names, each with its names. */
export function thingsOf<Context extends keyof Vocabulary>(
  context: Context,
): Readonly<Record<keyof Vocabulary[Context] & string, readonly string[]>> {
  const entries = Object.entries<string>(vocabulary[context]).map(([thing, names]) => [thing, names.split(' ')]);
  return Object.fromEntries(entries) as Record<keyof Vocabulary[Context] & string, readonly string[]>;
}

/** The index of the first of these names, in their order, that is among the names of columns; -1 if none is. */
export function indexNamed(columns: readonly string[], names: readonly string[]): number {
  return (
    names.map((name) => columns.findIndex((column) => plainName(column) === name)).find((found) => found >= 0) ?? -1
  );
}

/** What the field says that goes by the first of these names, in their order, of those that say something. */
export function fieldNamed(
  fields: readonly NamedCell[],
  names: readonly string[],
  saysSomething: (value: Cell) => boolean = (value) => value !== null,
): Cell {
  for (const name of names) {
    const found = fields.find(([field, value]) => plainName(rawText(field)) === name && saysSomething(value));
    if (found) return found[1];
  }
  return null;
}

const aroundReports = /performance|reports?|stats?|statistics|pages?|summary|tables?|data|lists?|rows/g;

/** The report of the specification that a name means: `Offer performance` is `offer`. */
export function reportNamed(name: string): string | undefined {
  return reportByName.get(plainName(name).replace(aroundReports, ''));
}

/** The mark keeps the table out of the view of results. */
const reportByName: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(
  Object.entries(vocabulary.report).flatMap(([report, names]) => names.split(' ').map((name) => [name, report])),
);

/** The arguments that are amounts of money: what a visit may cost, and what a sale pays. Columns of these names are, too. */
export const moneyArguments = ['bid', 'payout'] as const;

export type MoneyArgument = (typeof moneyArguments)[number];

export function isMoneyArgument(name: string): name is MoneyArgument {
  return moneyArguments.some((known) => known === name);
}

/** The currency, to be written behind the value of an argument; empty if that is no amount, or none is known. */
export function currencyBehind(argument: string, value: unknown, currency: string | undefined): string {
  const isAmount = typeof value === 'number' || (typeof value === 'string' && /^\s*-?[\d.]+\s*$/.test(value));
  return currency !== undefined && isMoneyArgument(argument) && isAmount ? ` ${currency}` : '';
}
