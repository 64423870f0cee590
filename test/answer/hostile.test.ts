import { expect, test } from 'vitest';
import { type Note, type NoteOf, sayNotice, sayToPerson } from '../../src/answer/notes.ts';
import { forTerminal } from '../../src/commands/terminal/look.ts';
import { renderResult } from '../../src/commands/terminal/render-result.ts';
import { attack, dangerIn } from '../support/strangers.ts';

/** Whether some data holds text that is not one of a few words. */
type HasText<Data> = Data extends string
  ? string extends Data
    ? true
    : never
  : Data extends object
    ? { [Name in keyof Data]: HasText<Data[Name]> }[keyof Data]
    : never;

/** The notes that could carry text of a stranger. A new one fails to compile here until it has an example. */
type CodeWithText = {
  [Code in Note['code']]: true extends HasText<Omit<NoteOf<Code>, 'code'>> ? Code : never;
}[Note['code']];

/** A stranger's name. */
const x = `STRANGER’s “name” ${attack(3000)} STRANGER`;
/** Words of this project: days, arguments, tools, IDs and failures, which quote what they name. */
const own = 'share';
const day = '2026-11-22';
const span = { start: day, end: day };
const page = { id: '3', name: x, kind: 'offer' } as const;
const campaigns = [{ id: x, name: x }];
const read = { requests: 2, cutDays: [day], unreadDays: [day], failure: own } as const;
const valued = { page: x, payout: 5, booked: 9, sales: 3 };
const part = { share: 1, percent: 2 };
const clicks = { name: x, clicks: 0.1, sales: 0.2 };

