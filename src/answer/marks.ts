import { joinWords } from '../api/rules.ts';
import { nameOf } from './words.ts';

/** Why a figure misleads though each digit is right. */
export type Mark =
  /** One sale is the larger part of the revenue; in percent. */
  | { readonly code: 'one sale'; readonly percent: number }
  /** Sales of one visitor with one value that are listed more than once. */
  | { readonly code: 'sales twice'; readonly count: number }
  /** An offer pays exactly twice as much a sale as before: a pixel may fire twice. */
  | { readonly code: 'pays double' }
  /** Visits cost less than half of what they did before, as if some had no cost; the change in percent. */
  | { readonly code: 'cost per view'; readonly percent: number }
  /** A campaign that had visits gets none any more; the first day without. */
  | { readonly code: 'no visits'; readonly since: string }
  /** Visits cost nothing, though they did before, or their link carries a cost. */
  | { readonly code: 'no cost' };

/** As a cell of a table: `one sale: 62%; no cost` */
export function marksInCell(marks: readonly Mark[]): string | null {
  const words = marks.map((mark) => {
    if ('since' in mark) return `${mark.code} since ${mark.since}`;
    if ('percent' in mark) return `${mark.code}: ${mark.percent}%`;
    return mark.code === 'sales twice' ? `${mark.code}: ${mark.count}` : mark.code;
  });
  return words.length === 0 ? null : words.join('; ');
}

/** Campaigns by why their figures mislead. */
type Marked = {
  readonly mark: string;
  readonly campaigns: readonly string[];
};

const maxCampaigns = 8;

/** `Misleading: campaigns 1 and 4 (no cost), campaign 14 (one sale: 98%).` */
export function sayMarked({ marked }: { readonly marked: readonly Marked[] }): string {
  const parts = marked.map(({ mark, campaigns }) => {
    const more = campaigns.length > maxCampaigns ? [`${campaigns.length - maxCampaigns} more`] : [];
    const names = joinWords([...campaigns.slice(0, maxCampaigns).map((id) => nameOf(id, 20)), ...more], 'and');
    return `${campaigns.length === 1 ? 'campaign' : 'campaigns'} ${names} (${mark})`;
  });
  return `Misleading: ${parts.join(', ')}.`;
}
