import * as z from 'zod';
import { type EndpointName, endpointNamed } from '../api/endpoints.ts';
import { Failure } from '../api/failure.ts';
import { type Listed, takesName } from '../api/parameters.ts';
import { cleanText } from '../api/text/clean-text.ts';
import { foldedName, nearestItems } from '../api/text/names.ts';
import { type Cell, mention, quoted, rawText, type TrackerText } from '../api/text/tracker-text.ts';
import type { TrackerClient } from '../client/tracker-client.ts';
import { askQuickly } from './asking.ts';
import { listCampaigns } from './campaigns.ts';
import { checkArguments, show } from './check-arguments.ts';
import type { Answer, CallContext, Tool, ToolResult } from './define-tool.ts';
import { readPages, reportDays } from './rotation/campaign-pages.ts';

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

/** What a name can stand for. */
interface Candidate {
  readonly of: Listed;
  readonly id: number;
  readonly name: TrackerText;
  readonly folded: string;
  /** What tells it from others of a similar name, fit to be shown. */
  readonly traits: string;
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
  if (names.length === 0) return { given, about: describe(knownCampaign(given, context)), asked: undefined };
  checkWithNames(tool, given);
  const found = new Map<string, Candidate>();
  const keyOf = ({ of, name }: GivenName) => `${of} ${name}`;
  let resolved = given;
  // A page is looked up in the campaign that the call names, so campaigns go first.
  for (const kind of ['campaign', 'page'] as const) {
    const [first, ...others] = names.filter(({ of }) => of === kind);
    if (!first) continue;
    const wanted = [first, ...others] as const;
    const records = await findAll(wanted, tool, Number((resolved as { campaign_id?: unknown }).campaign_id), context);
    for (const [index, name] of wanted.entries()) found.set(keyOf(name), records[index] as Candidate);
    resolved = replaceNames(tool.input, resolved, (name) => found.get(keyOf(name))?.id ?? name.name);
  }
  const isCampaignNamed = names.some(({ of }) => of === 'campaign');
  const known = isCampaignNamed ? [] : knownCampaign(given, context);
  const named = [...found.values()];
  return { given: resolved, about: describe([...known, ...named]), asked: describe(named) };
}

const maxDescribed = 10;

