import * as z from 'zod';
import type { NoteOf } from '../answer/notes.ts';
import { Failure } from '../api/failure.ts';
import { type Listed, takesName } from '../api/parameters.ts';
import { countInWords } from '../api/rules.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { rawText, show } from '../api/text/tracker-text.ts';
import { checkArguments } from './check-arguments.ts';
import { type Answer, type CallContext, mapAnswer, type Tool, withNotices } from './define-tool.ts';
import {
  type Candidate,
  knownCampaign,
  listCandidates,
  lookUp,
  mayLookUp,
  nameLists,
  nearestCandidates,
} from './name-lists.ts';
import { reportDays } from './rotation/pool.ts';

/**
 * Replaces names in the arguments of a call by IDs. After this step there are only IDs: in limits, questions, the audit trail,
 * proposals and requests.
 */

/** A name in the arguments of a call, for an argument that its schema declares with `is.campaign` or `is.page`. */
interface GivenName {
  /** Such as `shares.page_id`. */
  readonly label: string;
  readonly of: Listed;
  readonly name: string;
}

const known = new WeakMap<z.core.$ZodType, boolean>();

/** Whether any part of a schema takes names. Found once for each, because asking a schema takes longer than reading a value. */
function mayHoldName(schema: z.core.$ZodType): boolean {
  let mayHold = known.get(schema);
  if (mayHold === undefined) {
    mayHold = takesName.get(schema) !== undefined || partsOf(schema).some(mayHoldName);
    known.set(schema, mayHold);
  }
  return mayHold;
}

function partsOf(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return [schema.def.innerType];
  if (schema instanceof z.ZodArray) return [schema.element];
  return schema instanceof z.ZodObject ? Object.values(schema.shape) : [];
}

/** The arguments with each name replaced. */
function replaceNames(
  schema: z.core.$ZodType | undefined,
  given: unknown,
  replace: (name: GivenName) => unknown,
  label = '',
): unknown {
  if (schema === undefined || !mayHoldName(schema)) return given;
  const of = takesName.get(schema)?.of;
  if (of) return isName(given) ? replace({ label, of, name: given }) : given;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return replaceNames(schema.def.innerType, given, replace, label);
  }
  if (schema instanceof z.ZodArray && Array.isArray(given)) {
    return given.map((item) => replaceNames(schema.element, item, replace, label));
  }
  if (!(schema instanceof z.ZodObject) || typeof given !== 'object' || given === null || Array.isArray(given))
    return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      return [name, replaceNames(field, value, replace, label === '' ? name : `${label}.${name}`)];
    }),
  );
}

/** Longer than any name that a tracker takes. */
const maxNameLength = 1000;

/** Digits are an ID, even if a record has them as its name. */
function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > maxNameLength) return false;
  const text = cleanText(value).trim();
  return text !== '' && !/^[-+]?\p{Nd}+(\.\p{Nd}+)?$/u.test(text);
}

type NamedInput = Pick<Tool, 'name' | 'input'>;

/** Checks arguments that may hold names, before these are looked up. Throws a Failure that names every mistake. */
export function checkWithNames(tool: NamedInput, given: unknown): void {
  checkArguments(
    tool,
    replaceNames(tool.input(), given, () => 1),
  );
}

function namesIn({ input }: NamedInput, given: unknown): readonly GivenName[] {
  const names: GivenName[] = [];
  replaceNames(input(), given, (name) => names.push(name));
  return names;
}

/** Refuses names in a call to several trackers. */
export function refuseNames(tool: NamedInput, given: unknown): void {
  const [first] = namesIn(tool, given);
  if (!first) return;
  throw new Failure(
    `${tool.name} was not called: ${first.label} holds a name, and names are looked up on one tracker.`,
    'Name the tracker.',
  );
}

/** The arguments of a call, with IDs only. */
interface ResolvedCall {
  readonly given: unknown;
  readonly named: readonly Candidate[];
  /** The same, for the question to a person; undefined if the call names nothing. */
  readonly asked: AboutNote | undefined;
}

/**
 * Replaces the names in a call by IDs. Without a name, nothing is requested from the tracker.
 *
 * A read takes the exact name, else the name that differs only in letter case and spaces, else the only name that contains the text, else
 * the only one that has all its words in any order. A
 * write takes the only name that differs at most in letter case and spaces.
 *
 * @throws Failure if the arguments have mistakes, if a name matches no record or several, or if the list cannot be read
 */
