import { endpointNamed } from '../api/endpoints.ts';
import type { Listed } from '../api/parameters.ts';
import { foldedName, nearestItems } from '../api/text/names.ts';
import { type Cell, mention, quoted, rawText, type TrackerText } from '../api/text/tracker-text.ts';
import type { TrackerClient } from '../client/tracker-client.ts';
import { campaignsInCall, type ListedCampaign, listCampaignsNow } from './campaigns.ts';
import type { CallContext } from './define-tool.ts';
import { readPagesNow } from './rotation/campaign-pages.ts';

/** A record that a name may refer to. */
export interface Candidate {
  readonly of: Listed;
  readonly id: number;
  readonly name: TrackerText;
  readonly folded: string;
  /** What distinguishes it from records with similar names, cleaned for display. */
  readonly traits: string;
}

/** Whether the caller may read the list of such names: names must not reveal what the caller cannot read. */
export function mayLookUp(of: Listed, { guard }: CallContext): boolean {
  return guard.offers(endpointNamed(nameLists[of].endpoint));
}

/**
 * Finds the records for each name in the list of campaigns, or of the pages of one. For reads the list of campaigns is read at most
 * once a minute, unless a name is not in it, which may be new.
 *
 * @param isWrite whether only whole names match, and exact letter case makes no difference
 * @throws TrackerFailure if the list cannot be read
 */
export async function lookUp(
  names: readonly string[],
  of: Listed,
  { isWrite, campaignId }: { readonly isWrite: boolean; readonly campaignId: number },
  context: CallContext,
): Promise<{ readonly matches: readonly (readonly Candidate[])[]; readonly candidates: readonly Candidate[] }> {
  const matchIn = ({ candidates }: Candidates) => ({
    matches: names.map((name) => matching(name, candidates, isWrite)),
    candidates,
  });
  const list = await nameLists[of].read(context, campaignId, false);
  const result = matchIn(list);
  const isMissing = result.matches.some(({ length }) => length === 0);
  if (!isMissing || performance.now() - list.readAt <= freshMs) return result;
  return matchIn(await nameLists[of].read(context, campaignId, true));
}

/** The records that a name matches, each once. */
function matching(name: string, candidates: readonly Candidate[], isWrite: boolean): readonly Candidate[] {
  const folded = foldedName(name);
  const whole = candidates.filter((candidate) => candidate.folded === folded);
  const exact = isWrite ? [] : whole.filter((candidate) => rawText(candidate.name) === name);
  const words = wordsOf(folded);
  const hasWords = ({ folded: other }: Candidate) => {
    const all = new Set(wordsOf(other));
    return words.every((word) => all.has(word));
  };
  const looser = isWrite
    ? []
    : [
        candidates.filter((candidate) => candidate.folded.includes(folded)),
        words.length > 1 ? candidates.filter(hasWords) : [],
      ];
  const ways = [exact, whole, ...looser];
  const matches = ways.find(({ length }) => length > 0) ?? [];
  return [...new Map(matches.map((match) => [match.id, match])).values()];
}

const wordsOf = (folded: string): readonly string[] => folded.match(/[\p{L}\p{N}]+/gu) ?? [];

const maxListed = 10;

/** Max characters of a name in a sentence. */
const maxShownName = 100;

/** The three records with the most similar names. */
export function nearestCandidates(name: string, candidates: readonly Candidate[]): readonly Candidate[] {
  return nearestItems(name, candidates, (candidate) => rawText(candidate.name), 3);
}

/** `12 “Sweeps 12 - v3” (Search, active), 31 “Sweeps 12 v3” (Search, inactive) and 2 more` */
export function listCandidates(candidates: readonly Candidate[]): string {
  const listed = candidates
    .slice(0, maxListed)
    .map(({ id, name, traits }) => `${id} ${quoted(name, maxShownName)} (${traits})`);
  return `${listed.join(', ')}${candidates.length > maxListed ? ` and ${candidates.length - maxListed} more` : ''}`;
}

interface Candidates {
  readonly candidates: readonly Candidate[];
  /** By performance.now. */
  readonly readAt: number;
}

/** How long a list of campaigns is used for names. Writes drop the client's answers, but names survive them. */
const keptForMs = 60_000;

/** A list this young is not read again for a missing name. */
const freshMs = 10_000;

/** The campaign with an ID, if names are in use and the caller may read them. A write takes only the name that it read itself. */
export async function knownCampaign(id: number, context: CallContext): Promise<Candidate | undefined> {
  const kept = keptCampaigns(context);
  if (!kept || !mayLookUp('campaign', context)) return undefined;
  const listed = await campaignsInCall(context);
  const candidates = context.reads ? listed?.flatMap(candidateOfCampaign) : kept.candidates;
  return candidates?.find((candidate) => candidate.id === id);
}

const keptLists = new WeakMap<TrackerClient, Candidates>();

function keptCampaigns({ client }: CallContext): Candidates | undefined {
  const kept = keptLists.get(client.ofAllCalls);
  return kept && performance.now() - kept.readAt < keptForMs ? kept : undefined;
}

interface NameList {
  readonly endpoint: 'list_campaigns' | 'get_stats';
  /** Its name in a sentence. */
  readonly called: string;
  /** @param isFresh whether a kept list must not be used */
  readonly read: (context: CallContext, campaignId: number, isFresh: boolean) => Promise<Candidates>;
}

/** Where names are looked up. */
export const nameLists: Readonly<Record<Listed, NameList>> = {
  campaign: {
    endpoint: 'list_campaigns',
    called: 'the list of campaigns',
    read: async (context, _, isFresh) => {
      // A write goes to the record that has the name now.
      const kept = isFresh || context.reads ? undefined : keptCampaigns(context);
      if (kept) return kept;
      const candidates = (await listCampaignsNow(context)).flatMap(candidateOfCampaign);
      const list = { candidates, readAt: performance.now() };
      keptLists.set(context.client.ofAllCalls, list);
      return list;
    },
  },
  page: {
    endpoint: 'get_stats',
    called: 'the landing and offer reports of the campaign',
    read: async (context, campaignId) => {
      const pages = await readPagesNow(campaignId, context);
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
  },
};

function candidateOfCampaign({ id, name, source, active }: ListedCampaign): readonly Candidate[] {
  const state = active === undefined ? 'state not listed' : active ? 'active' : 'inactive';
  const from = source === null ? 'traffic source not listed' : mention(source, maxShownName);
  return candidateOf('campaign', rawText(id), name, `${from}, ${state}`);
}

/** Empty for a record without a name, or with an ID that no argument takes. */
function candidateOf(of: Listed, id: string, name: Cell, traits: string): readonly Candidate[] {
  const folded = name === null ? '' : foldedName(rawText(name));
  if (name === null || folded === '' || !/^0*[1-9]\d{0,14}$/.test(id)) return [];
  return [{ of, id: Number(id), name, folded, traits }];
}
