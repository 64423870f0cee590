import { moneyNote } from '../analysis/columns/formats.ts';
import { daysIn } from '../analysis/columns/times.ts';
import { campaignIn, lostZeros, withUsualZeros } from '../analysis/given-subids.ts';
import { readMeasuredPages, readPageRows } from '../analysis/page-rows.ts';
import { checkVisit, countOthers, type Evidence, laterPostback, sayLaterPostback } from '../analysis/visit-checks.ts';
import {
  conversionsOf,
  describeVisit,
  type Facts,
  isEmptyLookup,
  isUnknownLookup,
  readFacts,
  type Step,
  type StepName,
} from '../analysis/visit-story.ts';
import { WantedVisits } from '../analysis/wanted-visits.ts';
import type { Block } from '../answer/blocks.ts';
import { type Note, sayNotice, type Unworded } from '../answer/notes.ts';
import { sayCause } from '../answer/subid-notes.ts';
import { campaignTypeNamed, hasLevel } from '../api/campaign-types.ts';
import { endpointNamed } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import * as is from '../api/parameters.ts';
import type { Group, Table } from '../api/table.ts';
import {
  type Cell,
  fromOutside,
  mention,
  type NamedCell,
  rawCell,
  rawText,
  shown,
  shownNames,
} from '../api/text/tracker-text.ts';
import { fieldNamed, namesOf } from '../api/vocabulary.ts';
import { yesOrNo } from '../api/yes-no.ts';
import { isPlainRefusal } from '../client/errors.ts';
import { optional } from './asking.ts';
import { listCampaignsIfOffered } from './campaigns.ts';
import type { Answer, CallContext } from './define-tool.ts';
import type { diagnosisInput, diagnosisOutput } from './detail-tools.ts';
import { diagnoseMany, remarksOnUnknown } from './diagnose-many.ts';
import { clickIdOf } from './find-visits.ts';
import type { FromSchema } from './json-schema.ts';
import { shiftDays, today } from './period.ts';
import { strangersText } from './present/cells.ts';
import { otherVisitorNote } from './present/lookup.ts';

const maxConversions = 20;

type Diagnosis = FromSchema<typeof diagnosisOutput>;

const unnamedZone = 'the tracker’s own (the tracker does not name it)';

const maxZoneLength = 100;

/** Tells what happened to a visitor, or to several. */
export async function run(
  { subid, subids }: Readonly<FromSchema<typeof diagnosisInput>>,
  context: CallContext,
): Promise<Answer> {
  if (subid !== undefined && subids === undefined) return diagnose(subid, context);
  if (subids !== undefined && subid === undefined) return diagnoseMany(subids, context);
  throw new Failure('diagnose_subid was not called: give either subid or subids.');
}

