import type { Guess, VisitCause } from '../answer/subid-notes.ts';
import { minuteMs } from '../api/durations.ts';
import { robotAgent } from '../api/robot-agent.ts';
import type { Group, Table } from '../api/table.ts';
import {
  type Cell,
  fromOutside,
  mention,
  type NamedCell,
  rawCell,
  rawText,
  shown,
  type TrackerText,
} from '../api/text/tracker-text.ts';
import { fieldNamed, nameOf, thingsOf } from '../api/vocabulary.ts';
import { yesOrNo } from '../api/yes-no.ts';
import { isBlank, numberIn, plainAmount, plainFields } from './columns/columns.ts';
import { notationOfGroups } from './columns/notation.ts';
import { momentsIn } from './columns/times.ts';
import { heldStatus } from './sale-status.ts';

export type StepName = 'arrived' | 'clicked' | 'subscribed' | 'reached_offer' | 'converted';

export interface Step {
  readonly step: StepName;
  /** `unknown` if the tracker has no field for it. */
  readonly happened: 'yes' | 'no' | 'unknown';
  readonly at: string | null;
  /** The landing page, the offer or the revenue. */
  readonly detail: string | null;
}

export interface VisitStory {
  readonly steps: readonly Step[];
  /** The first step that did not happen, after the last that did. */
  readonly missing: StepName | undefined;
  /** Signs of a robot, and the usual causes: guesses. */
  readonly causes: readonly VisitCause[];
}

const fieldNames = thingsOf('visitor');
const isVisitorName = nameOf('visitor', 'visitor');

type FieldName = keyof typeof fieldNames;

/** The fields of a lookup by their meaning. */
export type Facts = Readonly<Record<FieldName, Cell>>;

const usualCauses: Readonly<Record<StepName, readonly Guess[]>> = {
  arrived: ['other-account'],
  clicked: ['left-landing-page', 'untracked-link'],
  subscribed: [],
  reached_offer: ['left-later-page', 'no-active-offer'],
  converted: ['did-not-buy', 'lost-postback'],
};

/**
 * What happened to one visitor, in order.
 * @param conversions the visitor's rows of the conversion list; undefined if it could not be read
 * @param hasLevels whether there are several landing pages in a row: then the click is on the first
 */
export function describeVisit(
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
  const hasField = (...names: FieldName[]) => names.some((name) => isNamed(groups, name));
  const clicked = clickOf(facts, hasOffer, hasField);
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
      happened: answerFor(hasOffer, hasField('offer')),
      at: hasOffer && (isDirect || !hasLevels) ? shownCell(isDirect ? facts.arrivedAt : facts.clickedAt) : null,
      detail: shownCell(facts.offer),
    },
    {
      step: 'converted',
      // If the conversion list was read and has no row, the answer is no.
      happened: answerFor(hasConverted, conversions !== undefined || hasField('converted', 'convertedAt')),
      at: hasConverted ? shownCell(convertedAt) : null,
      detail: hasConverted ? paidFor(revenue, heldStatus(conversion ?? groups.flatMap(({ fields }) => fields))) : null,
    },
  ];
  // A step before one that happened was skipped and is not missing.
  const last = steps.findLastIndex(({ happened }) => happened === 'yes');
  const missing = steps.slice(last + 1).find(({ happened }) => happened === 'no');
  const usual = missing ? usualCauses[missing.step].map((id) => ({ id })) : [];
  return {
    steps,
    missing: missing?.step,
    causes: hasConverted ? usual : [...signsOfRobot(facts), ...usual],
  };
}

function paidFor(revenue: Cell, status: string | undefined): string | null {
  const parts = [
    ...(revenue === null ? [] : [`revenue ${mention(revenue)}`]),
    ...(status === undefined ? [] : [`status ${mention(fromOutside(status))}`]),
  ];
  return parts.join(', ') || null;
}

/** An offer after a landing page was reached by a click; an offer without a landing page proves no click. */
function clickOf(facts: Facts, hasOffer: boolean, hasField: (...names: FieldName[]) => boolean): Step['happened'] {
  if (isYes(facts.clickedAt) || isYes(facts.clicked)) return 'yes';
  if (facts.clicked !== null) return 'no';
  if (!hasOffer) return hasField('clicked', 'clickedAt', 'offer') ? 'no' : 'unknown';
  if (facts.landingPage !== null) return 'yes';
  return hasField('landingPage') ? 'no' : 'unknown';
}

