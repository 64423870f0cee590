import { dimensionNamed, readerOf, VisitGroups } from '../../analysis/visit-groups.ts';
import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { rawCell, rawText } from '../../api/text/tracker-text.ts';
import { keptForMs } from '../../client/answer-cache.ts';
import { askMany, type Outcome, optional } from '../asking.ts';
import { type ListedCampaign, listCampaigns, nameCampaigns } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { shiftDays } from '../period.ts';
import { labelsByCampaign, slotLabelled, type TokenLabels } from '../tokens.ts';
import {
  addVisits,
  answers,
  type Breakdown,
  type Cut,
  cutBy,
  gapsOf,
  headingOf,
  needsSales,
  present,
  readSales,
  type Sales,
  salesNotices,
  useOf,
} from './break-down-visits.ts';
import { type CampaignText, campaignFinder, readCampaigns } from './campaign-of-row.ts';
import {
  askForVisits,
  type ListLimits,
  newLimits,
  readVisitsInSlices,
  rowsOf,
  type Span,
  type VisitsRead,
  wholeList,
} from './read-visits.ts';

interface Question {
  readonly asked: readonly string[];
  readonly span: Span;
  readonly campaigns: readonly ListedCampaign[];
  readonly labels: ReadonlyMap<ListedCampaign, TokenLabels>;
  readonly sales: Sales | undefined;
}

/**
 * The visits of all campaigns, cut: from the account-wide visitor list if the tracker has one and a day fits into it, else
 * campaign by campaign.
 * @throws Failure if nothing can be read, or the lists do not carry what they are to be cut by
 */
export async function byAccount(asked: readonly string[], span: Span, context: CallContext): Promise<Breakdown> {
  const deadline = performance.now() + context.client.timeoutMs;
  const limits = newLimits(context);
  const [list, sales, campaigns = []] = await Promise.all([
    readAccountList(span, limits, context),
    needsSales(asked) ? readSales(0, span, context) : undefined,
    optional(() => listCampaigns(context.client, context.signal), context),
  ]);
  const hasToken = asked.some((name) => dimensionNamed(name) === undefined);
  const labels = hasToken ? await labelsByCampaign(campaigns, context) : new Map();
  const question: Question = { asked, span, campaigns, labels, sales };
  const groups = new VisitGroups();
  const doubt = await doubtOf(list, question, limits, context);
  const isCut = list.read.cutDays.length > 0;
  const gaps = [...list.read.cutDays, ...list.read.unreadDays].sort();
  const open = doubt === undefined || !isCut ? span : { start: gaps[0] ?? span.start, end: gaps.at(-1) ?? span.end };
  const cuts = cutsOf(question, campaignsIn(campaigns));
  const isKept = ({ days }: DatedList) =>
    doubt === undefined || (isCut && (days.end < open.start || days.start > open.end));
  for (const { table } of list.tables.filter(isKept)) addVisits(groups, table, cuts, sales, tokensIn(labels));
  const rest =
    doubt === undefined
      ? [accountNotice(groups.counted, list.read)]
      : await byCampaign(groups, list, doubt, open, question, limits, deadline, context);
  return present(groups, cuts, new Map(), [...rest, ...salesNotices(sales), ...tokenNotices(groups, question)]);
}

interface DatedList {
  readonly table: Table;
  readonly days: Span;
}

interface AccountList {
  readonly tables: readonly DatedList[];
  readonly read: VisitsRead;
  readonly failure?: Failure;
}

/** After so many days that are cut off, those that were seen show which campaigns have traffic. */
const maxCutDays = 12;

async function readAccountList(span: Span, limits: ListLimits, context: CallContext): Promise<AccountList> {
  const tables: DatedList[] = [];
  const options = { ...wholeList, maxCutDays, proves: true, limits, quick: true };
  try {
    const take = (table: Table, days: Span) => tables.push({ table, days });
    return { tables, read: await readVisitsInSlices('0', span, undefined, context, take, options) };
  } catch (failure) {
    if (!(failure instanceof Failure) || context.signal?.aborted) throw failure;
    return { tables: [], read: { requests: 0, cutDays: [], unreadDays: [], stoppedBy: undefined }, failure };
  }
}

interface Doubt {
  /** To be read behind "the list of all campaigns". */
  readonly why: string;
  /** Whether it is of all campaigns, as far as it goes. */
  readonly isAll: boolean;
}

