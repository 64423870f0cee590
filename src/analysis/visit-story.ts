import type { Group, Table } from '../api/table.ts';
import {
  type Cell,
  mention,
  type NamedCell,
  quoted,
  rawText,
  shown,
  type TrackerText,
} from '../api/text/tracker-text.ts';
import { fieldNamed, nameOf, thingsOf } from '../api/vocabulary.ts';
import { yesOrNo } from '../api/yes-no.ts';
import { numberIn } from './columns/columns.ts';

export type StepName = 'arrived' | 'clicked' | 'subscribed' | 'reached_offer' | 'converted';

export interface Step {
  readonly step: StepName;
  /** `unknown` if the tracker says nothing about it. */
  readonly happened: 'yes' | 'no' | 'unknown';
  readonly at: string | null;
  /** What it was: the landing page, the offer, the revenue. */
  readonly detail: string | null;
}

export interface VisitStory {
  readonly steps: readonly Step[];
  /** The first step that did not happen, behind the last that did. */
  readonly missing: StepName | undefined;
  /** What usually explains it: guesses, which say "Perhaps", and signs. */
  readonly explanations: readonly string[];
}

const fieldNames = thingsOf('visitor');
const isVisitorName = nameOf('visitor', 'visitor');

type FieldName = keyof typeof fieldNames;

const usualReasons: Readonly<Record<StepName, readonly string[]>> = {
  arrived: [
    'Perhaps the subID is of another tracker or account, was cut off or mistyped, or is older than what the tracker keeps.',
  ],
  clicked: [
    'Perhaps the visitor left the landing page without clicking, as most do.',
    'Perhaps its call to action does not lead through the tracker: compare the CTR of the landing pages with get_stats.',
  ],
  subscribed: [],
  reached_offer: [
    'Perhaps the visitor left at a later one, if the campaign has several levels or a form ahead of the offer.',
    'Perhaps no offer of the visitor’s path or option group was active with a share above 0 at that moment: see the offer report of get_stats.',
  ],
  converted: [
    'Perhaps the visitor did not buy, which is the usual case; or the network has not reported it yet, which can take days.',
    'Perhaps the network’s postback does not reach the tracker, or not with this subID: check the postback URL, and that pass_subid_to_offer is on (edit_campaign).',
  ],
};

/**
 * What happened to one visitor, in order.
 * @param conversions the visitor's rows of the conversion list; undefined if it could not be read
 * @param hasLevels whether there are several landing pages in a row: the click is that of the first
 */
export function tellVisit(
  groups: readonly Group[],
  conversions: readonly (readonly NamedCell[])[] | undefined,
  hasLevels = false,
): VisitStory {
  const facts = readFacts(groups);
  const [conversion] = conversions ?? [];
  const reported = conversion ?? [];
  const revenue = conversion ? revenueOf(conversion) : facts.revenue;
  const convertedAt = facts.convertedAt ?? findField(reported, 'convertedAt') ?? findField(reported, 'arrivedAt');
  const hasConverted =
    conversion !== undefined ||
    isYes(facts.convertedAt) ||
    isYes(facts.converted) ||
    (numberIn(facts.revenue) ?? 0) > 0;
  const hasOffer = isYes(facts.offer) || hasConverted;
  const isSaid = (...names: FieldName[]) => names.some((name) => isNamed(groups, name));
  const clicked = clickOf(facts, hasOffer, isSaid);
  const isDirect = hasOffer && clicked !== 'yes';
  const steps: Step[] = [
    {
      step: 'arrived',
      happened: hasConverted || !isEmptyLookup(groups) ? 'yes' : 'no',
      at: shownCell(facts.arrivedAt),
      detail: shownCell(facts.landingPage),
    },
    {
      step: 'clicked',
      happened: clicked,
      at: shownCell(facts.clickedAt),
      detail: isDirect && facts.landingPage === null ? 'no landing page is recorded: straight to the offer' : null,
    },
    ...(isYes(facts.subscribed) || isYes(facts.subscribedAt)
      ? [{ step: 'subscribed', happened: 'yes', at: shownCell(facts.subscribedAt), detail: null } as const]
      : []),
    {
      step: 'reached_offer',
      happened: verdict(hasOffer, isSaid('offer')),
      at: hasOffer && (isDirect || !hasLevels) ? shownCell(isDirect ? facts.arrivedAt : facts.clickedAt) : null,
      detail: shownCell(facts.offer),
    },
    {
      step: 'converted',
      // If the conversion list was read too, its silence is an answer.
      happened: verdict(hasConverted, conversions !== undefined || isSaid('converted', 'convertedAt')),
      at: hasConverted ? shownCell(convertedAt) : null,
      detail: hasConverted && revenue !== null ? `revenue ${mention(revenue)}` : null,
    },
  ];
  // What a later step shows to be passed over is not what is missing.
  const last = steps.findLastIndex(({ happened }) => happened === 'yes');
  const missing = steps.slice(last + 1).find(({ happened }) => happened === 'no');
  const reasons = missing ? usualReasons[missing.step] : [];
  return {
    steps,
    missing: missing?.step,
    explanations: hasConverted ? reasons : [...signsOfRobot(facts), ...reasons],
  };
}