function isYes(value: Cell): boolean {
  return value !== null && yesOrNo(value) !== false;
}

/** Signs that a visitor is a robot, which never converts. */
function signsOfRobot(facts: Facts): VisitCause[] {
  const agent = facts.userAgent === null ? '' : rawText(facts.userAgent);
  const isRobotAgent = robotAgent.test(agent);
  const word = agent.split(' ').find((one) => robotAgent.test(one)) ?? null;
  const moments = momentsIn([facts.arrivedAt, facts.clickedAt].map((moment) => rawCell(moment) ?? ''));
  const [arrived = Number.NaN, clicked = Number.NaN] = moments;
  // Whole minutes may be all that the tracker shows.
  const hasSeconds = moments.some((moment = 0) => moment % minuteMs !== 0);
  // Without a landing page there is nothing to read before the click.
  const isInstant = facts.landingPage !== null && hasSeconds && Math.abs(clicked - arrived) <= 1000;
  if (!isRobotAgent && !isInstant) return [];
  return [{ id: 'robot', agent: isRobotAgent ? facts.userAgent : null, word, isInstant, isp: facts.isp }];
}

/** Whether a lookup is empty, which is how some trackers answer about unknown visitors. */
export function isEmptyLookup(groups: readonly Group[]): boolean {
  return groups.every(({ fields }) => fields.every(([, value]) => isBlank(value)));
}

/** Whether a lookup has values, and none in a field that is known: nothing can be told from it. */
export const isUnknownLookup = (groups: readonly Group[]): boolean =>
  !isEmptyLookup(groups) && Object.values(readFacts(groups)).every((value) => value === null);

/** The visitor that a lookup returned, if it is not the one asked for. */
export function otherVisitor(groups: readonly Group[], subid: string): TrackerText | undefined {
  const { visitor } = readFacts(groups);
  return visitor === null || isSameVisitor(visitor, subid) ? undefined : visitor;
}

function shownCell(cell: Cell): string | null {
  return cell === null ? null : shown(cell) || null;
}

function answerFor(happened: boolean, hasField: boolean): Step['happened'] {
  if (happened) return 'yes';
  return hasField ? 'no' : 'unknown';
}

/** Reads the fields of a lookup by their meaning. Its revenue has a decimal point, as far as it can be read. */
export function readFacts(groups: readonly Group[]): Facts {
  const fields = groups.flatMap((group) => group.fields);
  const names = Object.keys(fieldNames) as FieldName[];
  const facts = Object.fromEntries(names.map((name) => [name, findField(fields, name)])) as Facts;
  return { ...facts, revenue: plainAmount('revenue', facts.revenue, notationOfGroups(groups)) };
}

export function revenueOf(conversion: readonly NamedCell[]): Cell {
  return findField(conversion, 'revenue');
}

/** A visitor's rows in a conversion list, by subID or ClickID. */
export function conversionsOf(table: Table, subid: string): (readonly NamedCell[])[] {
  const ids = [...table.columns.keys()].filter((index) => isVisitorName(rawText(table.columns[index] as TrackerText)));
  const rows = Array.from({ length: table.rowCount }, (_, row) => row);
  return rows
    .filter((row) => ids.some((id) => isSameVisitor(table.text(row, id), subid)))
    .map((row) => plainFields(table, row));
}

/** Compares whole subIDs exactly, and otherwise ClickIDs, which may have leading zeros. */
export function isSameVisitor(cell: Cell, subid: string): boolean {
  if (cell === null) return false;
  const visitor = rawText(cell).trim();
  if (visitor.includes('_') && subid.includes('_')) return visitor === subid;
  return clickNumberOf(visitor) === clickNumberOf(subid);
}

/** The ClickID of a SubID or ClickID, without leading zeros. */
export function clickNumberOf(subid: string): string {
  return (subid.split('_').at(-1) ?? '').replace(/^0+(?=.)/, '');
}

function findField(fields: readonly NamedCell[], wanted: FieldName): Cell {
  return fieldNamed(fields, fieldNames[wanted], (value) => !isBlank(value));
}

function isNamed(groups: readonly Group[], wanted: FieldName): boolean {
  const isWanted = nameOf('visitor', wanted);
  return groups.some((group) => group.fields.some(([field]) => isWanted(rawText(field))));
}
