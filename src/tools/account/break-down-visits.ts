import { shownColumns } from '../../analysis/columns/columns.ts';
import type { Money } from '../../analysis/sale-status.ts';
import { differByChance } from '../../analysis/statistics/scatter.ts';
import { type Reader, readerOf, timeWithout } from '../../analysis/visit-dimensions.ts';
import { readAll, readFigures, VisitGroups } from '../../analysis/visit-groups.ts';
import { noNameOf } from '../../answer/no-name.ts';
import type { Note, Notice } from '../../answer/notes.ts';
import type { Coded } from '../../api/cells.ts';
import { dimensionNamed, dimensions } from '../../api/dimensions.ts';
import { Failure } from '../../api/failure.ts';
import type { Pace } from '../../api/running-call.ts';
import { Table } from '../../api/table.ts';
import { didYouMean, foldNumbered } from '../../api/text/names.ts';
import { fromOutside, quoted, show } from '../../api/text/tracker-text.ts';
import { attempt, optional, paceOf } from '../asking.ts';
import { campaignsIn, listCampaigns, type Visited } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import { otherSizes } from '../other-sizes.ts';
import { type PageKind, readOffShares } from '../page-reports.ts';
import { addFigures, type Figures } from '../past-figures.ts';
import { placementsNote } from '../placements.ts';
import type { Condition } from '../present/where.ts';
import {
  dimensionOfSlot,
  isPlacementName,
  labelsByCampaign,
  placementDimension,
  readTokenLabels,
  slotLabelled,
  slotNear,
  type TokenLabels,
  tokenMeant,
} from '../tokens.ts';
import { readAccountVisits } from './account-visits.ts';
import { compareWithReports } from './compared-reports.ts';
import { changeColumns, emptyRatioNote, figureColumns, heldColumnsOf, ofNow, readCampaignReport } from './figures.ts';
import { cutNote, heldNote, noStates } from './held-money.ts';
import { listRead, missingIn, oddRowsNote, readVisitsInSlices, type Span } from './read-visits.ts';
import { type Cuts, columnsOf, groupsThatMatch, namesOfFigures } from './visit-conditions.ts';
import {
  type Cut,
  cutBy,
  cutsOf,
  needsCampaigns,
  needsLabels,
  needsSales,
  noPlacement,
  type Question,
  readSales,
  type Sales,
  salesNote,
  sameNameNotes,
  tokenNotes,
  tokensIn,
} from './visit-cuts.ts';
import { type TrafficOf, trafficInAccount, trafficInCampaign } from './visited-days.ts';
import { TimelessFailure, visitsUntil } from './visits-until.ts';

export interface Breakdown {
  /** What it is cut by, and the headings of these columns. */
  readonly by: readonly string[];
  readonly headings: readonly string[];
  readonly rows: readonly Row[];
  readonly isWhole: boolean;
  readonly readTraffic?: () => Promise<TrafficOf>;
  readonly notices: readonly Notice[];
  /** What is to be read before the rows. */
  readonly ahead: readonly Notice[];
  /** The names of token slots, if a dimension may be one. */
  readonly labels: TokenLabels;
  /** What a row without a value is called, by the heading of its column. */
  readonly noNames: ReadonlyMap<string, string>;
}

interface Row {
  readonly values: readonly (string | null)[];
  readonly figures: Figures;
}

export interface BreakdownQuestion {
  readonly by: readonly string[];
  /** Conditions on the visits that count. */
  readonly where: readonly Condition[];
  readonly span: Span;
  readonly money: Money;
  /** Only visits and sales before this moment, on the tracker's clock as if that were UTC. */
  readonly until?: number | undefined;
}

/** Where the networks that decide on sales, or the days until they do, differ between rows. */
const dimensionsOfHeld: ReadonlySet<string | undefined> = new Set(['campaign', 'offer', 'network', 'day']);