/** An offer behind a landing page was reached by a click; one without a landing page shows no click. */
function clickOf(
  facts: Readonly<Record<FieldName, Cell>>,
  hasOffer: boolean,
  isSaid: (...names: FieldName[]) => boolean,
): Step['happened'] {
  if (isYes(facts.clickedAt) || isYes(facts.clicked)) return 'yes';
  if (facts.clicked !== null) return 'no';
  if (!hasOffer) return isSaid('clicked', 'clickedAt', 'offer') ? 'no' : 'unknown';
  if (facts.landingPage !== null) return 'yes';
  return isSaid('landingPage') ? 'no' : 'unknown';
}

function isYes(value: Cell): boolean {
  return value !== null && yesOrNo(value) !== false;
}

const robotAgent =
  /headless|phantom|puppeteer|playwright|selenium|bot\b|crawl|spider|python|curl|wget|scrapy|httpclient/i;

/** What makes a visitor look like a program; a robot does not convert. */
function signsOfRobot(facts: Readonly<Record<FieldName, Cell>>): string[] {
  const agent = facts.userAgent !== null && robotAgent.test(rawText(facts.userAgent));
  const [arrived, clicked] = [facts.arrivedAt, facts.clickedAt].map((moment) =>
    moment === null || moment === undefined ? Number.NaN : Date.parse(rawText(moment)),
  );
  // Without a landing page there is nothing to read before the click.
  const isInstant = facts.landingPage !== null && Math.abs(Number(clicked) - Number(arrived)) <= 1000;
  const signs = [
    ...(agent && facts.userAgent !== null ? [`the user agent is ${quoted(facts.userAgent, 120)}`] : []),
    ...(isInstant ? ['the click came within a second of arriving'] : []),
  ];
  const isp = facts.isp === null ? '' : ` (ISP ${quoted(facts.isp, 60)})`;
  return signs.length === 0 ? [] : [`The visitor looks like a robot: ${signs.join(', and ')}${isp}.`];
}

/** What trackers write if there is nothing: MySQL's zero date, the day that Unix time begins in any zone, and words. */
const placeholder = /^(?:0000-00-00|1969-12-31|1970-01-01)(?!\d).*$|^(?:-+|–|—|null|none|nil|undefined|n\/a)$/i;

function isNothing(value: Cell): boolean {
  const text = value === null ? '' : rawText(value).trim();
  return text === '' || placeholder.test(text);
}

/** Whether a lookup says nothing at all, as trackers answer that do not know the visitor. */
export function isEmptyLookup(groups: readonly Group[]): boolean {
  return groups.every(({ fields }) => fields.every(([, value]) => isNothing(value)));
}

/** The visitor that a lookup names, if it is not the one asked for. */
export function otherVisitor(groups: readonly Group[], subid: string): TrackerText | undefined {
  const { visitor } = readFacts(groups);
  return visitor === null || isSameVisitor(visitor, subid) ? undefined : visitor;
}

function shownCell(cell: Cell): string | null {
  return cell === null ? null : shown(cell) || null;
}

function verdict(happened: boolean, isSaid: boolean): Step['happened'] {
  if (happened) return 'yes';
  return isSaid ? 'no' : 'unknown';
}

/** What a lookup says about the visit, by what it means. */
export function readFacts(groups: readonly Group[]): Readonly<Record<FieldName, Cell>> {
  const fields = groups.flatMap((group) => group.fields);
  const names = Object.keys(fieldNames) as FieldName[];
  return Object.fromEntries(names.map((name) => [name, findField(fields, name)])) as Record<FieldName, Cell>;
}

/** What a conversion paid, as its row says. */
export function revenueOf(conversion: readonly NamedCell[]): Cell {
  return findField(conversion, 'revenue');
}

/** The rows of a conversion list that belong to a visitor, given by subID or by click ID. */
export function conversionsOf(table: Table, subid: string): (readonly NamedCell[])[] {
  const ids = [...table.columns.keys()].filter((index) => isVisitorName(rawText(table.columns[index] as TrackerText)));
  const rows = Array.from({ length: table.rowCount }, (_, row) => row);
  return rows
    .filter((row) => ids.some((id) => isSameVisitor(table.text(row, id), subid)))
    .map((row) => table.fields(row));
}

/** The last group of a subID is the click ID, which may be written with zeros ahead; two whole subIDs are equal or not. */
export function isSameVisitor(cell: Cell, subid: string): boolean {
  if (cell === null) return false;
  const visitor = rawText(cell);
  if (visitor.includes('_') && subid.includes('_')) return visitor === subid;
  return clickNumberOf(visitor) === clickNumberOf(subid);
}

/** The ClickID of a SubID or ClickID without the zeros ahead of it. */
export function clickNumberOf(subid: string): string {
  return (subid.split('_').at(-1) ?? '').replace(/^0+(?=.)/, '');
}

function findField(fields: readonly NamedCell[], wanted: FieldName): Cell {
  return fieldNamed(fields, fieldNames[wanted], (value) => !isNothing(value));
}

function isNamed(groups: readonly Group[], wanted: FieldName): boolean {
  const isWanted = nameOf('visitor', wanted);
  return groups.some((group) => group.fields.some(([field]) => isWanted(rawText(field))));
}
