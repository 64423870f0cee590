import { keptByName } from './text/kept-by-name.ts';
import { plainName } from './text/names.ts';
import { type Cell, type NamedCell, rawText } from './text/tracker-text.ts';

/**
 * The names that trackers use for things, as `plainName` gives them. A name has a meaning only in a context: `page` can be the
 * number of a page, a landing page, or the record of a write; `payout` is the revenue of a visitor in a lookup but not in a
 * report. A new name is one word here, a new context one more entry.
 */
const vocabulary = {
  /** The parts of an answer. */
  answer: {
    /** Fields that describe the answer and are not data of a row. */
    about:
      'status statuscode success ok result code error errors errorcode errormessage message msg errno errorid errornumber count total totalcount ' +
      'totalrows rowcount recordcount records numrows page pages perpage limit offset version format time timestamp generated generatedat duration took ' +
      'currency timezone start end from to startdate enddate camp campid campaignid report reports cols rec request requestid api',
    /** Fields that hold the rows, or a wrapper of them. */
    container:
      'rows row data dataset result results response reply answer payload body records record items item list entries entry elements element ' +
      'report reports stats statistics table tables values output return xml root content embedded nodes edges aadata',
    /** Those that frameworks put around lists only: a record of plain values is a row that is called so. */
    aroundLists: 'embedded nodes edges aadata',
    header: 'columns headers header head fields cols columnnames fieldnames headings thead',
    /** Rows of other days, to compare with. */
    otherTime: 'previous prior before compared comparison compare lastperiod previousperiod old past baseline',
    /** Elements that are one row. */
    row: 'row record item entry line r tr element object',
    warning: 'warning warnings warn',
    error: 'error errors errormessage errormsg errmsg err errno errorcode errornumber errorid exception fault failure',
    /** Fields for the result of a request; `state`, `type` and `response` may belong to a record. */
    status: 'status success result state outcome ok response type code statuscode',
    outcome: 'status success result outcome ok code statuscode',
    /** Fields in which 0 is a no. */
    success: 'success ok',
    /** Fields with a message; below, the names that always mean a message. */
    message: 'message messages msg reason description detail details text info value title',
    plainMessage: 'message messages msg reason',
    value: 'value text data content val',
    dataType: 'array integer int long float double decimal number numeric string text boolean date datetime timestamp',
    /** XML elements for a field, with its name in an attribute. */
    field: 'field column col cell param parameter property attribute attr item token data var value td',
    /** The wrapper of the groups of a lookup. */
    visitor: 'click visitor visit subid group groups lookup',
  },
  /** What an answer says about its pages, and about rows that it lacks. */
  paging: {
    /** Records about it. */
    about:
      'meta metadata pagination paging pager paginator page pages pageinfo links cursor cursors info summary header result total hits',
    more: 'more hasmore hasnext hasnextpage hasmorepages morepages moreavailable moreresults morerecords moredata truncated istruncated remaining limitreached maxrowsreached partial ispartial incomplete isincomplete',
    last: 'islast islastpage last complete iscomplete done finished',
    /** Where the next page is. */
    next: 'next nextpage nextpageurl nextlink nexturl nexturi nexthref nextpagetoken nexttoken nextcursor nextoffset nextstart continuation continuationtoken',
    relation: 'rel',
    pages:
      'pages totalpages pagestotal pagecount pagescount numpages lastpage totalpage numberofpages maxpage pagetotal',
    page: 'page currentpage pageno pagenumber pagenum pagecurrent',
    offset: 'offset skip',
    /** The number of all rows; a total may be the sum of a column, too. */
    rows: 'totalcount totalrows totalrecords totalresults totalitems totalelements totalhits totalentries rowcount rowstotal recordcount recordstotal recordsfiltered resultcount itemcount foundrows numfound numrows count records rows available matched found',
    total: 'total totalvalue',
    limit: 'limit perpage pagesize maxresults maxrows rowsperpage itemsperpage',
    /** "Showing 1 to 100 of 900". */
    words: 'info message msg note notice warning warnings showing range contentrange summary page pages result results',
  },
  /** The record of a write, and the names of its ID. An ID with a different name, such as `source_id`, is not the record's. */
  landing_page: { noun: 'lp landing landingpage page', id: 'lpid landingid landingpageid pageid' },
  offer: { noun: 'offer', id: 'offerid' },
  campaign_page: { noun: 'page campaignpage', id: 'pageid campaignpageid' },
  campaign: { noun: 'campaign', id: '' },
  record: {
    /** The ID of the written record, of any kind. */
    id: 'id newid insertid insertedid lastid lastinsertid createdid recordid',
    /** Records that were not written. */
    other: 'campaign source offersource trafficsource network user account request category',
  },
  /** The columns of a landing or offer report; here and below the most certain name comes first. */
  page_report: {
    /** The ID of a page inside its campaign. Offer IDs and landing page IDs belong to predefined records. */
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
    /** The offer that converted, in a list of unknown shape. */
    converted: 'offer offername offerpage offerpagename offer2',
    visitor: 'subid clickid',
    booked: 'conversiondate conversiontime convdate date datetime time timestamp',
    visited: 'visitdate visittime viewdate clickdate clicktime',
    /** An amount that is not a measure. */
    payout: 'payout',
    transaction: 'transactionid txid transaction txnid orderid',
    status: 'status conversionstatus salestatus leadstatus approvalstatus',
  },
  /** The times in a list with two of them: of the row, and of the visit or the sale. */
  two_times: { row: 'date', visit: 'visitdate', conversion: 'conversiondate' },
  /** The columns of a visitor list: time and results of a visit. */
  visit: {
    time: 'date visitdate datetime time timestamp visittime visited created viewdate',
    clicks: 'clicked clicks click lpclicked lpclicks clickdate clicktime',
    conversions: 'converted conversions conversion conv conversiondate conversiontime',
    cost: 'cost cpv visitcost spend',
    revenue: 'revenue payout income earnings amount',
  },
  /** What visits can be grouped by, and the columns of a visitor list for it. */
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
  /** The fields in the list of campaigns. A campaign has the ID and the name of its traffic source, too: they are not its own. */
  listed: {
    id: 'id campaignid campid camp',
    name: 'name campaignname campaign title',
    source: 'trafficsource trafficsourcename source sourcename ts trafficsourceid tsid',
    inactive: 'inactive isinactive disabled',
    active: 'active isactive enabled status campaignstatus',
    type: 'type campaigntype',
    url: 'campaignurl url campaignlink link',
    costParameter: 'costtokenparam',
  },
  /** The same in the list of traffic sources. */
  listedSource: {
    id: 'id trafficsourceid tsid sourceid',
    name: 'name trafficsourcename trafficsource title',
  },
  /** The columns of the campaign list for the options that `edit_campaign` sets, by its arguments. */
  option: {
    engage_rate: 'engagerate engage',
    bid: 'bid bidcost defaultcost',
    priority: 'priority campaignpriority',
    pass_subid_to_landing_page: 'passsubidlp passsubidtolp passsubidtolandingpage',
    pass_subid_to_offer:
      'passsubidoffer passsubidtooffer passsubidoffers passsubidtooffers passthesubidtooffer passthesubidtooffers passthesubidoffer passthesubidoffers',
  },
  /** Lists for which trackers have other nouns than the specification. */
  list: { traffic_source: 'trafficsource t ts source' },
  /** The groups of the specification ("SubID lookup"). */
  lookup: { group: 'campaigndata geodata devicedata trafficsourcetokens offersourcetokens' },
  /** Facts about a visitor in a lookup, or in a row of a conversion list. */
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
    address: 'ip ipaddress ipaddr visitorip clientip remoteip remoteaddr userip',
    isp: 'isp provider organization',
    converted: 'converted conversion isconverted conversions',
    convertedAt: 'conversiondate conversiontime convertedat convertedon dateconverted',
    revenue: 'revenue payout income amount earnings',
    timeZone: 'timezone tz',
    campaignId: 'campaignid campid camp',
    visitor: 'subid clickid',
  },
  /** What traffic sources call a token for the place where an ad was shown, the most certain first, and words that rule it out. */
  token: {
    placement: 'placement zone site widget spot publisher pub feed bundle app domain source src adset adgroup',
    other:
      'age banner bid browser campaign category city click cost country cpc cpm creative date day device email format geo hour keyword lang language offer os position price region size status tier time type user utm visitor',
  },
  /** The columns that identify a row of any table. */
  row: {
    name: 'name subid clickid id',
    /** What stands in the place of a name in a row that adds up the others. */
    total:
      'total totals grandtotal pagetotal subtotal subtotals sum all overall summary summe endsumme gesamt gesamtsumme zwischensumme insgesamt ' +
      'totaux totalgénéral soustotal somme suma sumas totales totalgeneral soma totais totalgeral totale subtotale somma totaal subtotaal ' +
      'summa yhteensä итого всего сумма всього общо razem łącznie celkem összesen toplam σ σύνολο 合计 总计 合計 합계',
    /** The same of one that is in between them. */
    counted: 'rows records entries results items lines visitors visits clicks conversions sales leads',
    mean: 'average averages avg mean median durchschnitt mittelwert moyenne promedio media média',
  },
} as const;