/** @param before the same values earlier, if they are compared */
export function breakdownTable({ by, headings, rows }: Breakdown, before?: Pick<Breakdown, 'rows'>): Table {
  const keyOf = ({ values }: Row) => JSON.stringify(values);
  const [noneNow, noneBefore] = [zerosOf(rows, before?.rows), zerosOf(before?.rows, rows)];
  const earlier = new Map(before?.rows.map((row) => [keyOf(row), row]));
  const present = new Set(rows.map(keyOf));
  const gone = [...earlier].flatMap(([key, row]) => (present.has(key) ? [] : [row]));
  const compared = [
    ...rows.map((row) => ({
      ...row,
      now: row.figures,
      before: earlier.get(keyOf(row))?.figures ?? noneBefore,
    })),
    ...gone.map((row) => ({ ...row, now: noneNow, before: row.figures })),
  ];
  const isHeldShown = by.some((name) => dimensionsOfHeld.has(dimensionNamed(name)));
  const columns = [
    ...figureColumns.map(ofNow),
    ...(isHeldShown ? heldColumnsOf(rows.map(({ figures }) => figures)).map(ofNow) : []),
    ...(before ? changeColumns : []),
  ];
  const cells = compared.map((row) => [...row.values, ...columns.map(({ cell }) => cell(row))]);
  return Table.fromRows('breakdown', [...headings, ...columns.map(({ name }) => name)], cells);
}

/** The figures of a value without visits: those that others have, at zero. */
function zerosOf(rows: readonly Row[] = [], others: readonly Row[] = []): Figures {
  return Object.fromEntries(Object.keys((rows[0] ?? others[0])?.figures ?? {}).map((name) => [name, 0]));
}

/**
 * Breaks down one campaign by its visitor list.
 * @throws Failure if the list cannot be read, or lacks a column to cut by
 */
export async function breakDownCampaign(
  campaignId: number,
  { by: asked, where, span, money, until }: BreakdownQuestion,
  context: CallContext,
): Promise<Breakdown> {
  const names = [...asked, ...columnsOf(where)];
  const { answer: labels = new Map(), failure } = await attempt(
    async () => (needsLabels(names) ? readTokenLabels(campaignId, context) : undefined),
    context,
  );
  const id = String(campaignId);
  const days = { start_date: span.start, end_date: span.end };
  const [report, off] = await Promise.all([
    until === undefined ? optional(() => readCampaignReport(id, days, context), context) : undefined,
    until === undefined ? readOffSharesOf(id, asked, span, context) : [],
  ]);
  const views = report?.figures.views;
  const sales = needsSales(names) ? await readSales(campaignId, span, context) : undefined;
  const near = new Map<string, Note>();
  const cutOf = (by: string): Cut => {
    const labelled = slotLabelled(by, labels);
    const known = dimensionNamed(by) ?? (labelled === undefined ? undefined : dimensionOfSlot(labelled));
    const slot = known === undefined ? slotNear(by, labels) : undefined;
    const cut = cutBy(by, sales, known ?? by);
    if (isPlacementName(by))
      return { ...cut, readerOf: (table) => cut.readerOf(table) ?? noPlacement(table, [labels]) };
    if (slot === undefined) return cut;
    const readNear: Reader = (table) => {
      near.set(by, tokenMeant(by, slot, labels));
      return readerOf(slot)(table);
    };
    return { ...cut, readerOf: (table) => cut.readerOf(table) ?? readNear(table) };
  };
  const cuts = { ofRows: asked.map(cutOf), ofConditions: columnsOf(where).map(cutOf) };
  const groups = new VisitGroups(money);
  const tables: Table[] = [];
  const read = await readVisitsInSlices(id, span, views, context, (table) => {
    tables.push(table);
    return addVisits(groups, table, {
      cuts,
      sales,
      until,
      money,
      tokens: failure ?? [...labels],
      pace: paceOf(context),
    });
  });
  const isWhole = missingIn(read).length === 0 && groups.counted >= (views ?? 0);
  const counted = addFigures(groups.rows([]).map(({ figures }) => figures));
  const breakdown = present({ groups, money, cuts, where, labels, isWhole }, [
    { code: 'counted-in-campaign', visits: groups.counted, views, read: listRead(read) },
    ...oddRowsNote([read]),
    ...(report && isWhole
      ? otherSizes(
          { source: 'list_visitors', figures: counted },
          { source: 'campaign', figures: report.figures },
          groups.counted === views,
        )
      : []),
    ...near.values(),
    ...(names.some(isPlacementName) ? [placementsNote([labels])] : []),
    ...off,
    salesNote([sales]),
    ...sameNameNotes(names, [labels]),
  ]);
  return { ...breakdown, readTraffic: () => trafficInCampaign(id, tables, [read], [span], context) };
}

