import * as z from 'zod';
import { Failure } from '../api/failure.ts';
import { type Listed, takesName } from '../api/parameters.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { quoted } from '../api/text/tracker-text.ts';
import { checkArguments, show } from './check-arguments.ts';
import { type Answer, type CallContext, mapAnswer, type Tool } from './define-tool.ts';
import {
  type Candidate,
  knownCampaign,
  listCandidates,
  lookUp,
  maxShownName,
  mayLookUp,
  nameLists,
  nearestCandidates,
} from './name-lists.ts';
import { reportDays } from './rotation/campaign-pages.ts';

/**
 * The one step between a call and its tool that puts IDs in the place of names. Behind it there are IDs alone: in limits,
 * questions, the audit trail, proposals and requests.
 */

/** An argument that takes a name, as the way to it; `each` stands for the items of a list. */
interface NamedArgument {
  readonly path: readonly string[];
  readonly of: Listed;
}

const each = '[]';

const tables = new WeakMap<z.ZodObject, readonly NamedArgument[]>();

/** The arguments of a tool that take a name, as its input schema declares them with `is.campaign` and `is.page`. */
export function namedArguments(input: z.ZodObject): readonly NamedArgument[] {
  const known = tables.get(input) ?? namedIn(input, []);
  tables.set(input, known);
  return known;
}

function namedIn(schema: z.core.$ZodType, path: readonly string[]): readonly NamedArgument[] {
  const of = takesName.get(schema)?.of;
  if (of) return [{ path, of }];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return namedIn(schema.def.innerType, path);
  if (schema instanceof z.ZodArray) return namedIn(schema.element, [...path, each]);
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, inner]) => namedIn(inner, [...path, name]));
}

interface GivenName extends NamedArgument {
  readonly name: string;
}

/** The arguments with something else in the place of each name; all else is left as it came. */
function replaceNames(input: z.ZodObject, given: unknown, replace: (name: GivenName) => unknown): unknown {
  return namedArguments(input).reduce(
    (all, { path, of }) =>
      replaceAt(all, path, (value) => (isName(value) ? replace({ path, of, name: value }) : value)),
    given,
  );
}

function replaceAt(value: unknown, [step, ...rest]: readonly string[], replace: (value: unknown) => unknown): unknown {
  if (step === undefined) return replace(value);
  if (step === each) return Array.isArray(value) ? value.map((item) => replaceAt(item, rest, replace)) : value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return value;
  return { ...value, [step]: replaceAt((value as Readonly<Record<string, unknown>>)[step], rest, replace) };
}

/** Longer than any name that a tracker takes. */
const maxNameLength = 1000;

/** A number is an ID, however it is written and whatever is called by it. */
function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > maxNameLength) return false;
  const text = cleanText(value).trim();
  return text !== '' && !/^[-+]?\p{Nd}+(\.\p{Nd}+)?$/u.test(text);
}

type Called = Pick<Tool, 'name' | 'input'>;

/** Checks arguments that may hold names, before these are looked up. Throws a Failure that names every mistake. */
export function checkWithNames(tool: Called, given: unknown): void {
  checkArguments(
    tool,
    replaceNames(tool.input, given, () => 1),
  );
}

function namesIn({ input }: Called, given: unknown): readonly GivenName[] {
  const names: GivenName[] = [];
  replaceNames(input, given, (name) => names.push(name));
  return names;
}

/** Refuses names in a call that is about several trackers. */
export function refuseNames(tool: Called, given: unknown): void {
  const [first] = namesIn(tool, given);
  if (!first) return;
  throw new Failure(
    `${tool.name} was not called: ${labelOf(first)} holds a name, which is looked up on one tracker.`,
    'Name the tracker.',
  );
}

/** `shares.page_id` */
function labelOf({ path }: NamedArgument): string {
  return path.filter((step) => step !== each).join('.');
}

/** The arguments of a call with IDs alone. */
export interface ResolvedCall {
  readonly given: unknown;
  /** `Campaign 12: “Sweeps”.`, for the answer; undefined if no name is known. */
  readonly about: string | undefined;
  /** The same of what was named, for a person who is asked: a call that comes again with the answer must ask the same. */
  readonly asked: string | undefined;
}

