import * as z from 'zod';
import type { ValuesBefore } from '../../guard/changes.ts';
import { show } from '../check-arguments.ts';
import type { Given, JsonRecord } from '../define-tool.ts';
import { cleanValues } from './cells.ts';

/** The writes of a change: a list of `ShownStep`, of which a client is told little, since every agent pays for it. */
export const shownSteps = z.array(z.record(z.string(), z.unknown()));

/** One write of a change, as tools show it. */
export type ShownStep = Readonly<{ tool: string; arguments: JsonRecord; before: JsonRecord; outcome: string }>;

/** The same before it is fit to be shown. */
type Written = Readonly<{ tool: string; arguments: Given; before: ValuesBefore; outcome: string }>;

/** One write of a change, as data. */
export function presentStep({ tool, arguments: given, before, outcome }: Written): ShownStep {
  return { tool, arguments: cleanValues(given), before: cleanValues(before), outcome };
}

/** `edit_campaign_page campaign_id 1, page_id 4: share 40 -> 30 (ok)` */
export function describeStep({ tool, arguments: given, before, outcome }: ShownStep): string {
  const names = Object.keys(given).filter((name) => name !== 'dry_run');
  const where = names.filter((name) => isSubject(tool, name)).map((name) => `${name} ${show(given[name])}`);
  const set = names
    .filter((name) => !isSubject(tool, name))
    .map((name) => `${name} ${name in before ? `${show(before[name])} -> ` : ''}${show(given[name])}`);
  return `${tool}${where.length === 0 ? '' : ` ${where.join(', ')}`}: ${set.join(', ')} (${outcome})`;
}

/** Whether an argument says what is changed, and not to what. */
export function isSubject(tool: string, argument: string): boolean {
  return (
    argument === 'campaign_id' || (tool.startsWith('edit_') && argument !== 'new_page_id' && argument.endsWith('_id'))
  );
}