/** Why the list of all campaigns does not do; undefined if it does. */
async function doubtOf(
  { tables, read, failure }: AccountList,
  { asked, campaigns, span }: Question,
  limits: ListLimits,
  context: CallContext,
): Promise<Doubt | undefined> {
  if (failure) return { why: `could not be read (${failure.message})`, isAll: false };
  const lists = tables.map(({ table }) => table).filter(({ rowCount }) => rowCount > 0);
  if (!lists.every(readCampaigns)) return { why: 'names no campaigns', isAll: false };
  const seen = namesIn(lists);
  if (seen.size < 2 && campaigns.length !== 1) {
    // A tracker may take "all" for one campaign, or for none: earlier days show whether it does.
    const before = { start: shiftDays(span.start, -30), end: shiftDays(span.start, -1) };
    const ask = () => askForVisits('0', before, context, { columnSet: 'all', maxRecords: 1000, quick: true });
    if (namesIn((await optional(ask, context)) ?? []).size < 2)
      return { why: seen.size === 0 ? 'is empty' : 'has one campaign alone in it', isAll: false };
  }
  const isShared = sharedNames(campaigns);
  const isUnclear = ({ id, name }: CampaignText) => id === null && name !== null && isShared.has(name);
  const needsCampaign = asked.some((name) => ofCampaigns.has(dimensionNamed(name)));
  if (needsCampaign && lists.some((table) => [...campaignTexts(table)].some(isUnclear)))
    return { why: 'does not tell campaigns of one name apart', isAll: true };
  return read.cutDays.length > 0
    ? { why: `is cut off by its own maximum of ${limits.maximum} rows within one day`, isAll: true }
    : undefined;
}

function* campaignTexts(table: Table): Generator<CampaignText> {
  const read = readCampaigns(table);
  for (let row = 0; read && row < table.rowCount; row += 1) yield read(row);
}

function namesIn(tables: readonly Table[]): ReadonlySet<string | null> {
  return new Set(tables.flatMap((table) => [...campaignTexts(table)].map(({ id, name }) => id ?? name)));
}

function sharedNames(campaigns: readonly ListedCampaign[]): ReadonlySet<string> {
  const names = campaigns.map(({ name }) => rawText(name));
  return new Set(names.filter((name, index) => names.indexOf(name) !== index));
}

/** What needs to know of which campaign a visit is: undefined is a token, whose slot is another in each. */
const ofCampaigns: ReadonlySet<string | undefined> = new Set(['campaign', 'traffic_source', undefined]);

interface Visited extends CampaignText {
  readonly listed: ListedCampaign | undefined;
}

/** Of which campaign each visit of a list is. */
type CampaignOf = (table: Table) => (row: number) => Visited;

function campaignsIn(campaigns: readonly ListedCampaign[]): CampaignOf {
  const find = campaignFinder(campaigns);
  const known = new Map(campaigns.map((listed) => [listed, visited(listed)]));
  return (table) => {
    const [found, read] = [find(table), readCampaigns(table)];
    return (row) => {
      const listed = found(row);
      const own = listed && known.get(listed);
      return own ?? { id: null, name: null, ...read?.(row), listed: undefined };
    };
  };
}

const visited = (listed: ListedCampaign): Visited => ({ id: rawText(listed.id), name: rawText(listed.name), listed });

/** How visits are cut; campaigns of one name stay apart by their IDs. */
function cutsOf({ asked, labels, sales }: Question, campaignOf: CampaignOf): Cut[] {
  const ofCampaign =
    (read: (campaign: Visited) => string | null): Cut['readerOf'] =>
    (table) => {
      const found = campaignOf(table);
      return (row) => read(found(row));
    };
  return asked.flatMap((by): Cut[] => {
    const usual = cutBy(by, sales);
    const { heading } = usual;
    const dimension = dimensionNamed(by);
    if (dimension === 'campaign')
      return [
        { by, heading: 'Campaign ID', readerOf: ofCampaign(({ id }) => id) },
        { by, heading, readerOf: ofCampaign(({ name }) => name) },
      ];
    if (dimension === 'traffic_source') {
      const listed = ofCampaign((campaign) => rawCell(campaign.listed?.source ?? null));
      return [{ by, heading, readerOf: (table) => usual.readerOf(table) ?? listed(table) }];
    }
    const slots = slotsOf(by, labels);
    return [
      dimension === undefined && slots.size > 0 ? { by, heading, readerOf: tokenReader(slots, campaignOf) } : usual,
    ];
  });
}

/** The slot that a token of this name fills, by campaign. */
function slotsOf(label: string, labels: Question['labels']): ReadonlyMap<ListedCampaign | undefined, string> {
  return new Map(
    [...labels].flatMap(([campaign, own]) => {
      const slot = slotLabelled(label, own);
      return slot === undefined ? [] : [[campaign, slot] as const];
    }),
  );
}

