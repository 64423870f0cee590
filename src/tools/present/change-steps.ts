import * as z from 'zod';
import { currencyField } from '../../analysis/columns/formats.ts';
import type { Note, NoteOf } from '../../answer/notes.ts';
import type { WhyUnknown } from '../../answer/write-notes.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import { show } from '../../api/text/tracker-text.ts';
import { currencyAfter, moneyArguments } from '../../api/vocabulary.ts';
import type { Given, JsonRecord } from '../define-tool.ts';
import { cleanValues } from './cells.ts';

/** One step of a change, as tools show it. */
export type ShownStep = Readonly<{
  /** Of several writes: which one of the call it is, or the change that it undoes, and its own change. */
  write?: number;
  undoes?: string;
  change_id?: string;
  tool: string;
  arguments: JsonRecord;
  before: JsonRecord;
  outcome: string;
  /** The ID that the tracker gave to what was added. */
  id?: string;
  /** The currency of its amounts; absent if it has none, or the currency is unknown. */
  currency?: string;
}>;

/** The steps of a change. The schema is short because it costs every agent tokens. */
export const shownSteps = z.array(z.custom<ShownStep>(isShownStep).meta({ type: 'object' }));

function isShownStep(value: unknown): value is ShownStep {
  return typeof value === 'object' && value !== null && 'arguments' in value && 'before' in value && 'outcome' in value;
}

/** A step as tools show it, with its texts cleaned. */
export function presentStep(
  {
    tool,
    arguments: given,
    before,
    outcome,
  }: Pick<ShownStep, 'tool' | 'outcome'> & Record<'arguments' | 'before', Given>,
  currency: string | undefined,
): ShownStep {
  return {
    tool,
    arguments: cleanValues(given),
    before: cleanValues(before),
    outcome,
    ...currencyField(given, currency),
  };
}

/** `edit_campaign_page campaign_id 1, page_id 4: share 40 -> 30 (ok)` */
export function describeStep({ write, tool, arguments: given, before, outcome, currency, ...ids }: ShownStep): string {
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

/** How many times an amount must grow or shrink. */
const leapFactor = 100;

/** Amounts of money that leap: a decimal point may be in the wrong place. */
function leapsOf(given: Given, before: Given) {
  return moneyArguments.flatMap((argument) => {
    const [old, set] = [before[argument], given[argument]];
    if (typeof old !== 'number' || typeof set !== 'number' || old <= 0 || set <= 0) return [];
    const times = growthOf(old, set);
    return times >= leapFactor ? [{ argument, before: old, after: set, times }] : [];
  });
}

/** How many times one amount is the other, the larger over the smaller, without floating-point noise. */
function growthOf(one: number, other: number): number {
  return Number((Math.max(one, other) / Math.min(one, other)).toPrecision(9));
}

/** A note for each amount that leaps. */
export function leapNotes(given: Given, valuesBefore: Given, currency: string | undefined): NoteOf<'leap'>[] {
  return leapsOf(given, valuesBefore).map((leap) => ({ code: 'leap', ...leap, currency }));
}

/** The arguments of an edit whose values before are not known, so that an undo cannot restore them. */
export function unknownBefore(tool: string, given: Given, before: Given): string[] {
  return Object.keys(given).filter((name) => !isSubject(tool, name) && !(name in before));
}

/** Empty if all are known. */
export function unknownBeforeNote(tool: string, given: Given, before: Given, why?: WhyUnknown): Note[] {
  const names = unknownBefore(tool, given, before);
  return names.length === 0 ? [] : [{ code: 'unknown-before', names, why }];
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
