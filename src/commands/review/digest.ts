import { daysFrom } from '../../analysis/sale-delay.ts';
import { weekdays } from '../../analysis/visit-dimensions.ts';
import { burdenOfFinding, moneyOfFinding, underHeadings } from '../../answer/findings.ts';
import { type HeldInReview, sayHeldInReview } from '../../answer/held-in-review.ts';
import { sayOutcome } from '../../answer/outcomes.ts';
import { dayInWords } from '../../answer/words.ts';
import { joined, marked, type TextFor, textFor } from '../../api/text/destinations.ts';
import { type ShownFinding, shownFinding } from '../../tools/account-review.ts';
import type { NewOutcome } from '../../tools/list-changes.ts';
import type { Changes } from './state.ts';

/** The report of a round about one tracker. */
export interface TrackerReport {
  /** Undefined for the only one. */
  readonly name: string | undefined;
  /** Its name for a person, also if it is the only one. */
  readonly title: string;
  readonly currency: string | undefined;
  readonly timeZone: string;
  readonly asOf: string;
  readonly changes: Changes;
  readonly unseen: readonly string[];
  readonly held?: HeldInReview | undefined;
  /** Those that came in since the last round. */
  readonly outcomes: readonly NewOutcome[];
  /** Whether this round, and the last one, failed to look. */
  readonly isBlind: boolean;
  readonly wasBlind: boolean;
}

export function hasNews({ changes: { added, wellAgain }, outcomes, isBlind, wasBlind }: TrackerReport): boolean {
  return added.length + wellAgain.length + outcomes.length > 0 || isBlind !== wasBlind;
}

/**
 * The report that is posted and printed as JSON. Its text is for chat programs, and begins with what costs most; the other fields are
 * data, as the tracker has them.
 */
export function reportOf(reports: readonly TrackerReport[], waiting: number) {
  return {
    text: renderMessage(reports, waiting),
    trackers: reports.map(({ name, asOf, changes: { added, still, accepted, wellAgain }, unseen, held, outcomes }) => ({
      ...(name === undefined ? {} : { tracker: name }),
      as_of: asOf,
      new: added.map(shownFinding),
      still: still.map(shownFinding),
      ...(accepted.length === 0 ? {} : { accepted: accepted.map(shownFinding) }),
      well_again: wellAgain,
      could_not_see: unseen,
      ...(held ? { held_money: held } : {}),
      ...(outcomes.length === 0 ? {} : { outcomes }),
    })),
    proposals_waiting: waiting,
  };
}

/** The markup of a digest. */
const marks = {
  terminal: { title: '', heading: '', item: '' },
  markdown: { title: '## ', heading: '### ', item: '- ' },
} as const;

/** @param waiting the number of proposed writes that wait for approval */
export function render<Name extends keyof typeof marks>(
  reports: readonly TrackerReport[],
  waiting: number,
  destination: Name,
): TextFor<Name> {
  const { title, heading, item } = marks[destination];
  const line = (mark: typeof title | typeof heading | typeof item, text: string) =>
    marked(mark, textFor(destination, text));
  const blocks = reports.map((report) => {
    const { name, asOf, changes } = report;
    const groups = underHeadings(changes.added).flatMap(({ heading: group, findings }) => [
      line(heading, group),
      ...findings.map((finding) => line(item, lineOf(finding, asOf))),
    ]);
    const first = line(title, `${name === undefined ? '' : `${name}, `}${outcomeOf(report)}`);
    return joined([first, ...groups, ...otherLines(report).map((text) => line(item, text))], '\n');
  });
  return joined([...blocks, ...proposalLines(waiting).map((text) => line('', text))], '\n\n');
}

/** The message to a chat: what costs most comes first, because a phone shows no more of it. */
function renderMessage(reports: readonly TrackerReport[], waiting: number): TextFor<'chat'> {
  const blocks = reports.map((report) => {
    const { name, title, asOf, currency, changes } = report;
    const start = name === undefined ? '' : `${name}: `;
    const findings = underHeadings(changes.added).flatMap(({ findings: ofGroup }) =>
      ofGroup.map((finding) => {
        const burden = burdenOfFinding(finding, (amount) => moneyAround(amount, currency));
        return `${start}${burden}: ${restOfLine(finding, asOf)}`;
      }),
    );
    const held = report.held ? sayHeldInReview(report.held).slice(0, 1) : [];
    const lines = [
      ...findings,
      `${title}, ${outcomeOf(report)}`,
      ...held,
      ...otherLines({ ...report, held: undefined }),
    ];
    return joined(
      lines.map((text) => textFor('chat', text)),
      '\n',
    );
  });
  return joined([...blocks, ...proposalLines(waiting).map((text) => textFor('chat', text))], '\n\n');
}