const examples: { readonly [Code in CodeWithText]: Omit<NoteOf<Code>, 'code'> } = {
  about: { records: [{ of: 'campaign', id: 1, name: x }], more: 1 },
  'added-without-id': { tool: own },
  'after-last-row': { table: x, offset: 1 },
  alone: { group: own, page },
  'amounts-in-cents': { heading: x },
  'another-token': { slot: own },
  'another-unit': { count: 1, factor: 2, column: x },
  'as-many-days': { asked: span, ...span },
  'ask-since': { since: day },
  before: { ...span, days: 1, against: 2 },
  'call-is-no-verdict': { most: { page: own, from: 8, to: 28 } },
  'campaign-not-here': { campaign: x },
  'campaigns-not-reviewed': { campaigns, of: 2, why: { failure: own } },
  'campaigns-inactive': { campaigns },
  'campaigns-reviewed-in-part': { campaigns, of: 2 },
  'campaigns-unread': {
    ...{ failed: { id: x, name: x, failure: own, more: 1 }, late: 1, of: 2, keptFor: 5, openKeptFor: 1 },
  },
  'columns-left-out': { table: x, columns: 1, from: x },
  'columns-unread': { columns: [x], why: 'contradiction', cells: [x, x] },
  'conversions-cut': { days: [day] },
  'conversions-of-campaigns-unread': { campaigns: [x] },
  'conversions-unread': { days: [day], isLate: true },
  'counted-by-campaign': { visits: 1, campaigns: 2, read, why: { because: 'unread', failure: own } },
  'counted-in-account': { visits: 1, read },
  'counted-in-account-too': { ...span, visits: 1 },
  'counted-in-campaign': { visits: 1, views: 2, read },
  'counted-in-spans': { visits: 1, reads: [read] },
  'currency-sums': { over: 'campaigns', sums: [{ currency: x, amounts: [[own, 1]] }] },
  days: { days: day },
  'days-of-changed-shares': { days: [day] },
  'days-reconciled': { ...span, clock: 'tracker', outside: 1, hasOthers: true },
  'days-unread': { days: [day], failure: own },
  'decimal-mark': { tracker: own, mark: 'comma', isLearned: true },
  'differ-by-chance': { dimension: x, doClicks: false },
  'done-not-shown': { tool: own, change: own },
  'earlier-unknown': { failure: own },
  'effect-unknown': { why: { because: 'failure', failure: x } },
  'empty-cells': { text: x, columns: [x] },
  'empty-columns-left-out': { table: x, columns: 1 },
  'entered-cost': { campaigns: Array(11).fill(x), sources: [x], others: [x] },
  'few-clicks': { few: clicks, many: clicks },
  'figure-lacking': { figure: own, campaigns },
  'figures-left-out': { figures: [own] },
  'for-query': { tables: [{ table: x, name: own, alias: own, rows: 1, columns: 2 }] },
  'page-lacks': { page: x, lacks: 'clicks', visits: 9, expected: 1, rate_of: 'page', since: day },
  'gains-and-lacks': { page, lacks: 'clicks', visits: 9, expected: 1, rate_of: 'page', since: day },
  'gets-all-traffic': { group: own, page },
  'held-revenue': {
    ...{ money: 'expected', revenue: 9, pending: 5, rejected: 1, rejectedSales: 1, unknown: 1, words: [x] },
    ...{ expected: { amount: 1, low: 0, high: 2 }, approvals: [{ network: x, share: 0.1, earlier: 0.5 }] },
  },
  'hidden-columns': { columns: [x] },
  'hours-before': { day, against: day, hour: 9 },
  'hours-of-both': { visits: 1, of: 2, without: campaigns },
  'in-campaign': { id: 1, name: x },
  'in-group': { group: own },
  'late-sales': {
    seen: 1,
    count: 2,
    low: 1,
    high: 3,
    revenue: 9,
    heldBack: { since: day, hours: 30 },
    byDay: [{ day, seen: 1, count: 2, low: 1, high: 3 }],
    later: [{ dimension: 'network', value: x, seen: 1, count: 2, low: 1, high: 3 }],
  },
  leap: { argument: own, before: 1, after: 100, times: 100, currency: own },
  'last-page': { page: x },
  'line-is-no-sale': { line: 1, kind: 'note', cells: [x] },
  'lists-of-campaigns-unread': { days: span, campaigns: [{ id: x, name: x, failure: own }], more: 1 },
  'log-problem': { problem: own },
  'lookup-failed': { failure: own },
  'lost-most': { days: 7, campaigns: [{ id: own, name: own, lost: 3 }] },
  'lost-zeros': { zeros: 1, listed: x },
  marked: { marked: [{ mark: own, campaigns: [x] }] },
  'missing-report': { report: own },
  'mix-shift': {
    ...{ dimension: own, isBetterInParts: true, before: 1, after: 2 },
    grown: { value: x, shareBefore: 0.1, shareAfter: 0.2 },
  },
  'mixed-cells': { columns: [{ table: x, column: x, texts: 1, of: 2 }] },
  'money-beside': { column: x, count: 1, sum: -1, payouts: x },
  'money-in': { currency: own },
  'negative-revenue': { pages: [x] },
  'no-calls': { because: 'ID too large', pages: [x] },
  'no-campaigns': { status: own },
  'no-data-before': { first: own },
  'no-list-and-no-campaigns': { why: { because: 'not whole', failure: own } },
  'no-payouts': { paid: x },
  'no-such-column': { table: x, columns: [x] },
  'no-totals-by-level': { table: x },
  'no-traffic': { group: own },
  'no-visits': span,
  'no-visits-to-compare': span,
  'none-of-columns': { table: x },
  'not-judged': { all: 2, kinds: [{ why: own, campaigns: 1, kinds: [own] }] },
  'not-read-again': { failure: x, writes: 'one' },
  'not-shown': { what: own, count: 1 },
  'not-sorted': { table: x },
  'off-shares': { pages: [{ name: x, got: 1, due: 2 }], isSteady: true },
  'old-value-not-taken': { name: own, value: own, tool: own },
  'old-value-there': { request: own },
  'old-value-unknown': { names: [own] },
  'one-group-compared': { group: own, groups: [x] },
  'open-amount': { cell: x, isThousand: true },
  'open-day': { day, isSure: true },
  'other-currencies': { apart: [{ currency: x, count: 1, paid: 1, listed: 1 }], isKnown: false },
  'other-id': { id: own, asked: own },
  'other-sales': { by: own, covered: [x], others: [[x, 1]] },
  'other-size': { measure: own, factor: 10, large: { source: 'offer', sum: 9 }, small: { source: 'offer', sum: 1 } },
  'other-sum': { measure: own, sums: [{ source: 'offer', sum: 9 }] },
  'other-visitor': { subid: x },
  'other-weekdays': span,
  'other-zone': { tracker: own, zone: own, set: own },
  'one-sale-decides': { revenue: 1, day, changeWithout: 2 },
  'others-unread': { why: own },
  'page-effect': { page, before: part, after: part },
  'pages-left-out': { because: 'idle', pages: [x] },
  'pages-not-shown': { group: own, count: 1 },
  'part-of-answer': { tracker: x, parts: [{ tables: [x], rows: 1, fields: [[x, x]] }] },
  'others-moved': { pages: [{ page, share: 1, before: 2 }] },
  'parts-unknown': { campaigns: [{ id: '1', name: x }], why: { because: 'visits refused', failure: x } },
  'payout-changed': { page: x, before: 1, after: 2, since: day },
  'payout-moved': { offer: x, before: 1, after: 2, since: day },
  'sales-counted': { offer: x, before: 1, after: 2, since: day },
  'payouts-vary-much': { leader: x, verdict: own },
  'percent-missed': { page, percent: 1, wished: 2 },
  placements: { sources: [{ token: x, source: x }] },
  proposal: {
    ...{ id: own, tool: own, tracker: own, approver: own, state: 'done' },
    ending: { change: own, message: x },
  },
  'queried-a-part': { name: own, alias: own, gap: { lacks: 'visits' } },
  'replicas-unknown': { failure: own },
  reversal: {
    ...{ dimension: own, ahead: x, better: x, parts: [{ value: x, ahead: 1, better: 2 }], most: x },
  },
  'rows-match': { table: x, rows: 1, of: 2, sums: [[own, 1]] },
  'reviewed-days': { days: 2, first: day },
  'sale-day': { date: x, visit: x, conversion: x },
  'sales-cut': { why: { because: 'failure', failure: own } },
  'sales-read-in-part': { why: { because: 'failure', failure: own } },
  'sales-unread': { why: { because: 'failure', failure: own } },
  'same-click-id': { subids: [x] },
  'sample-of-campaigns': { count: 1, campaigns, read },
  'searched-elsewhere': { since: day, searched: 1, unread: 1, of: 3, found: 0 },
  'sent-too': { isWrite: true, fields: [[x, x]] },
  'shared-values': {
    ...{ given: 1, of: 2, others: 3, tested: 4, falseFindings: 0.05, more: 1 },
    values: [{ dimension: x, value: x, given: 1, givenOf: 2, others: 3, othersOf: 4 }],
  },
  'shared-values-untested': { failure: own },
  'shares-differ': { pages: [{ page, share: 1 }] },
  'so-far': { day, before: day, until: '09:40', without: [own] },
  'sources-unread': { why: own },
  'statement-columns': { columns: [[own, x]] },
  'statement-gap': { currency: x, paid: 1, listed: 2, classes: [] },
  'statement-without-times': span,
  'statements-currencies': { currencies: [x] },
  'statuses-of-network': { network: own },
  'statuses-unclear': { statuses: [x] },
  'stray-rows': { tracker: x, rows: [{ table: x, cells: [x] }] },
  'subids-repaired': { count: 1, cell: x, visitor: x },
  'surroundings-unread': { failure: own },
  'time-over': { campaigns },
  'today-unread': { values: [{ name: own, request: own }] },
  'token-meant': { name: x, token: x, slot: own },
  'token-of-same-name': { name: x, slots: [own] },
  'too-large-to-query': { table: x, megabytes: 1 },
  'total-is-no-page': { name: x },
  'tracker-said': { text: x },
  'tracker-unread': { tracker: own, failure: own },
  'trackers-currency': { currency: x },
  'trackers-total': { rows: [{ table: x, isFirst: true, name: x }] },
  'traffic-stops': { pages: [page] },
  'undone-already': { changes: [{ id: own, by: own }] },
  'uneven-weekdays': { often: [own], times: 1, days: 8 },
  'unknown-before': { names: [own], why: { because: 'open number', cell: x } },
  'unlisted-views': { listed: 1, reported: 2, campaigns },
  'vague-page-ids': { column: x, kind: 'offer' },
  'valued-as-asked': valued,
  'valued-at-new-payout': { ...valued, before: 4, since: day },
  'values-as-set': { missing: [own] },
  'values-differ': { values: [[own, x]] },
  'values-replaced': { dimension: own, campaign: x, since: day, before: x, after: x },
  'versions-replaced': { dimension: own, before: x, after: x },
  'visits-not-whole': read,
  'visits-read-in-part': { visits: 1, ...span },
  'waits-for-approval': { id: own, minutes: 9, page: own },
  'tried-between-changes': { changed: [day], isPartSet: true },
  'tried-untold': { set: 2, why: 'few-visitors', page: own, has: 3, needs: 20, days: 14, changed: [day] },
  'visits-that-match': {
    visits: 0,
    of: 1,
    where: [{ column: x, op: '=', values: [x] }],
    seen: [{ column: x, values: [own] }],
  },
  'write-already-so': { write: 1, request: own },
};

const notes = Object.entries(examples).map(([code, data]) => ({ code, ...data }) as Note);

/** What a text has outside of quotation marks. */
const outside = (text: string) => text.replaceAll(/“[^“”]*”|"(?:[^"\\]|\\.)*"/g, '');

/** Failures are cleaned, and quote what they name when they are made. */
const withFailures = ['effect-unknown', 'not-read-again', 'parts-unknown', 'proposal'];

test.each(notes.map((note) => [note.code, note] as const))(
  'in %s, text of a stranger stays clean, short and in its quotation marks, for a model and on a terminal',
  (code, note) => {
    const look = { width: 120, shape: 'table', isColoured: true } as const;
    const onTerminal = forTerminal(renderResult({ structured: {}, blocks: [note] }, look));
    for (const said of [sayNotice(note), sayToPerson(note) ?? '', onTerminal.replaceAll(/\n */g, ' ')]) {
      expect(dangerIn(said)).toBeUndefined();
      expect(said.split('\n')).toHaveLength(1);
      expect(said.length).toBeLessThan(3500);
      if (!withFailures.includes(code)) expect(outside(said)).not.toMatch(/STRANGER|IMPORTANT/);
    }
  },
);
