import { numberIn } from '../analysis/columns/columns.ts';
import { campaignIn, type GivenSubid, lostZeros, readGivenSubid } from '../analysis/given-subids.ts';
import { heldStatus } from '../analysis/sale-status.ts';
import { groupBy } from '../analysis/statistics/history.ts';
import { laterPostback, sayLaterPostback } from '../analysis/visit-checks.ts';
import { describeVisit, readFacts, revenueOf, type StepName } from '../analysis/visit-story.ts';
import { type Wanted, WantedVisits } from '../analysis/wanted-visits.ts';
import type { Note, NoteOf } from '../answer/notes.ts';
import { type Known, sayLostZeros, sayRobot, saySaleStatus, sayUnknown } from '../answer/subid-notes.ts';
import { Table } from '../api/table.ts';
import { type Cell, fromOutside, mention, rawCell, rawText, shorten, shown } from '../api/text/tracker-text.ts';
import { type Answer, type CallContext, mapAnswer } from './define-tool.ts';
import { findVisits, type Search } from './find-visits.ts';
import { presentTables } from './present/tables.ts';
import { readShared, type Shared } from './shared-values.ts';

const columns = ['SubID', 'Known', 'Campaign', 'Offer', 'Visited at', 'Clicked', 'Converted', 'Revenue', 'Odd'];

/** In characters, so that a hundred rows fit into one answer. */
const maxLength = { subid: 60, name: 45, time: 25, money: 15 };

/** Max characters of all remarks, so that the answer holds every row. */
const maxOddLength = 12_000;

/** A row for each subID, in the given order, found with few requests. */
export async function diagnoseMany(given: readonly string[], context: CallContext): Promise<Answer> {
  const read = given.map((text) => ({ text, ...readGivenSubid(text) }));
  const keyOf = ({ subid, clickId }: GivenSubid) => subid ?? (clickId === undefined ? undefined : `part ${clickId}`);
  const byKey = new Map(read.map((one) => [keyOf(one), one] as const));
  byKey.delete(undefined);
  const visits = new WantedVisits(
    [...byKey.values()].map(({ subid, clickId = '' }) => ({ subid: subid ?? clickId, isPart: subid === undefined })),
  );
  const search = visits.all.length === 0 ? undefined : await findVisits(visits, context);
  const wantedByKey = new Map([...byKey.keys()].map((key, index) => [key, visits.all[index]]));
  const firstRows = new Map<string, number>();
  const rows = read.map((one, index): Row => {
    const wanted = wantedByKey.get(keyOf(one));
    const name = wanted?.own ?? wanted?.subid;
    const first = name === undefined ? undefined : firstRows.get(name);
    if (name !== undefined && first === undefined) firstRows.set(name, index);
    const { known, cells, odd } = wanted ? describe(wanted, search?.campaigns) : unreadable;
    const duplicate = first === undefined ? [] : [`duplicate of row ${first + 1}`];
    return {
      subid: shown(fromOutside(one.text), maxLength.subid),
      known,
      cells,
      odd: [...duplicate, ...one.remarks, ...odd].join('; '),
      isDuplicate: first !== undefined,
    };
  });
  const oddLength = Math.max(100, Math.floor(maxOddLength / rows.length));
  const table = Table.fromRows(
    'subids',
    columns,
    rows.map(({ subid, known, cells, odd }) => [subid, known, ...cells, shorten(odd, oddLength) || null]),
  );
  const hasTotals = !rows.some(({ isDuplicate }) => isDuplicate);
  const { shared, notices } = search ? await readShared(visits, search, context) : nothingShared;
  const answer = presentTables(
    { kind: 'tables', tables: [table], notices: [] },
    { subids: rows.length },
    { columns, sort_order: 'desc', limit: rows.length, offset: 0, hasTotals, currency: context.currency },
    [...summaryOf(rows, search), ...notices],
    (column) => column === 'Odd' || column === 'SubID',
  );
  return shared
    ? mapAnswer(answer, ({ structured, ...rest }) => ({ ...rest, structured: { ...structured, shared } }))
    : answer;
}

const nothingShared: Shared = { shared: undefined, notices: [] };

interface Row extends Description {
  readonly subid: string;
  readonly isDuplicate: boolean;
  readonly odd: string;
}

interface Description {
  readonly known: Known;
  /** Campaign, offer, time of the visit, clicked, converted, revenue. */
  readonly cells: readonly (string | null)[];
}

