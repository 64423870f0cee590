import { endpointNamed } from '../api/endpoints.ts';
import type { Listed } from '../api/parameters.ts';
import { foldedName, nearestItems } from '../api/text/names.ts';
import { type Cell, mention, quoted, rawText, type TrackerText } from '../api/text/tracker-text.ts';
import type { TrackerClient } from '../client/tracker-client.ts';
import { listCampaigns } from './campaigns.ts';
import type { CallContext } from './define-tool.ts';
import { readPages } from './rotation/campaign-pages.ts';

/** The lists in which names are looked up, and what in them a name fits. */

/** What a name can stand for. */
export interface Candidate {
  readonly of: Listed;
  readonly id: number;
  readonly name: TrackerText;
  readonly folded: string;
  /** What tells it from others of a similar name, fit to be shown. */
  readonly traits: string;
}

/** Whether the caller may read the list of such names: nobody learns by names what they could not read. */
export function mayLookUp(of: Listed, { guard }: CallContext): boolean {
  return guard.offers(endpointNamed(nameLists[of].endpoint));
}

/**
 * What each of some names fits in a list, of campaigns or of the pages of one. The list of campaigns is read at most once a
 * minute, but for a name that is not in it and may be new.
 *
 * @param isWrite whether only whole names count, and none more than another for its letter case
 * @throws TrackerFailure if the list cannot be had
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
  const found = matchIn(list);
  const isMissing = found.matches.some(({ length }) => length === 0);
  if (!isMissing || performance.now() - list.readAt <= settledMs) return found;
  return matchIn(await nameLists[of].read(context, campaignId, true));
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

/** So much of a name is shown in a sentence. */
export const maxShownName = 100;

/** The records whose names are nearest to one that fits nothing. */
export function nearestCandidates(name: string, candidates: readonly Candidate[]): readonly Candidate[] {
  return nearestItems(name, candidates, (candidate) => rawText(candidate.name), 3);
}

/** `12 “Sweeps 12 - v3” (Search, active), 31 “Sweeps 12 v3” (Search, inactive) and 2 more` */
export function listCandidates(candidates: readonly Candidate[]): string {
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

/** The campaign with an ID, if its name is known without asking and the caller may read it. */
export function knownCampaign(id: number, context: CallContext): Candidate | undefined {
  const known = keptCampaigns(context)?.candidates.find((candidate) => candidate.id === id);
  return known && mayLookUp('campaign', context) ? known : undefined;
}

const keptLists = new WeakMap<TrackerClient, Candidates>();

function keptCampaigns({ client }: CallContext): Candidates | undefined {
  const kept = keptLists.get(client);
  return kept && performance.now() - kept.readAt < keptForMs ? kept : undefined;
}

interface NameList {
  readonly endpoint: 'list_campaigns' | 'get_stats';
  /** What it is, in a sentence. */
  readonly called: string;
  /** @param isAnew whether one that is kept does not serve */
  readonly read: (context: CallContext, campaignId: number, isAnew: boolean) => Promise<Candidates>;
}

/** Where names are looked up. */
export const nameLists: Readonly<Record<Listed, NameList>> = {
  campaign: {
    endpoint: 'list_campaigns',
    called: 'the list of campaigns',
    read: async (context, _, isAnew) => {
      const kept = isAnew ? undefined : keptCampaigns(context);
      if (kept) return kept;
      const campaigns = await listCampaigns(context.client, context.signal, 'all', { reuse: false });
      const candidates = campaigns.flatMap(({ id, name, source, active }) => {
        const state = active === undefined ? 'state not listed' : active ? 'active' : 'inactive';
        const from = source === null ? 'traffic source not listed' : mention(source, maxShownName);
        return candidateOf('campaign', rawText(id), name, `${from}, ${state}`);
      });
      const list = { candidates, readAt: performance.now() };
      keptLists.set(context.client, list);
      return list;
    },
  },
  page: {
    endpoint: 'get_stats',
    called: 'the landing and offer reports of the campaign',
    read: async (context, campaignId) => {
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
  },
};

/** Nothing for a record without a name, or with an ID that cannot be given. */
function candidateOf(of: Listed, id: string, name: Cell, traits: string): readonly Candidate[] {
  const folded = name === null ? '' : foldedName(rawText(name));
  if (name === null || folded === '' || !/^0*[1-9]\d{0,9}$/.test(id)) return [];
  return [{ of, id: Number(id), name, folded, traits }];
}
