import type { TrackingFault } from '../../answer/tracking-faults.ts';
import { groupBy } from '../statistics/history.ts';
import { among, changeIn, countFrom, type Days, isBeyondChance, shareOf, sumOf, sumOfDays } from './counts.ts';
import type { Gathered, GatheredToken, TrackedCampaign } from './gathered.ts';
import { contentOf, macroFor, macroIn, type Token } from './macros.ts';

/** What is known of the account when a campaign is looked at. */
export interface Looked {
  /** The first day that was asked for; days before show what was usual. */
  readonly first: string;
  readonly all: readonly Gathered[];
  /** Whether nearly all visits have a subID. */
  readonly hasSubids: boolean;
}

/** Fewer visits show no fault. */
export const minVisits = 10;

/** Test clicks, previews and robots leave a macro here and there. */
const usualOdd = 0.02;

/** Where a bracket or a word may be a name, most visits must have it. */
const minUnsure = 0.8;
const minOthers = 3;

/** How much more often a token must be empty than it was, and than it is at the source’s other campaigns. */
const minRise = 0.3;

/** At most so many visits of a source’s other campaigns lack a token that they pass. */
const maxUsualEmpty = 0.1;

type Found = Pick<TrackingFault, 'visits' | 'of' | 'money' | 'since' | 'isOlder'>;

/** The fields of a finding on some days; undefined if the asked days have none. */
export function found(days: Days, first: string): Found | undefined {
  const { since, isOlder } = changeIn(days);
  if (since === undefined) return undefined;
  // What was there before is usual.
  const { bad, money } = countFrom(days, since > first ? since : first);
  return bad === 0 ? undefined : { visits: bad, of: countFrom(days, first).of, money, since, isOlder };
}

export const named = ({ id, name }: TrackedCampaign) => ({ id, name });

export function ofCampaign({ campaign }: Gathered) {
  return { campaign: named(campaign), source: campaign.source ?? undefined };
}

const ofToken = ({ label, parameter }: Token) => ({ token: label, parameter: parameter ?? undefined });

export function tokenFaults(gathered: Gathered, looked: Looked): TrackingFault[] {
  const cut = cutLink(gathered, looked);
  const odd = oddTokens(gathered, looked);
  const empty = emptyTokens(gathered, looked).filter(({ token }) => !cut?.tokens.has(token ?? ''));
  return [...(cut ? [cut.fault] : []), ...odd, ...empty, ...sameClickIds(gathered, looked)];
}

/** A parameter with its macro, and the campaign’s link with it; by the source’s own macro if another one failed. */
function useOf({ campaign }: Gathered, token: Token, failed?: string) {
  const known = macroFor(campaign.source, token);
  const candidates = [token.placeholder, known].filter((one) => one !== undefined && one !== '' && one !== failed);
  const macro = candidates.find((one) => macroIn(one ?? '') !== undefined) ?? candidates[0];
  if (macro === undefined) return {};
  const name = token.parameter ?? token.label;
  return { use: `${name}=${macro}`, link: linkWith(campaign.link, name, macro) };
}

/** The link with the value of a parameter replaced; undefined if it does not have the parameter. */
function linkWith(link: string | null, parameter: string, value: string): string | undefined {
  const [start = '', ...pairs] = (link ?? '').split(/(?=[?&])/);
  const index = pairs.findIndex((pair) => pair.slice(1).startsWith(`${encodeURIComponent(parameter)}=`));
  if (index < 0) return undefined;
  return [start, ...pairs.with(index, `${pairs[index]?.[0]}${encodeURIComponent(parameter)}=${value}`)].join('');
}

function oddTokens(gathered: Gathered, { first }: Looked): TrackingFault[] {
  return gathered.tokens.flatMap(({ token, empty, odd, values }) => {
    // Sure ones count together. What may be a name or a word stands for a macro only if one value took the place of many.
    const groups = groupBy([...odd.values()], ({ kind, isSure, value }) => (isSure ? kind : `${kind} ${value}`));
    return [...groups.values()].flatMap((group): TrackingFault[] => {
      const [most] = group.toSorted((one, other) => countFrom(other.days, first).bad - countFrom(one.days, first).bad);
      const all = among(sumOfDays(group.map(({ days }) => days)), empty);
      const fields = found(all, first);
      if (!most || !fields || fields.visits < minVisits) return [];
      const { before, after } = changeIn(all);
      const tookPlace = before.of >= minVisits && shareOf(before) < usualOdd && values.size > minOthers;
      const isBare = most.kind === 'bare_word' && most.value.trim() !== token.placeholder;
      const isFault = most.isSure
        ? isBeyondChance(after, usualOdd)
        : shareOf(after) >= minUnsure && (tookPlace || isBare);
      if (!isFault) return [];
      const use = useOf(gathered, token, most.value);
      const counted = { ...fields, counts: 'visit', example: most.value, at: 'ads' } as const;
      return [{ code: most.kind, ...ofCampaign(gathered), ...ofToken(token), ...counted, ...use }];
    });
  });
}