/**
 * The names of measures in reports. They are plural, because a `Click` or a `Visit` may be an ID. A separate table, because the
 * view of results needs no other.
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

/** @returns a check whether a name means the thing in the context, however it is written */
export function nameOf<Context extends keyof Vocabulary>(
  context: Context,
  thing: keyof Vocabulary[Context] & string,
): (name: string) => boolean {
  const names = new Set(namesOf(context, thing));
  return (name) => names.has(plainName(name));
}

/** The names of a thing in a context, in the order of the table, as `plainName` gives them. */
export function namesOf<Context extends keyof Vocabulary>(
  context: Context,
  thing: keyof Vocabulary[Context] & string,
): readonly string[] {
  return String(vocabulary[context][thing]).split(' ');
}

export function thingsOf<Context extends keyof Vocabulary>(
  context: Context,
): Readonly<Record<keyof Vocabulary[Context] & string, readonly string[]>> {
  const entries = Object.entries<string>(vocabulary[context]).map(([thing, names]) => [thing, names.split(' ')]);
  return Object.fromEntries(entries) as Record<keyof Vocabulary[Context] & string, readonly string[]>;
}

/**
 * The index of the column with the first of these names, by the order of the names; -1 if there is none. A column may name its
 * currency, or that it is a sum: `Cost (USD)`, `TotalCost`.
 */
