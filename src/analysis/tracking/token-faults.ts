import type { TrackingFault } from '../../answer/tracking-faults.ts';
import { changeIn, countFrom, type Days, isBeyondChance, shareOf, sumOf } from './counts.ts';
import type { Gathered, TrackedCampaign } from './gathered.ts';
import { macroFor, macroIn, type OddKind, type Token } from './macros.ts';

/** What is known of the account when a campaign is looked at. */
export interface Looked {
  /** The first day that was asked for; days before show what was usual. */
  readonly first: string;
  readonly all: readonly Gathered[];
}

/** Fewer visits show no fault. */
export const minVisits = 10;

/** Test clicks, previews and robots leave a macro here and there. */
const usualOdd = 0.02;

/** Where a bracket or a word may be a name, most visits must have it. */
const minUnsure = 0.8;

/** How much more often a token must be empty than it was, and than it is at the source’s other campaigns. */
const minRise = 0.3;

/** At most so many visits of a source’s other campaigns lack a token that they pass. */
const maxUsualEmpty = 0.1;

type Found = Pick<TrackingFault, 'visits' | 'of' | 'money' | 'since' | 'isOlder'>;

/** The fields of a finding on some days; undefined if the asked days have none. */
export function found(days: Days, first: string): Found | undefined {
  const { of, bad, money } = countFrom(days, first);
  const { since, isOlder } = changeIn(days);
  return bad === 0 || since === undefined ? undefined : { visits: bad, of, money, since, isOlder };
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
  return gathered.tokens.flatMap(({ token, empty, odd }) => {
    const kinds = new Map<OddKind, { days: Days; isSure: boolean; example: string; most: number }>();
    for (const { kind, isSure, value, days } of odd.values()) {
      const { bad } = countFrom(days, first);
      const seen = kinds.get(kind) ?? { days: new Map(), isSure: false, example: value, most: 0 };
      kinds.set(kind, {
        ...seen,
        isSure: seen.isSure || isSure,
        ...(bad > seen.most ? { example: value, most: bad } : {}),
      });
      if (isSure || days.size > 0) addBad(seen.days, days);
    }
    return [...kinds].flatMap(([code, { days, isSure, example }]): TrackingFault[] => {
      const all = among(days, empty);
      const fields = found(all, first);
      if (!fields || fields.visits < minVisits) return [];
      const { after } = changeIn(all);
      const isFault = isSure ? isBeyondChance(after, usualOdd) : shareOf(after) >= minUnsure;
      if (!isFault) return [];
      const use = useOf(gathered, token, isSure && code === 'literal_macro' ? example : undefined);
      return [
        { code, ...ofCampaign(gathered), ...ofToken(token), ...fields, counts: 'visit', example, at: 'ads', ...use },
      ];
    });
  });
}

function addBad(sum: Days, days: Days): void {
  for (const [day, { bad, money }] of days) {
    const count = sum.get(day) ?? { of: 0, bad: 0, money: 0 };
    sum.set(day, { of: 0, bad: count.bad + bad, money: count.money + money });
  }
}

/** The bad visits of some days among all visits that have tokens. */
export function among(bad: Days, all: Days): Days {
  return new Map(
    [...all].map(([day, { of }]) => [day, { of, bad: bad.get(day)?.bad ?? 0, money: bad.get(day)?.money ?? 0 }]),
  );
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
  const isWhole = hasHash && before.of === 0 && shareOf(after) > minUnsure;
  // Organic visits that stay after a pause are as many as before, not more.
  const wentUntokened =
    before.of > 0 &&
    shareOf(after) - shareOf(before) > 0.5 &&
    after.bad / daysIn(visits, after) > 3 * (before.bad / daysIn(visits, before));
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

/** The number of days whose visits make up a part. */
function daysIn(days: Days, part: { readonly of: number }): number {
  const all = countFrom(days, '').of;
  return Math.max(1, (days.size * part.of) / Math.max(all, 1));
}

/** An ID of clicks that is the same for many visits. */
function sameClickIds(gathered: Gathered, { first }: Looked): TrackingFault[] {
  const { campaign, tokens } = gathered;
  return tokens.flatMap(({ token, empty, values, odd }): TrackingFault[] => {
    if (token.slot !== 'ExternalID') return [];
    const all = countFrom(empty, first);
    const [most] = [...values]
      .map(([value, days]) => ({ value, days, count: countFrom(days, first).bad }))
      .sort((one, other) => other.count - one.count);
    if (!most || odd.has(most.value) || most.count < 2 * minVisits || most.count < 0.3 * (all.of - all.bad)) return [];
    const fields = found(among(most.days, empty), first);
    if (!fields) return [];
    const counted = { ...fields, counts: 'visit', example: most.value, at: 'ads' } as const;
    return [
      {
        code: 'same_click_id',
        ...ofCampaign({ ...gathered, campaign }),
        ...ofToken(token),
        ...counted,
        ...useOf(gathered, token, most.value),
      },
    ];
  });
}