/** Tokens that fell empty, or that the source’s other campaigns pass. */
function emptyTokens(gathered: Gathered, { first, all }: Looked): TrackingFault[] {
  const others = all.filter((one) => one !== gathered && one.campaign.source === gathered.campaign.source);
  return gathered.tokens.flatMap(({ token, empty }): TrackingFault[] => {
    const fields = found(empty, first);
    if (!fields || fields.visits < minVisits || gathered.campaign.source === null) return [];
    const { before, after } = changeIn(empty);
    const hasRisen = before.of >= minVisits && isBeyondChance(after, Math.max(shareOf(before), usualOdd));
    const elsewhere = others.flatMap((one) => one.tokens.filter((other) => other.token.slot === token.slot));
    const usual = elsewhere.map((one) => countFrom(one.empty, ''));
    const sum = sumOf(usual);
    const isUsualElsewhere =
      sum.of >= before.of + after.of && shareOf(sum) < maxUsualEmpty && usual.every((one) => shareOf(one) < 0.5);
    const isFault = hasRisen
      ? shareOf(after) - shareOf(before) >= minRise
      : isUsualElsewhere && shareOf(after) >= minUnsure && before.of === 0;
    if (!isFault) return [];
    const use = useOf(gathered, token);
    const counted = { ...fields, counts: 'visit', example: null, at: 'ads' } as const;
    return [{ code: 'empty_token', ...ofCampaign(gathered), ...ofToken(token), ...counted, ...use }];
  });
}

/** A link that is cut: its tokens from one on are empty since one day, or all of them though as many visitors come. */
function cutLink(gathered: Gathered, looked: Looked) {
  const { campaign, visits, tokens } = gathered;
  const { first } = looked;
  const inLink = campaign.tokens.flatMap(({ slot }) => tokens.find(({ token }) => token.slot === slot) ?? []);
  const fault = (seen: (typeof inLink)[number], days: Days): TrackingFault[] => {
    const fields = found(days, first);
    if (!fields || fields.visits < minVisits) return [];
    const hash = seen.token.placeholder.includes('#') ? seen.token.placeholder.replaceAll('#', '%23') : undefined;
    const use = hash === undefined ? {} : { use: `${seen.token.parameter ?? seen.token.label}=${hash}` };
    const counted = { ...fields, counts: 'visit', example: null, at: 'ads' } as const;
    return [{ code: 'cut_link', ...ofCampaign(gathered), ...ofToken(seen.token), ...counted, ...use }];
  };
  const [firstToken] = inLink;
  if (!firstToken) return undefined;
  const { before, after } = changeIn(visits);
  const hasHash = firstToken.token.placeholder.includes('#');
  const ofSource = looked.all.filter((one) => one.campaign.source === campaign.source);
  // Organic visits cost nothing.
  const isPaid = countFrom(visits, '').worth > gathered.revenue;
  const isWhole =
    hasHash && isPaid && before.of === 0 && passTokens(looked.all) && !ofSource.some((one) => passTokens([one]));
  // After a pause the organic visits stay, and far fewer come in all.
  const wentUntokened =
    before.of > 0 && shareOf(after) - shareOf(before) > 0.5 && after.bad / after.days > 3 * (before.bad / before.days);
  if (isWhole || wentUntokened) {
    const [one] = fault(firstToken, visits);
    return one && { fault: one, tokens: new Set<string | undefined>(inLink.map(({ token }) => token.label)) };
  }
  const starts = inLink.map(({ empty }) => {
    const change = changeIn(empty);
    const isEmptied = shareOf(change.after) > minUnsure && shareOf(change.before) < 0.5;
    return isEmptied ? { since: change.since, isOlder: change.before.of === 0 } : undefined;
  });
  const from = starts.lastIndexOf(undefined) + 1;
  const [start] = starts.slice(from);
  const seen = inLink[from];
  const isOne = starts.slice(from).every((other) => other?.since === start?.since);
  const hash = seen?.token.placeholder.includes('#') === true;
  if (!seen || !start || !isOne || (start.isOlder && !hash) || (!hash && inLink.length - from < 2)) return undefined;
  const [one] = fault(seen, seen.empty);
  return one && { fault: one, tokens: new Set<string | undefined>(inLink.slice(from).map(({ token }) => token.label)) };
}

/** Whether most visits of an account pass tokens where a source declares some. */
function passTokens(all: readonly Gathered[]): boolean {
  return shareOf(sumOf(all.flatMap(({ tokens, visits }) => (tokens.length > 0 ? [countFrom(visits, '')] : [])))) < 0.5;
}

function filledIn({ empty }: GatheredToken): number {
  const { of, bad } = countFrom(empty, '');
  return of - bad;
}

/** An ID of clicks that is the same for many visits, where others have one each. */
function sameClickIds(gathered: Gathered, { first, all }: Looked): TrackingFault[] {
  return gathered.tokens.flatMap((seen): TrackingFault[] => {
    const { token, empty, values, odd } = seen;
    if (contentOf(token) !== 'click') return [];
    const [most] = [...values]
      .map(([value, days]) => ({ value, days, count: countFrom(days, first).bad }))
      .sort((one, other) => other.count - one.count);
    const others = all.flatMap((one) =>
      one.campaign.source === gathered.campaign.source
        ? one.tokens.filter((other) => other !== seen && other.token.slot === token.slot)
        : [],
    );
    const isOnce = (one: GatheredToken) => one.isOpen || one.values.size > 0.5 * filledIn(one);
    const ownOthers = filledIn(seen) - (most?.count ?? 0);
    const isRule = (ownOthers >= minVisits && (seen.isOpen || values.size > 0.5 * ownOthers)) || others.some(isOnce);
    if (!most || !isRule || odd.has(most.value) || most.count < 2 * minVisits) return [];
    const days = among(most.days, empty);
    const fields = found(days, first);
    if (!fields || shareOf(changeIn(days).after) < minRise) return [];
    const counted = { ...fields, counts: 'visit', example: most.value, at: 'ads' } as const;
    return [
      {
        code: 'same_click_id',
        ...ofCampaign(gathered),
        ...ofToken(token),
        ...counted,
        ...useOf(gathered, token, most.value),
      },
    ];
  });
}