export function indexNamed(columns: readonly string[], names: readonly string[]): number {
  const indexIn = (plain: readonly string[]) => names.map((name) => plain.indexOf(name)).find((index) => index >= 0);
  const bare = columns.map(bareName);
  const isBare = bare.every((name, index) => name === columns[index]);
  return indexIn(columns.map(plainName)) ?? (isBare ? undefined : indexIn(bare.map(plainName))) ?? -1;
}

/** A currency at the end of a name: `(USD)`, `[€]`, ` EUR`, ` in USD`, `_usd`. */
const currencyInName = /(?:(?:[ _]in)?[ _])?(?:[([]([A-Z]{3}|\p{Sc})[)\]]|(USD|EUR|GBP|\p{Sc})|(?<=_)(usd|eur|gbp))$/u;

/** The same before a name: `usd_revenue`, `EUR Cost`. */
const currencyBefore = /^(?:(usd|eur|gbp)_|(USD|EUR|GBP|\p{Sc})[ _]?)(?=\p{L})/u;

/** A word for a sum: `TotalRevenue`, `sum_of_cost`, `Cost total`. */
const sumInName = /^(?:[Tt]otal|[Ss]um)(?:(?:[ _]of)?[ _](?=\p{L})|(?=[A-Z]))|[ _][Tt]otal$/gu;

/** What a name of a column says, without the currency and the word for a sum in it. */
export const bareName = (column: string): string =>
  column.replace(currencyInName, '').replace(currencyBefore, '').replace(sumInName, '');

/** The sign or code at the end or the beginning of a name of a column; empty if it has none. */
export const currencyOfName = (column: string): string => {
  const [, ...ways] = currencyInName.exec(column) ?? currencyBefore.exec(column) ?? [];
  return ways.find(Boolean)?.toUpperCase() ?? '';
};

