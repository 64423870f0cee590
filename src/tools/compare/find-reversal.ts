import type { PageRow } from '../../analysis/page-rows.ts';
import { codeVisits, findMixes, type Mix, type SpanVisit } from '../../analysis/profit-change.ts';
import { figuresIn, readerOf, visitsIn } from '../../analysis/visit-groups.ts';
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
    const worth = figuresIn(table).revenue ? 'revenue' : 'conversions';
    const visits = visitsIn(table, readers, (row) => {
      const page = names.indexOf(pageOf?.(row) ?? '');
      return page < 0 ? undefined : { isAfter: page === 1, day: '' };
    });
    for (const visit of visits) rows.push({ ...visit, cost: 0, revenue: visit[worth] });
  };
  const read = await inTime(question, ({ context }) =>
    readVisitsInSlices(campaign, span, undefined, { ...context, onProgress: undefined }, take),
  );
  const isWhole = read && read.cutDays.length + read.unreadDays.length === 0;
  // A list that counts the pages otherwise than the report says nothing of them.
  if (!isWhole || rows.length < (leader.views + rival.views) * minListed || names[0] === names[1]) return undefined;
  const mixes = await findMixes(await codeVisits({ dimensions: traits, rows }));
  return mixes.find(({ isBetterInParts }) => !isBetterInParts);
}

const minListed = 0.95;
