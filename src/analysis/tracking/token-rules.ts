import { extraSlots } from '../../api/token-slots.ts';
import { groupBy } from '../statistics/history.ts';
import { among, changeIn, type DayCounts, isBeyondChance, othersBad, shareOf, sumOf, together } from './counts.ts';
import { contentOf, macroFor, macroIn, type Token } from './macros.ts';
import {
  alike,
  isUnusual,
  type Looked,
  minKnown,
  minSure,
  minVisits,
  most,
  type Rule,
  type Sign,
  usualOdd,
} from './rules.ts';
import { maxValues, type SeenCampaign, type SeenToken, type SeenValue } from './seen.ts';
import { otherTokens } from './strangers.ts';

const odd = ['literal_macro', 'broken_macro', 'bare_word'] as const;

/** What is wrong with tokens, and with links that carry them. */
export const tokenRules: readonly Rule[] = [
  { code: 'cut_link', at: 'ads', min: minVisits, find: cutLink },
  ...odd.map((code): Rule => ({ code, at: 'ads', min: minSure, find: oddTokens(code) })),
  { code: 'empty_token', at: 'ads', min: minVisits, find: emptyTokens },
  { code: 'same_click_id', at: 'ads', min: 2 * minVisits, find: sameClickIds },
  { code: 'other_campaigns_tokens', at: 'ads', min: 2 * minVisits, find: otherTokens },
  { code: 'undeclared_parameter', at: 'source', min: 1, find: undeclared },
];

/** A parameter of the campaign's link with another value; undefined if it does not have the parameter. */
function linkWith(link: string | null, parameter: string, value: string): string | undefined {
  const name = `${encodeURIComponent(parameter)}=`;
  const [start = '', ...pairs] = (link ?? '').split(/(?=[?&])/);
  const index = pairs.findIndex((pair) => pair.slice(1).startsWith(name));
  return index < 0 ? undefined : [start, ...pairs.with(index, `${pairs[index]?.[0]}${name}${value}`)].join('');
}

/** A fault of a token, with its macro and the campaign’s link as they should be: by the source’s own macro if another one failed. */
function signOf({ campaign }: SeenCampaign, token: Token, days: DayCounts, failed?: string): Sign {
  const candidates = [token.placeholder, macroFor(campaign.source, token)].filter((one) => one && one !== failed);
  const macro = candidates.find((one) => macroIn(one ?? '') !== undefined) ?? candidates[0];
  const name = token.parameter ?? token.label;
  return {
    ...{ days, token: token.label, parameter: token.parameter ?? undefined, use: macro && `${name}=${macro}` },
    ...(failed === undefined ? {} : { example: failed }),
    ...{ link: (macro && linkWith(campaign.link, name, macro)) ?? campaign.link ?? undefined },
  };
}

const mostOf = (values: Iterable<SeenValue>, first: number): SeenValue | undefined =>
  [...values].toSorted((one, other) => sumOf(other.days ?? [], first).bad - sumOf(one.days ?? [], first).bad)[0];

/** A value takes the place of this many others if it is a macro. */
const minOthers = 3;

/** Macros that were not replaced, of a kind. */
function oddTokens(kind: (typeof odd)[number]): Rule['find'] {
  return (seen, { first }) =>
    [...seen.tokens, ...seen.unlisted].flatMap(({ token, empty, values }) => {
      const ofKind = [...values.values()].filter((one) => one.odd?.kind === kind);
      // Sure ones count together. What may be a name or a word stands for a macro only if one value took the place of many: people
      // put words of their own into any brackets.
      const groups = groupBy(ofKind, (one) => (one.odd?.isSure ? '' : one.value));
      return [...groups.values()].flatMap((group): Sign[] => {
        const example = mostOf(group, first);
        const days = among(together(group.map((one) => one.days ?? [])), empty);
        const { before, after } = changeIn(days);
        const tookPlace = before.of >= minVisits && shareOf(before) < usualOdd && values.size > minOthers;
        const isBare = kind === 'bare_word' && example?.value.trim() !== token.placeholder;
        const isForm = example?.odd?.isForm === true;
        const isFault = example?.odd?.isSure
          ? isBeyondChance(after, usualOdd)
          : shareOf(after) >= most && after.bad >= minVisits && (tookPlace || isBare || isForm);
        const part = shareOf(after) < most ? ({ isPartial: true } as const) : {};
        return example && isFault ? [{ ...signOf(seen, token, days, example.value), ...part }] : [];
      });
    });
}

/** The token in the same slot at the other campaigns of a source. */
const alikeTokens = (seen: SeenCampaign, { token: { slot } }: SeenToken, looked: Looked) =>
  alike(seen, looked).flatMap(({ tokens }) => tokens.filter(({ token }) => token.slot === slot));

/** How much more often a token must be empty than it was, or one click ID be that of a visit. */
const minRise = 0.3;

/** Tokens that fell empty, or that the source’s other campaigns pass. */
function emptyTokens(seen: SeenCampaign, looked: Looked): Sign[] {
  const empty = seen.tokens.filter((own) =>
    isUnusual(own.empty, () => alikeTokens(seen, own, looked).map((other) => other.empty), minRise),
  );
  return seen.campaign.source === null ? [] : empty.map((own) => signOf(seen, own.token, own.empty));
}