async function diagnose(given: string, context: CallContext): Promise<Answer> {
  const { signal } = context;
  const { subid, groups, remarks } = await findVisitor(given, context);
  const facts = readFacts(groups);
  const range = searchedDays(facts.arrivedAt, context);
  const campaign = idIn(facts.campaignId) ?? campaignIn(subid) ?? '0';
  const question = { campaign_id: Number(campaign), start_date: range.start, end_date: range.end };
  const reply = await optional(
    async () => (await context.client.read('list_conversions', question, { signal })).reply,
    context,
  );
  const lists = reply?.tables;
  const conversions = lists?.flatMap((table) => conversionsOf(table, subid));
  const levels = facts.clickedAt !== null && facts.offer !== null ? await readLevels(campaign, facts, context) : 'one';
  const { steps, missing, causes: usual } = describeVisit(groups, conversions, levels !== 'one');
  const evidence = await readEvidence(missing, campaign, facts, context);
  const others = lists?.map((table) => countOthers(table, subid, facts.offer))[0];
  const findings = checkVisit(missing, usual, facts, { ...evidence, others });
  const postback = laterPostback(facts, conversions ?? []);
  const checked = [
    ...(levels === 'one'
      ? []
      : [
          `The campaign ${levels === 'several' ? 'has' : 'may have'} several levels: the click is on the first one; when the offer was reached is not recorded.`,
        ]),
    ...findings.facts,
    ...(postback ? [sayLaterPostback(postback)] : []),
  ];
  const visitor = describeVisitor(facts, steps, shownOr);
  const visitorInWords = describeVisitor(facts, steps, mentionOr);
  const sales = (conversions ?? []).map(filledFields);
  const widest = Math.max(0, ...sales.map((fields) => fields.length));
  const ofOther = otherVisitorNote(groups, subid);
  return {
    parts: [
      { count: Math.min(maxConversions, sales.length), min: Math.min(1, sales.length) },
      { count: widest, min: 0 },
    ],
    render: ([count = 0, width = 0]) => {
      const structured: Unworded<Diagnosis> = {
        query: { subid },
        time_zone: facts.timeZone === null ? unnamedZone : shown(facts.timeZone, maxZoneLength),
        visitor,
        steps: steps.map((step) => ({ ...step })),
        facts: checked,
        ...(postback ? { later_postback: { ...postback } } : {}),
        explanations: findings.causes.map(sayCause),
        conversions: sales.slice(0, count).map((fields) => Object.fromEntries(fields.slice(0, width))),
        searched: `${reply ? '' : 'nothing, because the list could not be read: '}conversions of campaign ${campaign}, ${range.start} to ${range.end}`,
        notices: [
          ...lostZeros(given, subid),
          ...remarks,
          ...ofOther,
          ...(reply?.notices ?? []),
          ...moneyNote(
            sales.flat().map(([name]) => name),
            context.currency,
          ),
          ...(count < sales.length ? [{ code: 'more-conversions', count: sales.length - count } as const] : []),
          ...(width < widest ? [{ code: 'more-conversion-fields', shown: width } as const] : []),
          strangersText,
        ],
      };
      return { structured, blocks: [...ofOther, ...blocksOf(structured, visitorInWords)] };
    },
  };
}

/** Networks report most conversions within weeks; a longer list costs the tracker more than it shows. */
const conversionDays = 60;

/** How many days back conversions are searched if the lookup has no date. */
const unknownDays = 30;

/** From the day of the visit to the last likely day of a conversion, or to today. */
function searchedDays(arrivedAt: Cell, { now, timeZone }: CallContext): { start: string; end: string } {
  // The tracker's day may be one after ours.
  const last = shiftDays(today(timeZone, now()), 1);
  const days = daysIn(rawCell(arrivedAt) ?? '');
  const past = days.filter((day) => day <= last);
  const [start, arrived = start] = past.length > 0 ? past : days;
  if (!start || !arrived) return { start: shiftDays(last, -unknownDays), end: last };
  const latest = shiftDays(arrived, conversionDays);
  // Days as YYYY-MM-DD sort by date; the range ends now at the latest, and never before its start.
  const [end = last] = [latest, last].sort();
  return { start, end: [start, end].sort()[1] ?? start };
}

/** Reads what may explain the missing step, with at most one request. Leaves out what cannot be read. */
async function readEvidence(
  missing: StepName | undefined,
  campaignId: string,
  visit: Facts,
  context: CallContext,
): Promise<Pick<Evidence, 'passesSubid' | 'offers'>> {
  const day = dayOf(visit);
  const asksOffers =
    missing === 'reached_offer' && campaignId !== '0' && context.guard.offers(endpointNamed('get_stats'));
  const passes =
    missing === 'converted' ? await readField(campaignId, namesOf('option', 'pass_subid_to_offer'), context) : null;
  return {
    offers: asksOffers && day ? await optional(() => readOffers(campaignId, day, context), context) : undefined,
    passesSubid: passes === null ? undefined : yesOrNo(passes) === true,
  };
}