function tokenReader(slots: ReturnType<typeof slotsOf>, campaignOf: CampaignOf): Cut['readerOf'] {
  return (table) => {
    const readings = new Map([...new Set(slots.values())].map((slot) => [slot, readerOf(slot)(table)]));
    if ([...readings.values()].every((reading) => reading === undefined)) return undefined;
    const found = campaignOf(table);
    return (row) => readings.get(slots.get(found(row).listed) ?? '')?.(row);
  };
}

function tokensIn(labels: Question['labels']): [slot: string, label: string][] {
  const all = [...labels.values()].flatMap((own) => [...own]);
  return [...new Map(all.map(([slot, label]) => [label, slot]))].map(([label, slot]) => [slot, label]);
}

function tokenNotices({ leftOut }: VisitGroups, { asked, labels }: Question): string[] {
  const slots = asked.filter((name) => dimensionNamed(name) === undefined && slotsOf(name, labels).size === 0);
  return [
    ...(leftOut > 0
      ? [`${leftOut} visits of campaigns that have no token of this name are in no row and no total.`]
      : []),
    ...slots.flatMap((slot) => {
      const names = new Set([...labels.values()].map((own) => own.get(headingOf(slot))).filter(Boolean));
      return names.size < 2
        ? []
        : [`${headingOf(slot)} is another token in each campaign: cut by a token’s name to compare.`];
    }),
  ];
}

function accountNotice(counted: number, read: VisitsRead): string {
  const base = `Counted from ${counted} visits of the visitor list of all campaigns, in ${answers(read.requests)}`;
  const gaps = gapsOf(read);
  if (gaps === '') return `${base}, none of which was cut off.`;
  return `A sample: ${base.charAt(0).toLowerCase()}${base.slice(1)}. ${useOf(read)}${gaps}`;
}

/** So many campaigns that a list does not show are asked all the same, if only a part of the list is known. */
const maxUnseen = 100;

const maxNamed = 5;

interface OwnList {
  readonly tables: readonly Table[];
  readonly read: VisitsRead;
  readonly sales: Sales | undefined;
}