function describeAll(records: readonly Candidate[]): string | undefined {
  if (records.length === 0) return undefined;
  const said = records.slice(0, maxDescribed).map(({ of, id, name }) => `${of} ${id}: ${quoted(name, maxShownName)}`);
  const more = records.length > maxDescribed ? [`and ${records.length - maxDescribed} more`] : [];
  const text = [...said, ...more].join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** The campaign whose ID a call gives, if its name is known without asking. */
function knownCampaign(given: unknown, context: CallContext): readonly Candidate[] {
  const kept = keptList(context);
  if (!kept || !isOffered('campaign', context)) return [];
  const id = Number((given as { campaign_id?: unknown } | null | undefined)?.campaign_id);
  return kept.candidates.filter((candidate) => candidate.id === id);
}

/** Adds what a call was about to its answer. */
export function withAbout(answer: Answer, about: string | undefined): Answer {
  if (about === undefined) return answer;
  const add = (result: ToolResult): ToolResult => {
    const { notices } = result.structured;
    const structured = { ...result.structured, notices: [about, ...(Array.isArray(notices) ? notices : [])] };
    return { ...result, structured, text: `${about}\n${result.text}` };
  };
  return {
    parts: answer.parts,
    render: (counts) => add(answer.render(counts)),
    brief: answer.brief && add(answer.brief),
  };
}

/** Where names are looked up. */
const sources = {
  campaign: { endpoint: 'list_campaigns', called: 'the list of campaigns' },
  page: { endpoint: 'get_stats', called: 'the landing and offer reports of the campaign' },
} as const satisfies Record<Listed, { readonly endpoint: EndpointName; readonly called: string }>;

/** An agent learns nothing by names that it could not read. */
function isOffered(of: Listed, { guard }: CallContext): boolean {
  return guard.offers(endpointNamed(sources[of].endpoint));
}

/** The record that each of some names of one kind stands for. */
async function findAll(
  names: readonly [GivenName, ...GivenName[]],
  tool: Tool,
  campaignId: number,
  context: CallContext,
): Promise<readonly Candidate[]> {
  const isWrite = tool.access !== 'read';
  const refused = (name: GivenName, problem: string, next: string) =>
    new Failure(`${tool.name} was not called: ${labelOf(name)} ${show(name.name)} ${problem}`, next);
  const [first] = names;
  const { endpoint, called } = sources[first.of];
  if (!isOffered(first.of, context)) {
    throw refused(
      first,
      `is a name, and ${endpoint}, which lists names, is not offered by this server.`,
      'Give the ID.',
    );
  }
  const read = async (isAnew = false) => {
    try {
      return await askQuickly(context, (quick) => readers[first.of](quick, campaignId, isAnew));
    } catch (error) {
      if (!(error instanceof Failure) || context.signal?.aborted) throw error;
      throw refused(first, `is a name, and ${called} could not be read: ${error.message}`, 'Give the ID.');
    }
  };
  const matchAll = ({ candidates }: Candidates) => names.map(({ name }) => matching(name, candidates, isWrite));
  let list = await read();
  let matches = matchAll(list);
  if (matches.some(({ length }) => length === 0) && performance.now() - list.readAt > settledMs) {
    list = await read(true);
    matches = matchAll(list);
  }
  return names.map((name, index) => {
    const [match, ...others] = matches[index] ?? [];
    if (match && others.length === 0) return match;
    if (match) {
      const problem = `fits ${others.length + 1} ${name.of}s: ${listed([match, ...others])}.`;
      throw refused(name, problem, 'Give the ID of the one that is meant.');
    }
    const nearest = nearestItems(name.name, list.candidates, (candidate) => rawText(candidate.name), 3);
    throw refused(
      name,
      `is the name of no ${name.of}.`,
      [
        nearest.length === 0 ? `There are no names in ${called}.` : `The nearest are: ${listed(nearest)}.`,
        isWrite ? 'A write takes the ID or the whole name.' : 'Give the ID or a name that fits.',
        ...(name.of === 'page'
          ? [`A page without visits in ${reportDays} days may be in no report: give its ID.`]
          : []),
      ].join(' '),
    );
  });
}

/** The records that a name may stand for, each once. */
function matching(name: string, candidates: readonly Candidate[], isWrite: boolean): readonly Candidate[] {
  const folded = foldedName(name);
  const whole = candidates.filter((candidate) => candidate.folded === folded);
  const exact = isWrite ? [] : whole.filter((candidate) => rawText(candidate.name) === name);
  const ways = [exact, whole, isWrite ? [] : candidates.filter((candidate) => candidate.folded.includes(folded))];
  const matches = ways.find(({ length }) => length > 0) ?? [];
  return [...new Map(matches.map((match) => [match.id, match])).values()];
}

const maxListed = 10;
const maxShownName = 100;

/** `12 “Sweeps 12 - v3” (Push House, active), 31 “Sweeps 12 v3” (Push House, inactive) and 2 more` */
function listed(candidates: readonly Candidate[]): string {
  const said = candidates
    .slice(0, maxListed)
    .map(({ id, name, traits }) => `${id} ${quoted(name, maxShownName)} (${traits})`);
  return `${said.join(', ')}${candidates.length > maxListed ? ` and ${candidates.length - maxListed} more` : ''}`;
}

interface Candidates {
  readonly candidates: readonly Candidate[];
  /** By performance.now. */
  readonly readAt: number;
}

/** How long a list of campaigns serves names. Answers of the client are dropped with each write; names outlast it. */
const keptForMs = 60_000;

/** A list this young is not read again for a name that is not in it. */
const settledMs = 10_000;

const keptLists = new WeakMap<TrackerClient, Candidates>();

function keptList({ client }: CallContext): Candidates | undefined {
  const kept = keptLists.get(client);
  return kept && performance.now() - kept.readAt < keptForMs ? kept : undefined;
}

const readers: Record<Listed, (context: CallContext, campaignId: number, isAnew: boolean) => Promise<Candidates>> = {
  campaign: async (context, _, isAnew) => {
    const kept = isAnew ? undefined : keptList(context);
    if (kept) return kept;
    const readAt = performance.now();
    const campaigns = await listCampaigns(context.client, context.signal, 'all', { reuse: false });
    const candidates = campaigns.flatMap(({ id, name, source, active }) => {
      const state = active === undefined ? 'not known whether active' : active ? 'active' : 'inactive';
      const from = source === null ? 'traffic source not known' : mention(source, maxShownName);
      return candidateOf('campaign', rawText(id), name, `${from}, ${state}`);
    });
    const list = { candidates, readAt };
    keptLists.set(context.client, list);
    return list;
  },
  page: async (context, campaignId) => {
    const pages = await readPages(campaignId, context);
    const candidates = pages.flatMap(({ kind, pageId, name, level, path, active }) => {
      const traits = [
        kind === 'offer' ? 'offer' : 'landing page',
        ...(level === null ? [] : [`level ${level}`]),
        ...(path === null ? [] : [`path ${path}`]),
        ...(active === null ? [] : [active ? 'active' : 'inactive']),
      ];
      return candidateOf('page', pageId, name, traits.join(', '));
    });
    return { candidates, readAt: performance.now() };
  },
};

/** Nothing for a record without a name, or with an ID that cannot be given. */
function candidateOf(of: Listed, id: string, name: Cell, traits: string): readonly Candidate[] {
  const folded = name === null ? '' : foldedName(rawText(name));
  if (name === null || folded === '' || !/^[1-9]\d{0,9}$/.test(id)) return [];
  return [{ of, id: Number(id), name, folded, traits }];
}