/** The day of a visit, YYYY-MM-DD, if its time means only one. */
function dayOf({ arrivedAt }: Facts): string | undefined {
  const [day, ...others] = daysIn(rawCell(arrivedAt) ?? '');
  return others.length === 0 ? day : undefined;
}

/** How many levels of landing pages a campaign had on the day of a visit; `one` if its type is unknown. */
async function readLevels(
  campaignId: string,
  visit: Facts,
  context: CallContext,
): Promise<'one' | 'several' | 'unknown'> {
  const type = await readField(campaignId, namesOf('listed', 'type'), context);
  const campaignType = type === null ? undefined : campaignTypeNamed(rawText(type));
  if (campaignType === undefined || !hasLevel(campaignType, 'landing')) return 'one';
  const day = dayOf(visit);
  const isReadable = day !== undefined && context.guard.offers(endpointNamed('get_stats'));
  const report = isReadable
    ? await optional(() => readReport(campaignId, 'landing', day, context), context)
    : undefined;
  const levels = report ? readMeasuredPages(report, 'landing').map(({ level }) => level) : [];
  if (levels.some((level) => level !== null && level > 1)) return 'several';
  return levels.length > 0 && !levels.includes(null) ? 'one' : 'unknown';
}

/** A field of a campaign in the list of campaigns; null if it is missing or cannot be read. */
async function readField(campaignId: string, names: readonly string[], context: CallContext): Promise<Cell> {
  const listed = campaignId === '0' ? undefined : await listCampaignsIfOffered(context);
  return fieldNamed(listed?.find(({ id }) => rawText(id) === campaignId)?.fields ?? [], names);
}

async function readOffers(campaignId: string, day: string, context: CallContext): Promise<Evidence['offers']> {
  const table = await readReport(campaignId, 'offer', day, context);
  return table && table.rowCount > 0 ? readPageRows(table).rows : undefined;
}

async function readReport(
  campaignId: string,
  kind: 'landing' | 'offer',
  day: string,
  { client, signal }: CallContext,
): Promise<Table | undefined> {
  const question = { campaign_id: Number(campaignId), reports: [kind], start_date: day, end_date: day };
  return (await client.read('get_stats', question, { signal })).reply.tables[0];
}

/** Shown for what the tracker did not record. */
const unrecorded = 'unrecorded';

/** The visitor, their device and path, and the last page that is known. */
function describeVisitor(facts: Facts, steps: readonly Step[], show: typeof shownOr): Record<string, string> {
  const { campaign, trafficSource, device, os, browser, country, path, landingPage, offer } = facts;
  const hasLeft = offer === null && steps.some(({ step, happened }) => step === 'clicked' && happened === 'yes');
  const lastPage = hasLeft
    ? `${unrecorded} after ${mentionOr(landingPage, 'the landing page')}: thank-you pages and later levels are in the thankyou and landing reports of get_stats`
    : show(offer ?? landingPage, unrecorded);
  const who = { campaign, traffic_source: trafficSource, device, os, browser, country, path };
  const visit = { ...who, landing_page: landingPage, offer };
  const shownFields = Object.entries(visit).map(([name, value]) => [name, show(value, unrecorded)] as const);
  return { ...Object.fromEntries(shownFields), last_page: lastPage };
}

function shownOr(cell: Cell, instead: string): string {
  return (cell === null ? '' : shown(cell)) || instead;
}

function mentionOr(cell: Cell, instead: string): string {
  return cell === null || shown(cell) === '' ? instead : mention(cell);
}

function inWords(value: string): string {
  return mention(fromOutside(value));
}

/**
 * Looks a subID up, and again with the zeros that a spreadsheet dropped if it is not found.
 * @throws Failure if the tracker does not know the visitor, with what it knows instead and the usual reasons
 */
