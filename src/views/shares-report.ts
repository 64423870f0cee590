import { describeColumns } from './columns.ts';
import { element, header, remarksAndDetails } from './parts.ts';
import type { ChangedShares } from './result.ts';
import { shareChart } from './row-chart.ts';
import { sortableTable } from './sortable-table.ts';

type Page = ChangedShares['groups'][number]['pages'][number];

/**
 * A rotation: what each page of a group gets of the traffic, before and after.
 *
 * @param campaign the name of the campaign, if it is known
 */
export function sharesReport(changed: ChangedShares, campaign: string | undefined): readonly Node[] {
  const { campaign_id: id, change_id: change, dry_run: isRehearsal, done, groups, notices } = changed;
  const outcome = isRehearsal ? 'Not sent: this is a dry run' : done ? 'The shares are set' : 'The shares are not set';
  const facts = [campaign ?? `Campaign ${id}`, ...(change === null ? [] : [`change ${change}`])];
  return [
    header(outcome, {}, ...facts),
    ...groups.flatMap(({ group, pages }) => [
      element('h2', { class: 'group' }, group),
      ...chartOf(pages, isRehearsal),
      sharesTable(group, pages),
    ]),
    ...remarksAndDetails({ notices }),
  ];
}

/** Parts of the traffic can be drawn only if the tracker lists the shares. */
function chartOf(pages: readonly Page[], isRehearsal: boolean): readonly Node[] {
  const known = pages.flatMap((page) =>
    page.percent_after === null
      ? []
      : [{ label: nameOf(page), now: page.percent_before ?? undefined, next: page.percent_after }],
  );
  if (known.length === 0) return [];
  return [
    shareChart('Share of the traffic', isRehearsal ? 'it would get' : 'now', known, isRehearsal ? 'now' : 'before'),
  ];
}

const titles = ['Page', 'Share before', 'Share after', 'Traffic before', 'Traffic after', 'Page ID'];

function sharesTable(name: string, pages: readonly Page[]): Node {
  const rows = pages.map((page) => [
    nameOf(page),
    page.share_before,
    page.share_after,
    page.percent_before,
    page.percent_after,
    page.page_id,
  ]);
  const units = { 'Traffic before': '%', 'Traffic after': '%' };
  return sortableTable({ name, columns: describeColumns(titles, rows, { units }), rows });
}

function nameOf({ name, page_id }: Page): string {
  return name || `page ${page_id}`;
}