/** `2026-11-23 09:00 UTC: 2 new, 1 ongoing, 0 recovered; money in USD` */
function outcomeOf({ currency, timeZone, asOf, changes, isBlind }: TrackerReport): string {
  if (isBlind) return 'Could not look';
  const { added, still, accepted, wellAgain } = changes;
  const money = currency === undefined || added.length === 0 ? '' : `; money in ${currency}`;
  const known = accepted.length === 0 ? '' : `, ${accepted.length} accepted`;
  return `${asOf} ${timeZone}: ${added.length} new, ${still.length} ongoing, ${wellAgain.length} recovered${known}${money}`;
}

function otherLines(report: TrackerReport): string[] {
  const { changes, unseen, held, outcomes, isBlind, currency } = report;
  const { added, accepted, wellAgain } = changes;
  const isQuiet = !isBlind && added.length + wellAgain.length + unseen.length + outcomes.length === 0;
  return [
    ...accepted.map(
      ({ id, what, until }) => `accepted${until === undefined ? '' : ` until ${until}`}: ${what} (${id})`,
    ),
    ...wellAgain.map((what) => `recovered: ${what}`),
    ...outcomes.map(
      ({ change_id: id, tool, time, outcome }) =>
        `outcome of ${tool} of ${time.slice(0, 10)} (change ${id}): ${sayOutcome(outcome, currency)}`,
    ),
    ...(held ? sayHeldInReview(held) : []),
    ...unseen.map((what) => `not seen: ${what}`),
    ...(isQuiet ? ['Everything was read. There is nothing new.'] : []),
  ];
}

function proposalLines(waiting: number): string[] {
  const writes = waiting === 1 ? '1 proposed write waits' : `${waiting} proposed writes wait`;
  return waiting === 0 ? [] : [`${writes} for a yes: tracker-mcp approve`];
}

/** A finding in one short line. JSON has its chance, the exact money and all arguments of the next call. */
export function lineOf(finding: ShownFinding, asOf: string): string {
  const campaign = finding.campaign_id === 0 ? '' : `${finding.campaign_id} `;
  const money = moneyOfFinding(finding, (amount) =>
    amount < 10 ? amount.toFixed(2) : Math.round(amount).toLocaleString('en-US'),
  );
  return `${money === '' ? '' : `${money}: `}${campaign}${restOfLine(finding, asOf)}`;
}

/** What is wrong, since when, and the call that shows more. */
function restOfLine({ id, what, dimension, began, next }: ShownFinding, asOf: string): string {
  const [by] = Object.values(next.arguments).find(Array.isArray) ?? [];
  const isNamed = by === undefined || sameWords(by) === sameWords(dimension);
  const call = isNamed ? next.tool : `${next.tool} by ${by}`;
  return `${what}, since ${shortTime(began, asOf)} → ${call} (${id})`;
}

/** `$51`, `$0.40`: without cents from 1 on. */
function moneyAround(amount: number, currency: string | undefined): string {
  const style = currency === undefined ? {} : ({ style: 'currency', currency } as const);
  const digits = amount < 1 ? { minimumFractionDigits: 2 } : { minimumFractionDigits: 0, maximumFractionDigits: 0 };
  return amount.toLocaleString('en-US', { ...style, ...digits });
}

const sameWords = (name: unknown): string => String(name).replaceAll('_', ' ');

/** `2026-11-22 14:00` as `today 14:00`, `today` from midnight on, `yesterday`, `Sunday` or `9 Nov`. */
function shortTime(began: string, asOf: string): string {
  const [day, hour] = [began.slice(0, 10), began.slice(11)];
  const age = daysFrom(day, asOf.slice(0, 10));
  if (age === 0) return hour === '00:00' ? 'today' : `today ${hour}`;
  if (age === 1) return 'yesterday';
  const [weekday = '', ...date] = dayInWords(day).split(' ');
  return age > 6 ? date.join(' ') : (weekdays.find((name) => name.startsWith(weekday)) ?? weekday);
}
