import { amountInWords } from '../api/rules.ts';
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
