import { amountInWords } from '../api/rules.ts';
import type { SaidApart } from './blocks.ts';

/** What a finding of a review says: it costs money, a figure is not to be trusted, or it could earn more. In the order in which they are told. */
export const groups = ['costs', 'doubtful', 'opportunity'] as const;
export type Group = (typeof groups)[number];

const headings: Readonly<Record<Group, string>> = {
  costs: 'It costs you',
  doubtful: 'Do not trust this figure',
  opportunity: 'It could earn more',
};

/** Findings under the heading of their group; groups without any are left out. */
export function underHeadings<Finding extends { readonly group: Group }>(findings: readonly Finding[]) {
  return groups
    .map((group) => ({ heading: headings[group], findings: findings.filter((finding) => finding.group === group) }))
    .filter(({ findings: ofGroup }) => ofGroup.length > 0);
}

/** What the money of a finding is: `42 a day`; empty if it has none. */
export function moneyOfFinding(
  { group, money_a_day: money }: WithMoney,
  show = (amount: number) => amountInWords(amount),
): string {
  if (money === 0) return '';
  if (group === 'costs') return `${show(money)} a day`;
  return `${show(money)} a day ${group === 'doubtful' ? 'in doubt' : 'more'}`;
}

/** What a finding means to someone who did not ask: `costs you about $42 a day`. */
export function burdenOfFinding({ group, money_a_day: money }: WithMoney, show: (amount: number) => string): string {
  if (money === 0) return burdensWithoutAmount[group];
  const amount = `about ${show(money)} a day`;
  if (group === 'costs') return `costs you ${amount}`;
  return group === 'opportunity' ? `could earn ${amount} more` : `do not trust ${amount}`;
}

const burdensWithoutAmount: Readonly<Record<Group, string>> = {
  costs: 'may cost you money',
  doubtful: 'do not trust this figure',
  opportunity: 'could earn more',
};

interface WithMoney {
  readonly group: Group;
  readonly money_a_day: number;
}

/**
 * What stands over a list of values to paste into a traffic source.
 * @param dimension as it may stand in a sentence
 */
export const blockHeading = (campaignId: number, dimension: string): string =>
  `To block at the traffic source, campaign ${campaignId}, ${dimension}`;

/** How likely a finding is by chance alone, after a comma; nothing where it was counted, not judged. */
export const chanceOfFinding = (byChance: string | undefined, comma = ', '): string =>
  byChance ? `${comma}${byChance === 'no chance' ? 'not by chance' : `by chance ${byChance}`}` : '';

/** What stands below a list of findings that has not all. */
export const moreFindings = (more: number): string => `${more} more finding${more === 1 ? '' : 's'}.`;

/** Of findings none of which could earn more. */
export const nothingToEarn = `${headings.opportunity}: nothing sure.`;

/** The text of a review without findings. */
export function nothingFound(unseen: readonly unknown[]): string {
  return unseen.length === 0
    ? 'Everything was read. Nothing is clearly beyond chance.'
    : 'Nothing was found in what was read.';
}

type ShownFinding = WithMoney & {
  readonly what: string;
  readonly campaign_id: number;
  readonly since: string;
  readonly by_chance?: string | undefined;
  readonly is_new: boolean;
  readonly is_over?: boolean | undefined;
  readonly next: { readonly tool: string; readonly arguments: object };
};

/** A finding in one line for a model; for a person with its money first, and the call that shows more on a line of its own. */
export function sayFinding(finding: ShownFinding): SaidApart {
  const { what, campaign_id: campaign, since, by_chance: byChance, is_new: isNew, is_over: isOver, next } = finding;
  const money = moneyOfFinding(finding);
  const call = `${next.tool} ${JSON.stringify(next.arguments)}`;
  return {
    is: 'apart',
    toModel: `${isOver ? 'over since: ' : isNew ? '' : 'still: '}${campaign === 0 ? '' : `${campaign} `}${what}, since ${since}${money === '' ? '' : `; ${money}`}${chanceOfFinding(byChance, '; ')}. Next: ${call}`,
    toPerson: `${money === '' ? '' : `${money}  `}${what}\n  ${isOver ? 'over, ' : isNew ? '' : 'still, '}since ${since}${chanceOfFinding(byChance)}\n  ${call}`,
  };
}
