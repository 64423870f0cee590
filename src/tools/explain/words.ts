import type {
  Cause,
  DecisiveSale,
  Factor,
  FactorEffect,
  Group,
  Mix,
  PayoutChange,
} from '../../analysis/profit-change.ts';
import { joinWords } from '../../api/rules.ts';
import { fromOutside, mention } from '../../api/text/tracker-text.ts';
import type { Span } from '../account/read-visits.ts';
import { dayInWords } from '../period.ts';

/** An amount of money with its sign: -58.00, +12.50. */
export function signed(amount: number): string {
  return `${amount < 0 ? '-' : '+'}${Math.abs(amount).toFixed(2)}`;
}

/** `device Phone of landing page “Quiz”` */
export function nameGroups(groups: readonly Group[]): string {
  return groups
    .toReversed()
    .map(({ dimension, value }) => `${dimension.replaceAll('_', ' ')} ${mention(fromOutside(value ?? ''), 100)}`)
    .join(' of ');
}

/** Two spans as `Tue 17 Nov` or `Tue 17 Nov to Mon 23 Nov`, with years if they are in different ones. */
export function spansInWords({
  before,
  after,
}: Readonly<Record<'before' | 'after', Span>>): readonly [before: string, after: string] {
  const yearOf = (day: string) => day.slice(0, 4);
  const isOneYear = yearOf(before.start) === yearOf(after.end) && yearOf(before.end) === yearOf(after.start);
  const write = (day: string) => dayInWords(day) + (isOneYear ? '' : ` ${yearOf(day)}`);
  const inWords = ({ start, end }: Span) => (start === end ? write(start) : `${write(start)} to ${write(end)}`);
  return [inWords(before), inWords(after)];
}

/** Nobody reads more names of the same visits. */
const maxAlike = 2;

/** `landing page “Quiz” got no more visits (420 before) since Tue 17 Nov` */
export function describeCause({ groups, alike, factors, moved, since, isSure }: Cause): string {
  const first = factors.find(({ factor }) => factor === moved[0]);
  const named = alike.slice(0, maxAlike).map((group) => nameGroups([group]));
  const more = alike.length > maxAlike ? [`${alike.length - maxAlike} more`] : [];
  const same = alike.length === 0 ? '' : ` (the same visits: ${joinWords([...named, ...more], 'and')})`;
  const what = first ? describeFactor(first) : 'moved';
  const when = since === undefined ? '' : ` since ${dayInWords(since)}`;
  return `${nameGroups(groups)}${same} ${what}${when}${isSure ? '' : ' (small numbers: this may be chance)'}`;
}

const factorWords: Readonly<Record<Factor, { readonly none: string; readonly less: string; readonly more: string }>> = {
  visits: { none: 'got no more visits', less: 'got fewer visits', more: 'got more visits' },
  cost_per_visit: { none: 'no longer costs anything', less: 'cost less a visit', more: 'cost more a visit' },
  clicks_per_visit: {
    none: 'got no more clicks',
    less: 'had fewer of its visits click',
    more: 'had more of its visits click',
  },
  sales_per_click: {
    none: 'made no more sales',
    less: 'sold to fewer of its clicks',
    more: 'sold to more of its clicks',
  },
  revenue_per_sale: { none: 'no longer pays', less: 'paid less a sale', more: 'paid more a sale' },
};

/** `got fewer visits (420 to 130)`, `paid less a sale (3.00 to 1.50)`, `got no more clicks (42.2% before)` */
export function describeFactor({ factor, before, after }: FactorEffect): string {
  const { none, less, more } = factorWords[factor];
  if (before === null) return more;
  if (after === null) return none;
  const show = (value: number) => showFactor(factor, value, Math.min(before || after, after || before));
  if (after === 0) return `${none} (${show(before)} before)`;
  return `${after < before ? less : more} (${show(before)} to ${show(after)})`;
}

/** A value of a factor, with as many decimals as the smaller of two values needs for three digits. */
function showFactor(factor: Factor, value: number, smaller: number): string {
  if (factor === 'visits') return String(value);
  const isShare = factor === 'clicks_per_visit' || factor === 'sales_per_click';
  const scale = isShare ? 100 : 1;
  const digits = 2 - Math.floor(Math.log10(smaller * scale || 1));
  return `${(value * scale).toFixed(Math.min(Math.max(digits, isShare ? 1 : 2), 6))}${isShare ? '%' : ''}`;
}

/** `Each device earned more profit a visit; that of all fell because more visits were of device Phone (20% to 80%).` */
export function describeMix({ dimension, isBetterInParts, before, after, parts }: Mix): string {
  const [grown] = parts.toSorted((a, b) => b.shareAfter - b.shareBefore - (a.shareAfter - a.shareBefore));
  const percent = (part: number) => `${Math.round(part * 100)}%`;
  const [each, total] = isBetterInParts ? ['more', 'fell'] : ['less', 'rose'];
  const because = grown
    ? ` because more visits were of ${nameGroups([{ dimension, value: grown.value }])} (${percent(grown.shareBefore)} to ${percent(grown.shareAfter)})`
    : '';
  return `Each ${dimension.replaceAll('_', ' ')} earned ${each} profit a visit; that of all ${total} (${before.toPrecision(2)} to ${after.toPrecision(2)})${because}.`;
}

export function describePayout({ offer, before, after, since }: PayoutChange): string {
  return `Offer ${mention(fromOutside(offer), 100)} pays ${after.toFixed(2)} a sale instead of ${before.toFixed(2)} since ${dayInWords(since)}.`;
}

/** `One sale of 500.00, of a visit on Thu 19 Nov, decides: without it profit rose by 4.25.` */
export function describeDecisiveSale({ revenue, day, changeWithout }: DecisiveSale): string {
  const direction = changeWithout < 0 ? 'fell' : 'rose';
  return `One sale of ${revenue.toFixed(2)}, of a visit on ${dayInWords(day)}, decides: without it profit ${direction} by ${Math.abs(changeWithout).toFixed(2)}.`;
}