/** Whether most visits of campaigns pass tokens where a source declares some. */
function passTokens(all: readonly SeenCampaign[]): boolean {
  const declaring = all.filter(({ tokens }) => tokens.length > 0);
  return declaring.length > 0 && shareOf(sumOf(together(declaring.map(({ visits }) => visits)))) < 0.5;
}

/** A link that is cut: its tokens from one on are empty since one day, or all of them though as many visitors come. */
function cutLink(seen: SeenCampaign, looked: Looked): Sign[] {
  const { campaign, visits, tokens, costs, revenue } = seen;
  const inLink = campaign.tokens.flatMap(({ slot }) => tokens.find(({ token }) => token.slot === slot) ?? []);
  const hasHash = ({ token }: SeenToken) => token.placeholder.includes('#');
  const signAt = (own: SeenToken, days: DayCounts): Sign => {
    const { use, ...sign } = signOf(seen, own.token, days);
    const encode = (text: string | undefined) => text?.replaceAll('#', '%23');
    return { ...sign, use: hasHash(own) ? encode(use) : undefined, link: encode(campaign.link ?? undefined) };
  };
  const [start] = inLink;
  if (!start) return [];
  const { before, after } = changeIn(visits);
  // Organic visits cost nothing.
  const isPaid = sumOf(visits).worth > revenue && costs.length === 0;
  const isRule = () =>
    hasHash(start)
      ? passTokens(looked.all.filter((one) => one !== seen))
      : after.of >= minKnown && passTokens(alike(seen, looked));
  const isWhole = isPaid && before.of === 0 && shareOf(after) === 1 && isRule();
  // After a pause the organic visits stay, and far fewer come in all.
  const wentUntokened =
    before.of > 0 && shareOf(after) - shareOf(before) > 0.5 && after.bad / after.days > 3 * (before.bad / before.days);
  if (isWhole || wentUntokened) return [signAt(start, visits)];
  const starts = inLink.map(({ empty }) => {
    const change = changeIn(empty);
    return shareOf(change.after) > most && shareOf(change.before) < 0.5 ? change : undefined;
  });
  const from = starts.lastIndexOf(undefined) + 1;
  const [cut, ...more] = starts.slice(from);
  const at = inLink[from];
  if (!at || !cut || more.some((other) => other?.since !== cut.since)) return [];
  // One token may be empty for other reasons than a cut, and several may never have been passed.
  const isCut = hasHash(at) || (cut.before.of > 0 && more.length > 0);
  return isCut ? [signAt(at, at.empty)] : [];
}

const filledIn = ({ empty }: SeenToken): number => sumOf(othersBad(empty)).bad;

/** Whether about each of so many visits has a value of its own. */
const isOfVisits = ({ values }: SeenToken, count: number) => values.size >= Math.min(0.5 * count, maxValues);

/** An ID of clicks that is the same for many visits, where others have one each. */
function sameClickIds(seen: SeenCampaign, looked: Looked): Sign[] {
  return seen.tokens.flatMap((own): Sign[] => {
    const { token, empty, values } = own;
    const example = contentOf(token) === 'click' ? mostOf(values.values(), looked.first) : undefined;
    if (!example || example.odd) return [];
    const ownOthers = filledIn(own) - sumOf(example.days ?? [], looked.first).bad;
    const isRule =
      (ownOthers >= minVisits && isOfVisits(own, ownOthers)) ||
      alikeTokens(seen, own, looked).some((one) => isOfVisits(one, filledIn(one)));
    const days = among(example.days ?? [], empty);
    return isRule && shareOf(changeIn(days).after) >= minRise ? [signOf(seen, token, days, example.value)] : [];
  });
}

const extras: ReadonlySet<string> = new Set(extraSlots);

/** Parameters of the link with a macro that no token of its source declares. */
function undeclared({ campaign, visits }: SeenCampaign, { campaigns }: Looked): Sign[] {
  const { tokens } = campaign;
  // Trackers are known that list the Extra tokens alone: the others may declare it.
  const isWhole = tokens.some(({ slot, parameter }) => parameter !== null && !extras.has(slot));
  if (!isWhole) return [];
  const declared = new Set(tokens.flatMap(({ parameter, label }) => [parameter, label]));
  return parametersOf(campaign.link).flatMap(([name, value]): Sign[] => {
    const macro = macroIn(value);
    if (!macro || declared.has(name)) return [];
    const links = campaigns.flatMap(({ source, link }) => (source === campaign.source ? [] : [parametersOf(link)]));
    // What the links of most other sources have is the tracker’s own.
    if (links.filter((pairs) => pairs.some(([other]) => other === name)).length > links.length / 2) return [];
    const token = tokens.find((one) => one.parameter !== null && macroIn(one.placeholder)?.word === macro.word);
    const use = token ? { use: `${token.parameter}=${token.placeholder}` } : {};
    return [{ days: othersBad(visits), parameter: name, example: value, ...use }];
  });
}

export function parametersOf(link: string | null): [name: string, value: string][] {
  const pairs = (link ?? '').split('?').slice(1).join('?').split('&');
  return pairs.flatMap((pair) => {
    const [name = '', ...value] = pair.split('=');
    return name === '' ? [] : [[name, value.join('=')]];
  });
}
