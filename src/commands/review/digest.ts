import { weekdays } from '../../analysis/visit-groups.ts';
import { moneyOfFinding, underHeadings } from '../../answer/findings.ts';
import { joined, marked, type TextFor, textFor } from '../../api/text/destinations.ts';
import { type ShownFinding, shownFinding } from '../../tools/account-review.ts';
import { dayInWords, shiftDays } from '../../tools/period.ts';
import type { Changes } from './state.ts';

/** The report of a round about one tracker. */
export interface TrackerReport {
  readonly name: string | undefined;
  readonly currency: string | undefined;
  readonly asOf: string;
  readonly changes: Changes;
  readonly unseen: readonly string[];
  /** Whether this round, and the last one, failed to look. */
  readonly isBlind: boolean;
  readonly wasBlind: boolean;
}

export function hasNews({ changes: { added, wellAgain }, isBlind, wasBlind }: TrackerReport): boolean {
  return added.length > 0 || wellAgain.length > 0 || isBlind !== wasBlind;
}

/** The report that is posted and printed as JSON. Its text is for chat programs; the other fields are data, as the tracker has them. */
export function reportOf(reports: readonly TrackerReport[], waiting: number) {
  return {
    text: render(reports, waiting, 'chat'),
    trackers: reports.map(({ name, asOf, changes: { added, still, accepted, wellAgain }, unseen }) => ({
      ...(name === undefined ? {} : { tracker: name }),
      as_of: asOf,
      new: added.map(shownFinding),
      still: still.map(shownFinding),
      ...(accepted.length === 0 ? {} : { accepted: accepted.map(shownFinding) }),
      well_again: wellAgain,
      could_not_see: unseen,
    })),
    proposals_waiting: waiting,
  };
}

/** The markup of a digest. */
const marks = {
  chat: { title: '', heading: '', item: '' },
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
  const blocks = reports.map(
    ({ name, currency, asOf, changes: { added, still, accepted, wellAgain }, unseen, isBlind }) => {
      const money = currency === undefined || added.length === 0 ? '' : `; money in ${currency}`;
      const known = accepted.length === 0 ? '' : `, ${accepted.length} accepted`;
      const head = isBlind
        ? 'Could not look'
        : `${asOf}: ${added.length} new, ${still.length} still, ${wellAgain.length} well again${known}${money}`;
      const isQuiet = !isBlind && added.length + wellAgain.length + unseen.length === 0;
      const groups = underHeadings(added).flatMap(({ heading: group, findings }) => [
        line(heading, group),
        ...findings.map((finding) => line(item, lineOf(finding, asOf))),
      ]);
      const items = [
        ...accepted.map(
          ({ id, what, until }) => `accepted${until === undefined ? '' : ` until ${until}`}: ${what} (${id})`,
        ),
        ...wellAgain.map((what) => `well again: ${what}`),
        ...unseen.map((what) => `not seen: ${what}`),
        ...(isQuiet ? ['All was read, and there is nothing new.'] : []),
      ];
      const first = line(title, `${name === undefined ? '' : `${name}, `}${head}`);
      return joined([first, ...groups, ...items.map((text) => line(item, text))], '\n');
    },
  );
  const writes = waiting === 1 ? '1 proposed write waits' : `${waiting} proposed writes wait`;
  const proposals = waiting === 0 ? [] : [line('', `${writes} for a yes: tracker-mcp approve`)];
  return joined([...blocks, ...proposals], '\n\n');
}

/** A finding in one short line. JSON has its chance, the exact money and all arguments of the next call. */
export function lineOf(finding: ShownFinding, asOf: string): string {
  const { id, what, campaign_id, since, next } = finding;
  const campaign = campaign_id === 0 ? '' : `${campaign_id} `;
  const money = moneyOfFinding(finding, (amount) =>
    amount < 10 ? amount.toFixed(2) : Math.round(amount).toLocaleString('en-US'),
  );
  const [by] = Object.values(next.arguments).find(Array.isArray) ?? [];
  const isNamed = by === undefined || what.includes(`: ${String(by).replaceAll('_', ' ')} `);
  const call = isNamed ? next.tool : `${next.tool} by ${by}`;
  return `${money === '' ? '' : `${money}: `}${campaign}${what}, since ${shortTime(since, asOf)} → ${call} (${id})`;
}

/** `Sun 22 Nov 14:00` as `today 14:00`, `yesterday`, `Sunday` or `9 Nov`. */
function shortTime(since: string, asOf: string): string {
  const dayBefore = (days: number) => dayInWords(shiftDays(asOf.slice(0, 10), -days));
  const age = [0, 1, 2, 3, 4, 5, 6].find((days) => since.startsWith(`${dayBefore(days)} `));
  const [weekday = '', day, month, hour] = since.split(' ');
  if (age === undefined) return `${day} ${month}`;
  if (age > 1) return weekdays.find((name) => name.startsWith(weekday)) ?? since;
  return age === 0 ? `today ${hour}` : 'yesterday';
}