/** What a column of a result can be asked for, each by all of its names. Sentences say sales, where reports say conversions. */
const meanings = (): readonly (readonly string[])[] => [
  ...Object.values(thingsOf('dimension')),
  ...Object.values({ ...measureNames, conversions: `${measureNames.conversions} sales sale` }).map((names) =>
    names.split(' '),
  ),
];

/** All names of what a name means; undefined if it means nothing that a column is asked for by. */
const synonymsOf = /* @__PURE__ */ keptByName((name) => {
  const plain = plainName(name);
  return meanings().find((all) => all.includes(plain));
});

/** The index of the only column that means the same as a name: OfferSource for `network`, Cost for `spend`. */
export function onlyOfMeaning(columns: readonly string[], name: string): number | undefined {
  const names = synonymsOf(name);
  if (!names) return undefined;
  const found = [...columns.keys()].filter((index) => names.includes(plainName(columns[index] ?? '')));
  return found.length === 1 ? found[0] : undefined;
}

/** The first usable value among the fields with these names, by the order of the names. */
export function fieldNamed(
  fields: readonly NamedCell[],
  names: readonly string[],
  isUsable: (value: Cell) => boolean = (value) => value !== null,
): Cell {
  for (const name of names) {
    const field = fields.find(([fieldName, value]) => plainName(rawText(fieldName)) === name && isUsable(value));
    if (field) return field[1];
  }
  return null;
}

const ofVisits: (keyof Vocabulary['visit'])[] = ['clicks', 'conversions', 'cost', 'revenue'];

const summed = (): readonly string[] => [
  ...Object.values(measureNames).flatMap((names) => names.split(' ')),
  ...ofVisits.flatMap((thing) => namesOf('visit', thing)),
  'payout',
];

/** Whether a column of any table holds what totals are of. */
export const isSummed = /* @__PURE__ */ keptByName((name): boolean => summed().includes(plainName(name)));

/** Whether a column names its rows, in a report of pages or campaigns. Other texts of a row, such as a keyword, may be empty. */
export const namesRow = /* @__PURE__ */ keptByName((name): boolean =>
  [
    ...(['id', 'record', 'name', 'url'] as const).flatMap((thing) => namesOf('page_report', thing)),
    ...(['id', 'name'] as const).flatMap((thing) => [...namesOf('listed', thing), ...namesOf('listedSource', thing)]),
  ].includes(plainName(name)),
);

/** Whether a field of a lookup is a fact about the visitor. */
export const isVisitorFact = /* @__PURE__ */ keptByName((name): boolean =>
  Object.values(thingsOf('visitor')).flat().includes(plainName(name)),
);

const aroundReports = /performance|reports?|stats?|statistics|pages?|summary|tables?|data|lists?|rows/g;

/** The reports of the specification by their names, without the words around them. */
const reports: ReadonlyMap<string, string> = new Map([
  ['target', 'target'],
  ['targets', 'target'],
  ['ad', 'ad'],
  ['ads', 'ad'],
  ['landing', 'landing'],
  ['landings', 'landing'],
  ['lp', 'landing'],
  ['lps', 'landing'],
  ['thankyou', 'thankyou'],
  ['thankyous', 'thankyou'],
  ['offer', 'offer'],
  ['offers', 'offer'],
  ['campaign', 'campaign'],
  ['campaigns', 'campaign'],
]);

/** The report of the specification that a name means: `Offer performance` is `offer`. */
export const reportNamed = /* @__PURE__ */ keptByName((name): string | undefined => {
  const plain = plainName(name);
  return reports.get(plain) ?? reports.get(plain.replace(aroundReports, ''));
});

/** The arguments, and columns, with amounts of money: the cost of a visit, and the payout for a sale. */
export const moneyArguments = ['bid', 'payout'] as const;

export type MoneyArgument = (typeof moneyArguments)[number];

export function isMoneyArgument(name: string): name is MoneyArgument {
  return moneyArguments.some((argument) => argument === name);
}

/** The currency after the value of an argument; empty if the value is not an amount, or the currency is unknown. */
export function currencyAfter(argument: string, value: unknown, currency: string | undefined): string {
  const isAmount = typeof value === 'number' || (typeof value === 'string' && /^\s*-?[\d.]+\s*$/.test(value));
  return currency !== undefined && isMoneyArgument(argument) && isAmount ? ` ${currency}` : '';
}