/** Where the pages of a campaign are a dimension: whether they got the traffic that their shares give them. */
async function readOffSharesOf(campaign: string, asked: readonly string[], span: Span, context: CallContext) {
  const kinds = asked.flatMap((by) => kindsOfPages.get(dimensionNamed(by) ?? '') ?? []);
  return (await Promise.all(kinds.map((kind) => readOffShares(campaign, kind, span, context)))).flat();
}

const kindsOfPages = new Map([
  ['offer', 'offer'],
  ['landing_page', 'landing'],
] as const) as ReadonlyMap<string, PageKind>;

/**
 * Breaks down all campaigns together.
 * @throws Failure if nothing can be read, or the lists lack a column to cut by
 */
export async function breakDownAccount(
  { by: asked, where, span, money, until }: BreakdownQuestion,
  context: CallContext,
): Promise<Breakdown> {
  const names = [...asked, ...columnsOf(where)];
  const listing = listCampaigns(context.client, context.signal);
  const readLabels = async (): Promise<Question['labels']> =>
    needsLabels(names) ? labelsByCampaign(await listing, context) : new Map();
  const [visits, { answer: labels = new Map(), failure }] = await Promise.all([
    readAccountVisits({ span, listing, needsCampaigns: needsCampaigns(names), needsSales: needsSales(names) }, context),
    attempt(readLabels, context),
  ]);
  const { campaigns, lists, sales, isWhole, notices } = visits;
  const groups = new VisitGroups(money);
  const pace = paceOf(context);
  const cutsIn = (visitedIn: (table: Table) => Coded<Visited>, sold: Sales | undefined): Cuts => ({
    ofRows: cutsOf({ asked, labels, sales: sold }, visitedIn),
    ofConditions: cutsOf({ asked: columnsOf(where), labels, sales: sold }, visitedIn),
  });
  for (const { table, visited, sales: sold } of lists) {
    if (pace.isOver && groups.counted > 0) {
      groups.uncounted += table.rowCount;
      continue;
    }
    const cuts = cutsIn(() => visited, sold);
    await addVisits(groups, table, {
      cuts,
      sales: sold,
      until,
      money,
      tokens: failure ?? tokensIn(labels),
      pace,
    });
  }
  const question = { asked: names, labels, sales };
  const beside =
    until === undefined && isWhole ? await compareWithReports(0, lists, span, context, campaigns) : undefined;
  const breakdown = present(
    {
      ...{ groups, money, where },
      cuts: cutsIn(campaignsIn(campaigns), sales),
      labels: new Map(),
      isWhole: isWhole && !beside?.unlisted.length,
    },
    [
      ...notices,
      ...(beside ? [...beside.unlisted, ...beside.sums] : []),
      salesNote([sales, ...lists.map((list) => list.sales)]),
      ...tokenNotes(groups, question),
      ...sameNameNotes(names, [...labels.values()]),
    ],
  );
  return { ...breakdown, readTraffic: () => trafficInAccount([visits], [span], context) };
}

/** The names of token slots, or why they could not be read. */
type Tokens = readonly (readonly [slot: string, label: string])[] | Failure;

interface HowToAdd extends Pick<BreakdownQuestion, 'until' | 'money'> {
  readonly cuts: Cuts;
  readonly sales: Sales | undefined;
  readonly tokens: Tokens;
  readonly pace: Pace;
}

/** @throws Failure if the list lacks a column to cut by, or the times that are needed */
async function addVisits(
  groups: VisitGroups,
  table: Table,
  { cuts: { ofRows, ofConditions }, sales, until, money, tokens, pace }: HowToAdd,
): Promise<void> {
  if (table.rowCount === 0) return;
  const cuts = [...ofRows, ...ofConditions];
  const read = await readAll(
    table,
    cuts.map(({ readerOf }) => readerOf),
    pace,
    cuts.map(({ by }) => by),
  );
  await readFigures(table, pace, money);
  const readings = cuts.map(({ by }, index) => {
    const reading = read[index];
    if (!reading) throw noColumn(by, table, tokens, index < ofRows.length ? [] : namesOfFigures);
    const time = timeWithout(by, reading, table);
    if (time === undefined) return reading;
    throw new Failure(
      `The times of the visitor list show no ${dimensionNamed(by)}; the first is ${quoted(fromOutside(time), 60)}.`,
      'Group by day, or by another dimension.',
    );
  });
  const part = until === undefined ? undefined : visitsUntil(table, until);
  if (until !== undefined && !part) throw new TimelessFailure();
  await groups.add(table, readings, { soldBy: sales?.soldBy(table, cuts), part, pace });
}