export async function resolveNames(tool: Tool, given: unknown, context: CallContext): Promise<ResolvedCall> {
  const names = namesIn(tool, given);
  if (names.length === 0) return { given, named: [], asked: undefined };
  checkWithNames(tool, given);
  const records = new Map<string, Candidate>();
  const keyOf = ({ of, name }: GivenName) => `${of} ${name}`;
  let resolved = given;
  // Campaigns first: a page is looked up in the campaign that the call names.
  for (const kind of ['campaign', 'page'] as const) {
    const [first, ...others] = names.filter(({ of }) => of === kind);
    if (!first) continue;
    const wanted = [first, ...others] as const;
    const matches = await findAll(wanted, tool, campaignIn(resolved), context);
    for (const [index, name] of wanted.entries()) records.set(keyOf(name), matches[index] as Candidate);
    resolved = replaceNames(tool.input(), resolved, (name) => records.get(keyOf(name))?.id ?? name.name);
  }
  const named = [...records.values()];
  return { given: resolved, named, asked: aboutRecords(named) };
}

/** What a call is about, for its answer: its campaign, if the name is known, and what it names; undefined if no name is known. */
export async function describeCall(
  { given, named }: ResolvedCall,
  context: CallContext,
): Promise<AboutNote | undefined> {
  const isNamed = named.some(({ of }) => of === 'campaign');
  const campaign = isNamed ? undefined : await knownCampaign(campaignIn(given), context);
  return aboutRecords(campaign ? [campaign, ...named] : named);
}

/** The campaign ID in a call; NaN if it has none. */
function campaignIn(given: unknown): number {
  return Number((given as { readonly campaign_id?: unknown } | null | undefined)?.campaign_id);
}

const maxDescribed = 10;

type AboutNote = NoteOf<'about'>;

function aboutRecords(all: readonly Candidate[]): AboutNote | undefined {
  const records = all.slice(0, maxDescribed).map(({ of, id, name }) => ({ of, id, name: rawText(name) }));
  return records.length === 0 ? undefined : { code: 'about', records, more: all.length - records.length };
}

/** Adds the names of a call's records to its answer. */
export function withAbout(answer: Answer, about: AboutNote | undefined): Answer {
  return about === undefined ? answer : mapAnswer(answer, (result) => withNotices(result, { before: [about] }));
}

/** The record for each name of one kind. The failure lists all names that do not match exactly one. */
async function findAll(
  names: readonly [GivenName, ...GivenName[]],
  tool: Tool,
  campaignId: number,
  context: CallContext,
): Promise<readonly Candidate[]> {
  const [{ of, name: firstName }] = names;
  const { endpoint, called } = nameLists[of];
  const isWrite = tool.access !== 'read';
  const refused = (problem: string, next: string) => new Failure(`${tool.name} was not called: ${problem}`, next);
  if (!mayLookUp(of, context)) {
    throw refused(`${show(firstName)} is a name, and ${endpoint}, which has names, is not offered.`, 'Give the ID.');
  }
  const texts = names.map(({ name }) => name);
  const { matches, candidates } = await lookUp(texts, of, { isWrite, campaignId }, context).catch((error: unknown) => {
    if (!(error instanceof Failure) || context.signal?.aborted) throw error;
    const problem = `${show(firstName)} is a name, and ${called} could not be read: ${error.message}`;
    throw refused(problem, 'An ID needs no list.');
  });
  const wrong = [...names.entries()].filter(([index]) => matches[index]?.length !== 1);
  if (wrong.length === 0) return matches.flat();
  const problems = wrong
    .slice(0, maxProblems)
    .map(([index, given]) => describeProblem(given, matches[index] ?? [], candidates));
  const more =
    wrong.length > maxProblems ? [`Also wrong: ${countInWords(wrong.length - maxProblems, 'more name')}.`] : [];
  const isUnknown = matches.some(({ length }) => length === 0);
  const next = isUnknown && isWrite ? 'A write takes the ID or the whole name.' : 'Give the ID instead.';
  const hint = isUnknown && of === 'page' ? ` A page without visits in ${reportDays} days may be in no report.` : '';
  throw refused([...problems, ...more].join(' '), next + hint);
}

/** Max wrong names to explain. */
const maxProblems = 5;

function describeProblem(given: GivenName, matches: readonly Candidate[], candidates: readonly Candidate[]): string {
  const name = `${given.label} ${show(given.name)}`;
  if (matches.length > 0) return `${name} matches ${matches.length} ${given.of}s: ${listCandidates(matches)}.`;
  const nearest = nearestCandidates(given.name, candidates);
  const hint =
    nearest.length === 0
      ? `There are no names in ${nameLists[given.of].called}.`
      : `The nearest: ${listCandidates(nearest)}.`;
  return `${name} matches no ${given.of}. ${hint}`;
}