async function findVisitor(given: string, context: CallContext): Promise<Visitor> {
  try {
    const groups = await lookUp(given, context);
    if (isUnknownLookup(groups))
      throw new Failure(
        'What the tracker knows of this visitor is in no field that is known.',
        'lookup_subid shows it as it came.',
      );
    return { subid: given, groups, remarks: isEmptyLookup(groups) ? (await findNearby(given, context)).remarks : [] };
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    const padded = withUsualZeros(given);
    const groups = padded === undefined ? undefined : await optional(() => lookUp(padded, context), context);
    if (padded !== undefined && groups !== undefined) return { subid: padded, groups, remarks: [] };
    if (!isPlainRefusal(failure)) throw failure;
    const { found, remarks } = await findNearby(given, context);
    if (found) return found;
    const { causes } = describeVisit([], []);
    throw new Failure(
      failure.message,
      [...remarks.map(sayNotice), `Usual reasons: ${causes.map(sayCause).join(' ')}`].join(' '),
    );
  }
}

interface Visitor {
  readonly subid: string;
  readonly groups: readonly Group[];
  /** What the tracker knows instead, if it does not know the visitor. */
  readonly remarks: readonly Note[];
}

async function lookUp(subid: string, { client, signal }: CallContext): Promise<readonly Group[]> {
  return (await client.read('lookup_subid', { subid }, { signal })).reply.groups;
}

/** Looks for the ClickID alone of an unknown subID, and for its campaign. */
async function findNearby(
  given: string,
  context: CallContext,
): Promise<{ readonly found: Visitor | undefined; readonly remarks: readonly Note[] }> {
  const visits = new WantedVisits([{ subid: given, isPart: false }]);
  const [wanted] = visits.all;
  const clickId = clickIdOf(given);
  const [groups, campaigns] = await Promise.all([
    clickId === given ? undefined : optional(() => lookUp(clickId, context), context),
    listCampaignsIfOffered(context),
  ]);
  if (wanted && groups) visits.takeLookup(wanted, groups, clickId);
  const { own, visit } = wanted ?? {};
  const remarks = wanted ? remarksOnUnknown(wanted, campaigns) : [];
  return { found: own !== undefined && visit ? { subid: own, groups: visit, remarks: [] } : undefined, remarks };
}

/** The next request needs an ID, whatever the tracker wrote. */
function idIn(cell: Cell): string | undefined {
  return cell !== null && /^[1-9]\d{0,14}$/.test(rawText(cell)) ? rawText(cell) : undefined;
}

function filledFields(conversion: readonly NamedCell[]): (readonly [name: string, value: string])[] {
  const names = shownNames(conversion.map(([name]) => name));
  return conversion.flatMap(([, value], index) => {
    const text = value === null ? '' : shown(value);
    return text === '' ? [] : [[names[index] ?? '', text] as const];
  });
}

function blocksOf(
  { query, time_zone, facts, steps, explanations, conversions, searched }: Unworded<Diagnosis>,
  visitor: Readonly<Record<string, string>>,
): Block[] {
  const happenings = steps.map(({ step, happened, at, detail }) => {
    const isName = step === 'arrived' || step === 'reached_offer';
    const about = [at && inWords(at), detail && isName ? inWords(detail) : detail].filter(Boolean);
    return `${step.replace('_', ' ')}: ${happened}${about.length === 0 ? '' : ` (${about.join(', ')})`}`;
  });
  const sales = conversions.map(
    (row) =>
      `conversion: ${Object.entries(row)
        .map(([name, value]) => `${inWords(name)} ${inWords(value ?? '')}`)
        .join(', ')}`,
  );
  return [
    {
      is: 'heading',
      text: `${query['subid']}, times in ${time_zone === unnamedZone || is.isTimeZone(time_zone) ? time_zone : inWords(time_zone)}`,
    },
    Object.entries(visitor)
      .map(([name, value]) => `${name.replace('_', ' ')}: ${value}`)
      .join('; '),
    ...happenings,
    ...sales,
    `searched: ${searched}`,
    ...facts.map((fact) => `known: ${fact}`),
    ...explanations,
  ];
}
