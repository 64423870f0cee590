import { cleanText } from '../api/text/clean-text.ts';
import { show } from '../api/text/tracker-text.ts';
import { currencyAfter } from '../api/vocabulary.ts';
import { type ChangeOutcome, sayOutcome } from './outcomes.ts';

/** What requests set, and what changes did. */

type Given = Readonly<Record<string, unknown>>;

type Step = {
  /** Of several writes: which one of the call it is, and its own change. */
  readonly write?: number;
  readonly change_id?: string;
  readonly tool: string;
  readonly arguments: Given;
  readonly before: Given;
  readonly outcome: string;
  /** The ID that the tracker gave to what was added. */
  readonly id?: string;
  readonly currency?: string;
};

/** `edit_campaign_page campaign_id 1, page_id 4: share 40 -> 30 (ok)` */
export function describeStep({ write, tool, arguments: given, before, outcome, currency, ...ids }: Step): string {
  const number = write === undefined ? '' : `${write}. `;
  const made = [ids.id && `, ID ${ids.id}`, ids.change_id && `, change ${ids.change_id}`].join('');
  const set = Object.entries(given)
    .filter(([name]) => !isSubject(tool, name))
    .map(([name, value]) => `${name} ${oldToNew(name, before, value, currency)}`);
  return `${number}${describeSubject(tool, given)}: ${set.join(', ')} (${outcome}${made})`;
}

/**
 * What a request sets, for a person who decides: `bid: 0.1 EUR -> 0.25 EUR`. No value is shortened.
 *
 * @param nameByArgument the names of records whose IDs are given, in quotation marks: `campaign id: 1 (“Search”)`
 */
export function describeChanges(
  given: Given,
  before: Given,
  currency: string | undefined,
  nameByArgument: Readonly<Record<string, string>> = {},
): string[] {
  const quote = (value: unknown) => cleanText(JSON.stringify(value));
  return Object.entries(given).map(([argument, value]) => {
    const name = nameByArgument[argument];
    const change = oldToNew(argument, before, value, currency, quote);
    return `${argument.replaceAll('_', ' ')}: ${change}${name === undefined ? '' : ` (${name})`}`;
  });
}

/** The old value of an argument, if it is known, and the new one: `0.1 EUR -> 0.25 EUR` */
export function oldToNew(name: string, before: Given, value: unknown, currency?: string, quote = show): string {
  const changed = showArgument(name, value, currency, quote);
  return name in before ? `${showArgument(name, before[name], currency, quote)} -> ${changed}` : changed;
}

/** `edit_campaign_page campaign_id 1, page_id 4` */
export function describeSubject(tool: string, given: Given): string {
  const subjects = Object.entries(given).filter(([name]) => isSubject(tool, name));
  return `${tool} ${subjects.map(([name, value]) => `${name} ${show(value)}`).join(', ')}`.trimEnd();
}

/** The value of an argument, quoted, with the currency if it is an amount. */
export function showArgument(name: string, value: unknown, currency: string | undefined, quote = show): string {
  return `${quote(value)}${currencyAfter(name, value, currency)}`;
}

/** Whether an argument names the record that is changed, and is not a new value. */
export function isSubject(tool: string, argument: string): boolean {
  return (
    argument === 'campaign_id' || (tool.startsWith('edit_') && argument !== 'new_page_id' && argument.endsWith('_id'))
  );
}

type ListedChange = {
  readonly change_id: string;
  readonly tracker?: string;
  readonly time: string;
  readonly tool: string;
  readonly state: string;
  readonly campaign?: string;
  readonly steps: readonly Step[];
  readonly more_steps?: number;
  readonly outcome?: ChangeOutcome;
};

/** `1a2b3c  2026-11-02T10:00:00Z  edit_campaign_page: done; campaign 1 “Search”`, then a line for each step, and its outcome */
export function sayChange(change: ListedChange, currency: string | undefined): string[] {
  const { change_id: id, tracker, time, tool, state, campaign, steps, more_steps: more, outcome } = change;
  return [
    `${id}  ${tracker === undefined ? '' : `${tracker}  `}${time}  ${tool}: ${state}${campaign === undefined ? '' : `; campaign ${campaign}`}`,
    ...steps.map((step) => `  ${describeStep(step)}`),
    ...(more === undefined ? [] : [`  and ${more} more`]),
    ...(outcome === undefined ? [] : [`  outcome: ${sayOutcome(outcome, currency)}`]),
  ];
}

type Elsewhere = {
  readonly campaign_id: number;
  readonly group: string;
  readonly day: string;
  readonly pages: readonly { readonly page: string; readonly before: number; readonly after: number }[];
  readonly outcome: ChangeOutcome;
};

/** `elsewhere  2026-11-02  campaign 1, offers: 3 “Gym” 50% -> 20%, 4 “Yoga” 50% -> 80%` */
export function sayElsewhere({ campaign_id, group, day, pages, outcome }: Elsewhere): string {
  const split = pages.map(({ page, before, after }) => `${page} ${before}% -> ${after}%`).join(', ');
  return `elsewhere  ${day}  campaign ${campaign_id}, ${group}: ${split}\n  outcome: ${sayOutcome(outcome)}`;
}

type Made = {
  readonly steps: readonly { readonly outcome: string }[];
  readonly unsent?: number | undefined;
  readonly set?: { readonly id: string; readonly number: number; readonly of: number } | undefined;
  readonly undoes?: string | undefined;
  readonly undoneBy?: string | undefined;
  readonly approved?: { readonly approver: string } | undefined;
};

const outcomeLabels: Readonly<Record<string, string>> = {
  ok: 'done',
  waiting: 'not sent',
  unknown: 'outcome unknown',
};

/** `partly done (done, outcome unknown), undone by 4d5e6f` */
export function stateOfChange({ steps, unsent = 0, set, undoes, undoneBy, approved }: Made): string {
  const all = [...steps.map(({ outcome }) => outcome), ...(unsent > 0 ? ['waiting'] : [])];
  const outcomes = [...new Set(all.map((outcome) => outcomeLabels[outcome] ?? outcome))];
  return [
    outcomes.length === 1 ? outcomes[0] : `partly done (${outcomes.join(', ')})`,
    ...(set === undefined ? [] : [`write ${set.number} of ${set.of} of set ${set.id}`]),
    ...(approved === undefined ? [] : [`approved by ${approved.approver}`]),
    ...(undoes === undefined ? [] : [`undoes ${undoes}`]),
    ...(undoneBy === undefined ? [] : [`undone by ${undoneBy}`]),
  ].join(', ');
}
