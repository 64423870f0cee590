import * as z from 'zod';
import { currencyField } from '../../analysis/columns/formats.ts';
import { isSubject } from '../../answer/changes.ts';
import type { Note, NoteOf } from '../../answer/notes.ts';
import type { WhyUnknown } from '../../answer/write-notes.ts';
import { moneyArguments } from '../../api/vocabulary.ts';
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