const noCells = [null, null, null, null, null, null];
const unreadable = { known: 'unreadable', cells: noCells, odd: [] } as const;

/** What is known of a visit, and remarks on it. Remarks on the form of its subID are added later. */
function describe(wanted: Wanted, campaigns: Search['campaigns']): Description & { readonly odd: readonly string[] } {
  const { subid, own, visit, sales, salesSince, lookup, campaignId } = wanted;
  if (!visit) {
    const known = lookup === 'none' ? 'no' : lookup === 'failed' ? 'failed' : 'not looked up';
    return { known, cells: noCells, odd: remarksOnUnknown(wanted, campaigns).map(sayUnknown) };
  }
  const facts = readFacts(visit);
  const isSearched = salesSince !== undefined && (rawCell(facts.arrivedAt) ?? '') >= salesSince;
  const { steps, causes } = describeVisit(visit, sales.length > 0 || isSearched ? sales : undefined);
  const stepOf = (name: StepName) => steps.find(({ step }) => step === name)?.happened ?? 'unknown';
  const id = rawCell(facts.campaignId) ?? campaignId ?? campaignIn(own ?? '');
  const name = facts.campaign ?? campaigns?.find((campaign) => rawText(campaign.id) === id)?.name ?? null;
  const cells = [
    [name && shown(name, maxLength.name), id && `(${mention(fromOutside(id), maxLength.time)})`]
      .filter(Boolean)
      .join(' ') || null,
    facts.offer && shown(facts.offer, maxLength.name),
    facts.arrivedAt && shown(facts.arrivedAt, maxLength.time),
    stepOf('clicked'),
    stepOf('converted'),
    stepOf('converted') === 'yes' ? revenueIn(facts.revenue, sales) : null,
  ];
  const postback = laterPostback(facts, sales);
  const odd = [
    ...(own === undefined ? [] : lostZeros(subid, own).map(sayLostZeros)),
    ...elsewhere(wanted).map(sayUnknown),
    ...causes.filter((cause) => cause.id === 'robot').map(sayRobot),
    ...(stepOf('converted') === 'yes' ? [heldStatus(sales[0] ?? visit.flatMap(({ fields }) => fields))] : [])
      .filter((status) => status !== undefined)
      .map(saySaleStatus),
    ...(postback ? [sayLaterPostback(postback)] : []),
  ];
  return { known: 'yes', cells, odd };
}

/** Why a subID may be unknown. */
export function remarksOnUnknown(wanted: Wanted, campaigns: Search['campaigns']): readonly UnknownRemark[] {
  const { campaignId: campaign } = wanted;
  const isListed = campaigns?.some(({ id }) => rawText(id) === campaign) ?? true;
  const foreign = isListed || campaign === undefined ? [] : [{ code: 'campaign-not-here', campaign } as const];
  return [...elsewhere(wanted), ...foreign];
}

type UnknownRemark = NoteOf<'same-click-id' | 'campaign-not-here'>;

const elsewhere = ({ others }: Wanted): UnknownRemark[] =>
  others.size === 0 ? [] : [{ code: 'same-click-id', subids: [...others].slice(0, 2) }];

/** The revenue of the visit if the tracker has one, else the sum of its sales. */
function revenueIn(revenue: Cell, sales: Wanted['sales']): string | null {
  const amounts = sales.map((sale) => revenueOf(sale));
  const [only = null] = amounts;
  const cell = amounts.length === 1 && numberIn(only) !== undefined ? only : revenue;
  if (cell !== null) return shown(cell, maxLength.money);
  const numbers = amounts.map(numberIn);
  return numbers.length === 0 || numbers.includes(undefined)
    ? null
    : numbers.reduce<number>((sum, amount) => sum + (amount ?? 0), 0).toFixed(2);
}

function summaryOf(rows: readonly Row[], search: Search | undefined): Note[] {
  const known = Object.fromEntries([...groupBy(rows, (row) => row.known)].map(([one, { length }]) => [one, length]));
  const { failure, uncheckedClickIds = 0 } = search ?? {};
  const all: (Note | false | undefined)[] = [
    { code: 'subids-found', subids: rows.length, known },
    ('failed' in known || 'not looked up' in known) && { code: 'look-up-again' },
    failure && { code: 'lookup-failed', failure: failure.message },
    uncheckedClickIds > 0 && { code: 'not-looked-up-by-click', count: uncheckedClickIds },
    'yes' in known && { code: 'diagnose-one' },
  ];
  return all.filter((note) => note !== false && note !== undefined);
}