/** Adds the visits of some days, campaign by campaign, those with traffic first. Returns what that rests on. */
async function byCampaign(
  groups: VisitGroups,
  list: AccountList,
  doubt: Doubt,
  span: Span,
  question: Question,
  limits: ListLimits,
  deadline: number,
  context: CallContext,
): Promise<string[]> {
  const { asked, campaigns } = question;
  if (campaigns.length === 0)
    throw (
      list.failure ?? new Failure(`The visitor list of all campaigns ${doubt.why}, and the tracker lists no campaigns.`)
    );
  const { chosen, unseen } = await chooseCampaigns(list, doubt, question, context);
  const outcomes = new Map<ListedCampaign, Outcome<OwnList>>();
  const readOne = async (campaign: ListedCampaign, inTime: CallContext, proves: boolean): Promise<OwnList> => {
    const tables: Table[] = [];
    const take = (table: Table) => tables.push(table);
    const options = { ...wholeList, maxSlices: chosen.length + 400, proves, limits, reuse: true, quick: true };
    const id = rawText(campaign.id);
    const read = await readVisitsInSlices(id, span, undefined, inTime, take, options);
    const isAlone = needsSales(asked) && !question.sales && rowsOf(tables) > 0;
    return { tables, read, sales: isAlone ? await readSales(Number(id), span, inTime) : question.sales };
  };
  const ask = async (some: readonly ListedCampaign[], proves = false) => {
    const read = (campaign: ListedCampaign, inTime: CallContext) => readOne(campaign, inTime, proves);
    const answered = await askMany(some, read, context, 'campaigns read', deadline);
    for (const [index, outcome] of answered.entries()) {
      // A list that could not be proved is there all the same.
      if (!proves || outcome.kind === 'answer') outcomes.set(some[index] as ListedCampaign, outcome);
    }
  };
  const lists = () =>
    [...outcomes].flatMap(([campaign, outcome]) => (outcome.kind === 'answer' ? [{ campaign, ...outcome.value }] : []));
  await ask(chosen);
  // The longest list shows whether any is cut off.
  const [longest] = lists().sort((one, other) => rowsOf(other.tables) - rowsOf(one.tables));
  if (limits.maximum === undefined && longest) await ask([longest.campaign], true);
  const { maximum = Number.POSITIVE_INFINITY } = limits;
  const cut = lists().filter(({ tables, read }) => read.requests === 1 && rowsOf(tables) >= maximum);
  await ask(cut.map(({ campaign }) => campaign));

  const before = groups.counted;
  for (const { campaign, tables, sales } of lists()) {
    const cuts = cutsOf({ ...question, sales }, () => () => visited(campaign));
    for (const table of tables) addVisits(groups, table, cuts, sales, tokensIn(question.labels));
  }
  const failures = [...outcomes].flatMap(([campaign, outcome]) =>
    outcome.kind === 'failure' ? [{ campaign, failure: outcome.failure }] : [],
  );
  if (failures[0] && lists().length === 0) throw failures[0].failure;
  const named = failures.map(({ campaign, failure }) => `${nameCampaigns([campaign])} (${failure.message})`);
  const late = [...outcomes.values()].filter(({ kind }) => kind === 'not-asked').length;
  const reads = lists().map(({ read }) => read);
  const requests = reads.reduce((sum, read) => sum + read.requests, 0);
  const partly = lists().filter(({ read }) => gapsOf(read) !== '');
  const all = (days: 'cutDays' | 'unreadDays') => [...new Set(reads.flatMap((read) => read[days]))].sort();
  const parts: VisitsRead = {
    requests,
    cutDays: all('cutDays'),
    unreadDays: all('unreadDays'),
    stoppedBy: reads.find(({ stoppedBy }) => stoppedBy)?.stoppedBy,
  };
  return [
    `Counted campaign by campaign, since the tracker’s visitor list of all campaigns ${doubt.why}: from ${groups.counted - before} visits of the visitor lists of ${reads.length} campaigns, in ${answers(requests)}.`,
    ...(before > 0
      ? [`Days before ${span.start} and behind ${span.end} are ${before} visits of the list of all campaigns.`]
      : []),
    ...(partly.length > 0
      ? [
          `A sample for ${partly.length} of them: ${nameCampaigns(partly.slice(0, maxNamed).map(({ campaign }) => campaign))}. ${useOf(parts)}${gapsOf(parts)}`,
        ]
      : []),
    ...(named.length > 0
      ? [
          `Not read, and in no row and no total: ${named.slice(0, maxNamed).join('; ')}${named.length > maxNamed ? `; and ${named.length - maxNamed} more` : ''}.`,
        ]
      : []),
    ...(late > 0
      ? [
          `There was no time to read ${late} of ${chosen.length} campaigns, which are in no row and no total${doubt.isAll ? '; those with most visits came first' : ''}. Call again within ${keptForMs / 1000} s: it goes on with these.`,
        ]
      : []),
    ...(unseen > 0
      ? [
          `${unseen} campaigns are in no part of the list of all campaigns that was read, and sold nothing: they were not asked, and are in no row and no total.`,
        ]
      : []),
  ];
}

/** The campaigns to ask, those with most visits first, and how many are left out as they have hardly any. */
async function chooseCampaigns(
  { tables, read }: AccountList,
  { isAll }: Doubt,
  { campaigns, span, sales }: Question,
  context: CallContext,
): Promise<{ readonly chosen: readonly ListedCampaign[]; readonly unseen: number }> {
  const find = campaignFinder(campaigns);
  const visits = new Map<ListedCampaign | undefined, number>();
  const count = (table: Table, weight: number) => {
    const found = find(table);
    for (let row = 0; row < table.rowCount; row += 1) visits.set(found(row), (visits.get(found(row)) ?? 0) + weight);
  };
  for (const { table } of tables) count(table, 1);
  for (const table of (sales ?? (await readSales(0, span, context)))?.tables ?? []) count(table, 0);
  // A name that several have is that of any of them.
  const isShared = sharedNames(campaigns);
  const isSeen = (campaign: ListedCampaign) =>
    visits.has(campaign) || (visits.has(undefined) && isShared.has(rawText(campaign.name)));
  const weight = (campaign: ListedCampaign) => visits.get(campaign) ?? (isSeen(campaign) ? 0 : -1);
  const sorted = [...campaigns].sort(
    (one, other) => weight(other) - weight(one) || Number(one.active === false) - Number(other.active === false),
  );
  const unseen = sorted.filter((campaign) => !isSeen(campaign)).length;
  const isPart = read.cutDays.length > 0;
  if (!isAll || (isPart && unseen <= maxUnseen)) return { chosen: sorted, unseen: 0 };
  return { chosen: sorted.filter(isSeen), unseen: isPart ? unseen : 0 };
}