/** Sums of a part of the visits must not be read as those of all. */
const saysParts: ReadonlySet<string> = new Set(['sample-of-campaigns', 'counted-in-account', 'counted-in-campaign']);

interface Counted extends Pick<BreakdownQuestion, 'where' | 'money'>, Pick<Breakdown, 'labels' | 'isWhole'> {
  readonly groups: VisitGroups;
  readonly cuts: Cuts;
}

function present({ groups: all, cuts, where, money, labels, isWhole }: Counted, notices: readonly Notice[]): Breakdown {
  const { matching: groups, notices: matched } = groupsThatMatch(all, cuts, where);
  const by = cuts.ofRows.map((cut) => cut.by);
  const rows = groups.rows(by);
  const { missingFigures } = groups;
  if (money.state !== 'booked' && groups.lacksStatuses && !groups.hasStatuses)
    throw noStates('get_breakdown', money.listed?.why ?? 'no statuses');
  const inPart = groups.uncounted === 0 ? [] : [{ code: 'visits-uncounted', visits: groups.uncounted } as const];
  const isAhead = (notice: Notice) => !isWhole && 'code' in notice && saysParts.has(notice.code);
  const held = groups.hasStatuses ? addFigures(rows.map(({ figures }) => figures)) : undefined;
  return {
    by,
    headings: cuts.ofRows.map(({ heading }) => heading),
    rows,
    labels,
    noNames: new Map(
      cuts.ofRows.map(({ by, heading }) => [
        heading,
        noNameOf(isPlacementName(by) ? placementDimension : (dimensionNamed(by) ?? by)),
      ]),
    ),
    isWhole: isWhole && groups.uncounted === 0,
    ahead: [...inPart, ...notices.filter(isAhead), ...matched, ...chanceNote(cuts.ofRows, rows)],
    notices: [
      ...notices.filter((notice) => !isAhead(notice)),
      ...(held ? heldNote(held.revenue ?? 0, money, groups.held, 'list_visitors') : cutNote(money)),
      ...emptyRatioNote(rows.map(({ figures }) => figures)),
      ...(missingFigures.length === 0 ? [] : [{ code: 'figures-left-out', figures: [...missingFigures] } as const]),
    ],
  };
}

/** A notice on hours or weekdays that do not differ: the best of many looks good by chance. */
function chanceNote([cut, ...others]: readonly Cut[], rows: readonly Row[]): Note[] {
  const dimension = cut && others.length === 0 ? dimensionNamed(cut.by) : undefined;
  if (dimension !== 'hour' && dimension !== 'weekday') return [];
  const doByChance = (measure: 'conversions' | 'clicks') =>
    differByChance(
      rows.flatMap(({ figures: { views, [measure]: count } }) =>
        views === undefined || count === undefined ? [] : [{ views, count }],
      ),
    );
  return doByChance('conversions')
    ? [{ code: 'differ-by-chance', dimension, doClicks: doByChance('clicks') !== false }]
    : [];
}

/** Max tokens in an error; an account can have hundreds. */
const maxTokens = 30;

/** @param figures what may be meant besides */
function noColumn(name: string, table: Table, found: Tokens, figures: readonly string[]): Failure {
  const tokens = found instanceof Failure ? [] : found;
  const columns = shownColumns(table);
  // The name itself is no help, even if it is a dimension.
  const others = [...dimensions, ...tokens.map(([, label]) => label), ...columns, ...figures].filter(
    (other) => other.toLowerCase() !== name.toLowerCase(),
  );
  const named = tokens.slice(0, maxTokens).map(([slot, label]) => `${quoted(fromOutside(label))} (${slot})`);
  const next = [
    `Its columns are: ${foldNumbered(columns, JSON.stringify).join(', ')}.`,
    ...(named.length > 0 ? [`Tokens: ${named.join(', ')}.`] : []),
    ...(found instanceof Failure ? [`The names of its tokens could not be read: ${found.message}`] : []),
  ];
  const isNetwork = dimensionNamed(name) === 'network';
  return new Failure(
    `The visitor list of this tracker has no ${show(name)}${isNetwork ? ', and its conversion list names none' : ''}${didYouMean(name, others, show)}`,
    next.join(' '),
  );
}
