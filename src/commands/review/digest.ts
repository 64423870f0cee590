import { weekdays } from '../../analysis/visit-groups.ts';
import type { Finding } from '../../tools/account-review.ts';
import { dayInWords, shiftDays } from '../../tools/period.ts';
import type { Changes } from './state.ts';

/** What a round found at one tracker. */
export interface Seen {
  readonly name: string | undefined;
  readonly currency: string | undefined;
  readonly asOf: string;
  readonly changes: Changes;
  readonly unseen: readonly string[];
  readonly isBlind: boolean;
  readonly wasBlind: boolean;
}

export function isNews({ changes: { added, wellAgain }, isBlind, wasBlind }: Seen): boolean {
  return added.length > 0 || wellAgain.length > 0 || isBlind !== wasBlind;
}

/** What is posted, and printed as JSON. */
export function messageOf(seen: readonly Seen[], waiting: number) {
  return {
    text: render(seen, waiting, false).trim(),
    trackers: seen.map(({ name, asOf, changes: { added, still, wellAgain }, unseen }) => ({
      ...(name === undefined ? {} : { tracker: name }),
      as_of: asOf,
      new: added.map(withoutKey),
      still: still.map(withoutKey),
      well_again: wellAgain,
      could_not_see: unseen,
    })),
    proposals_waiting: waiting,
  };
}

function withoutKey({ key: _, ...finding }: Finding) {
  return finding;
}

/** @param waiting how many proposed writes wait for a yes */
export function render(seen: readonly Seen[], waiting: number, isMarkdown: boolean): string {
  const item = isMarkdown ? '- ' : '';
  const blocks = seen.map(({ name, currency, asOf, changes: { added, still, wellAgain }, unseen, isBlind }) => {
    const money = currency === undefined || added.length === 0 ? '' : `; money in ${currency}`;
    const head = isBlind
      ? 'Could not look'
      : `${asOf}: ${added.length} new, ${still.length} still, ${wellAgain.length} well again${money}`;
    const title = `${name === undefined ? '' : `${name}, `}${head}`;
    const isQuiet = !isBlind && added.length + wellAgain.length + unseen.length === 0;
    return [
      isMarkdown ? `## ${title}` : title,
      ...added.map((finding) => `${item}${lineOf(finding, asOf)}`),
      ...wellAgain.map((what) => `${item}well again: ${what}`),
      ...unseen.map((what) => `${item}not seen: ${what}`),
      ...(isQuiet ? [`${item}All was read, and there is nothing new.`] : []),
    ].join('\n');
  });
  const proposals = waiting === 0 ? [] : [`${waiting} proposed writes wait for a yes: tracker-mcp approve`];
  return `${[...blocks, ...proposals].join('\n\n')}\n`;
}

/** A finding in a line that is read in a second; JSON has its chance, the exact money, and all arguments of the next call. */
export function lineOf({ what, campaign_id, since, money_a_day, next }: Finding, asOf: string): string {
  const campaign = campaign_id === 0 ? '' : `${campaign_id} `;
  const money = money_a_day < 10 ? money_a_day.toFixed(2) : Math.round(money_a_day).toLocaleString('en-US');
  const [by] = Object.values(next.arguments).find(Array.isArray) ?? [];
  const isNamed = by === undefined || what.includes(`: ${String(by).replaceAll('_', ' ')} `);
  const call = isNamed ? next.tool : `${next.tool} by ${by}`;
  return `${money} a day: ${campaign}${what}, since ${shortly(since, asOf)} → ${call}`;
}

/** `today 14:00`, `yesterday`, `Sunday` or `9 Nov` for `Sun 22 Nov 14:00`. */
function shortly(since: string, asOf: string): string {
  const dayBefore = (days: number) => dayInWords(shiftDays(asOf.slice(0, 10), -days));
  const age = [0, 1, 2, 3, 4, 5, 6].find((days) => since.startsWith(`${dayBefore(days)} `));
  const [weekday = '', day, month, hour] = since.split(' ');
  if (age === undefined) return `${day} ${month}`;
  if (age > 1) return weekdays.find((name) => name.startsWith(weekday)) ?? since;
  return age === 0 ? `today ${hour}` : 'yesterday';
}
