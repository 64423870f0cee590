import * as z from 'zod';
import { ownCurrency } from '../../analysis/columns/formats.ts';
import { currencyBehind } from '../../api/vocabulary.ts';
import type { ValuesBefore } from '../../guard/write.ts';
import { show } from '../check-arguments.ts';
import type { Given, JsonRecord } from '../define-tool.ts';
import { cleanValues } from './cells.ts';

/** One write of a change, as tools show it. */
export type ShownStep = Readonly<{
  tool: string;
  arguments: JsonRecord;
  before: JsonRecord;
  outcome: string;
  /** What its money is in; absent if it has none, or it is not known. */
  currency?: string;
}>;

/** The writes of a change. A client gets little of them, since every agent pays for it. */
export const shownSteps = z.array(z.custom<ShownStep>(isShownStep).meta({ type: 'object' }));

function isShownStep(value: unknown): value is ShownStep {
  return typeof value === 'object' && value !== null && 'arguments' in value && 'before' in value && 'outcome' in value;
}

/** The same before it is fit to be shown. */
type Written = Readonly<{ tool: string; arguments: Given; before: ValuesBefore; outcome: string }>;

/** One write of a change, as data; its money is in the currency, if that is known. */
export function presentStep(
  { tool, arguments: given, before, outcome }: Written,
  currency: string | undefined,
): ShownStep {
  return { tool, arguments: cleanValues(given), before: cleanValues(before), outcome, ...ownCurrency(given, currency) };
}

/** `edit_campaign_page campaign_id 1, page_id 4: share 40 -> 30 (ok)` */
export function describeStep({ tool, arguments: given, before, outcome, currency }: ShownStep): string {
  const names = Object.keys(given).filter((name) => name !== 'dry_run');
  const set = names
    .filter((name) => !isSubject(tool, name))
    .map((name) => {
      const said = (value: unknown) => showArgument(name, value, currency);
      return `${name} ${name in before ? `${said(before[name])} -> ` : ''}${said(given[name])}`;
    });
  return `${describeSubject(tool, given)}: ${set.join(', ')} (${outcome})`;
}

/** `edit_campaign_page campaign_id 1, page_id 4` */
export function describeSubject(tool: string, given: Given): string {
  const subjects = Object.entries(given).filter(([name]) => isSubject(tool, name));
  return `${tool} ${subjects.map(([name, value]) => `${name} ${show(value)}`).join(', ')}`.trimEnd();
}

/** The value of an argument as a quotation, an amount of money with its currency. */
export function showArgument(name: string, value: unknown, currency: string | undefined): string {
  return `${show(value)}${currencyBehind(name, value, currency)}`;
}

/** Whether an argument says what is changed, and not to what. */
export function isSubject(tool: string, argument: string): boolean {
  return (
    argument === 'campaign_id' || (tool.startsWith('edit_') && argument !== 'new_page_id' && argument.endsWith('_id'))
  );
}