/**
 * Puts IDs in the place of the names in a call. Without a name nothing is asked of the tracker.
 *
 * A read takes the exact name, else the one that differs in letter case and runs of spaces alone, else the only one that
 * contains it. A write takes the only one that differs in letter case and runs of spaces at most.
 *
 * @throws Failure if the arguments have mistakes, if a name fits nothing or several records, or if the list cannot be read
 */
export async function resolveNames(tool: Tool, given: unknown, context: CallContext): Promise<ResolvedCall> {
  const names = namesIn(tool, given);
  const describe = (records: readonly Candidate[]) => context.client.withoutKey(describeAll(records));
  const known = knownCampaign(campaignIn(given), context);
  if (names.length === 0) return { given, about: describe(known ? [known] : []), asked: undefined };
  checkWithNames(tool, given);
  const found = new Map<string, Candidate>();
  const keyOf = ({ of, name }: GivenName) => `${of} ${name}`;
  let resolved = given;
  // A page is looked up in the campaign that the call names, so campaigns go first.
  for (const kind of ['campaign', 'page'] as const) {
    const [first, ...others] = names.filter(({ of }) => of === kind);
    if (!first) continue;
    const wanted = [first, ...others] as const;
    const records = await findAll(wanted, tool, campaignIn(resolved), context);
    for (const [index, name] of wanted.entries()) found.set(keyOf(name), records[index] as Candidate);
    resolved = replaceNames(tool.input, resolved, (name) => found.get(keyOf(name))?.id ?? name.name);
  }
  const named = [...found.values()];
  return { given: resolved, about: describe(known ? [known, ...named] : named), asked: describe(named) };
}

/** The ID that a call gives as its campaign; NaN if it gives none. */
function campaignIn(given: unknown): number {
  return Number((given as { readonly campaign_id?: unknown } | null | undefined)?.campaign_id);
}

const maxDescribed = 10;

function describeAll(records: readonly Candidate[]): string | undefined {
  if (records.length === 0) return undefined;
  const said = records.slice(0, maxDescribed).map(({ of, id, name }) => `${of} ${id}: ${quoted(name, maxShownName)}`);
  const more = records.length > maxDescribed ? [`and ${records.length - maxDescribed} more`] : [];
  const text = [...said, ...more].join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Adds what a call was about to its answer. */
export function withAbout(answer: Answer, about: string | undefined): Answer {
  if (about === undefined) return answer;
  return mapAnswer(answer, (result) => {
    const { notices } = result.structured;
    const structured = { ...result.structured, notices: [about, ...(Array.isArray(notices) ? notices : [])] };
    return { ...result, structured, text: `${about}\n${result.text}` };
  });
}

/** The record that each of some names of one kind stands for; the failure names all that are none. */
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
  const found = matches.flatMap((some) => (some.length === 1 ? some : []));
  if (found.length === names.length) return found;
  const wrong = names.flatMap((given, index) => {
    const some = matches[index] ?? [];
    return some.length === 1 ? [] : [{ given, some }];
  });
  const problems = wrong.slice(0, maxProblems).map(({ given, some }) => problemOf(given, some, candidates));
  const more = wrong.length > maxProblems ? [`${wrong.length - maxProblems} more names are wrong.`] : [];
  const isUnknown = matches.some(({ length }) => length === 0);
  const next =
    isUnknown && isWrite ? 'A write takes the ID or the whole name.' : 'Give the ID of the one that is meant.';
  const limit = isUnknown && of === 'page' ? ` A page without visits in ${reportDays} days may be in no report.` : '';
  throw refused([...problems, ...more].join(' '), next + limit);
}

/** Only so many help to correct a call. */
const maxProblems = 5;

function problemOf(given: GivenName, matches: readonly Candidate[], candidates: readonly Candidate[]): string {
  const said = `${labelOf(given)} ${show(given.name)}`;
  if (matches.length > 0) return `${said} fits ${matches.length} ${given.of}s: ${listCandidates(matches)}.`;
  const near = nearestCandidates(given.name, candidates);
  const { called } = nameLists[given.of];
  const known = near.length === 0 ? `There are no names in ${called}.` : `The nearest: ${listCandidates(near)}.`;
  return `${said} is the name of no ${given.of}. ${known}`;
}
