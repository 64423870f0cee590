import type { PageRow } from '../../analysis/page-rows.ts';
import { findMixes, type Mix, type SpanVisit } from '../../analysis/profit-change.ts';
import { figuresIn, readerOf } from '../../analysis/visit-groups.ts';
import type { Table } from '../../api/table.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import { readVisitsInSlices, type Span } from '../account/read-visits.ts';
import { inTime, type PageQuestion } from './read-pages.ts';

/** What the visits of two pages may differ by, though the pages are dealt out by chance. */
const traits = ['device', 'traffic_source', 'country', 'os', 'keyword', 'ad'];

/**
 * A mix of visits that turns the order of two pages around: the leader earns more a view over all, and less in every part. It
 * takes the visitor list of the campaign, in the time that is left.
 * @returns undefined if there is none, or the list cannot be read whole
 */
export async function findReversal(
  question: PageQuestion,
  span: Span,
  leader: PageRow,
  rival: PageRow,
): Promise<Mix | undefined> {
  const { campaign, kind } = question;
  const names = [rival, leader].map(({ name }) => rawText(name));
  const rows: SpanVisit[] = [];
  const take = (table: Table) => {
    const pageOf = readerOf(kind === 'offer' ? 'offer' : 'landing_page')(table);
    const readers = traits.map((name) => readerOf(name)(table));
    const { revenue, conversions } = figuresIn(table);
    for (let row = 0; pageOf && row < table.rowCount; row += 1) {
      const page = names.indexOf(pageOf(row) ?? '');
      if (page < 0) continue;
      const values = readers.map((read) => read?.(row) ?? null);
      const worth = (revenue ?? conversions)?.(row) ?? 0;
      rows.push({ isAfter: page === 1, day: '', values, clicks: 1, conversions: 0, cost: 0, revenue: worth });
    }
  };
  const read = await inTime(question, ({ context }) =>
    readVisitsInSlices(campaign, span, undefined, { ...context, onProgress: undefined }, take),
  );
  const isWhole = read && read.cutDays.length + read.unreadDays.length === 0;
  // A list that counts the pages otherwise than the report says nothing of them.
  if (!isWhole || rows.length < (leader.views + rival.views) * minListed || names[0] === names[1]) return undefined;
  return findMixes({ dimensions: traits, rows }).find(({ isBetterInParts }) => !isBetterInParts);
}

const minListed = 0.95;
