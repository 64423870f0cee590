import * as z from 'zod';
import { type ListedSale, readListedSales, settleSales } from '../../analysis/listed-conversions.ts';
import type { PageReport, PageRow } from '../../analysis/page-rows.ts';
import { type Mix, payoutChangeOf } from '../../analysis/profit-change.ts';
import type { ComparedPage } from '../../analysis/statistics/basis.ts';
import {
  areDaysWorthReading,
  type Comparison,
  compareConversions,
  comparePages,
} from '../../analysis/statistics/compare-pages.ts';
import { type Day, groupBy } from '../../analysis/statistics/history.ts';
import { daysAfterChange } from '../../analysis/statistics/usable-days.ts';
import { Failure } from '../../api/failure.ts';
import * as is from '../../api/parameters.ts';
import { joinSome } from '../../api/rules.ts';
import { fromOutside, mention, quoted } from '../../api/text/tracker-text.ts';
import { defineTool } from '../define-tool.ts';
import {
  dayInWords,
  lengthInDays,
  type Period,
  periodNames,
  settleDays,
  shiftDays,
  today,
  zoneNotice,
} from '../period.ts';
import { presentComparison } from '../present/comparison/comparison.ts';
import { comparisonOutput } from '../present/comparison/comparison-output.ts';
import { listSome, nameSome, shortName } from '../present/names.ts';
import { findReversal } from './find-reversal.ts';
import {
  addUpProgress,
  type PageQuestion,
  readConversions,
  readDays,
  readReport,
  readViewsBefore,
} from './read-pages.ts';

/** Two weeks even out the days of the week, and are recent enough to act on. */
const usualPeriod: Period = 'last_14_days';

const kinds = { offer: 'offers', landing: 'landing pages' } as const;

/** Sales of a period that is over may have come in until so many days later. */
const daysOfLateSales = 31;

/** Which of a campaign's pages earns more, and what to do about it. It only reads. */
export const comparePagesTool = defineTool({
  name: 'compare_pages',
  title: 'Compare offers or landing pages',
  description:
    'Which of a campaign’s offers or landing pages earns more per view, and how certain that is: clear (made for daily asking), leaning (today’s odds) or too early; by money if every payout is known, else by conversions, which money must not contradict. ' +
    'Pages as measured (epv; rate: conversions per view in percent) and as estimated (_low, _high); the lead in percent; the views and days a verdict takes; what waiting costs; with clear, leaning or a page that is surely behind, the call that sets the recommended shares.',
  access: 'read',
  input: z.strictObject({
    campaign_id: is.campaign(),
    kind: is.oneOf(['offer', 'landing'], 'What is compared'),
    period: is.oneOf(periodNames, `Instead of dates; without any: ${usualPeriod}`).optional(),
    start_date: is.date('YYYY-MM-DD').optional(),
    end_date: is.date('Last day').optional(),
    group: z
      .string()
      .max(100)
      .describe('Which pages, where they are in several paths, levels or option groups: as the notices name it')
      .optional(),
  }),
  output: comparisonOutput,
  run: async (given, context) => {
    const deadline = performance.now() + context.client.timeoutMs;
    const { query } = settleDays('compare_pages', given, usualPeriod, context);
    const { kind, start_date: start, end_date: end } = query;
    const now = today(context.timeZone, context.now());
    const first = start ?? now;
    const last = end === undefined || end > now ? now : end;
    const lastSale = [now, shiftDays(last, daysOfLateSales)].sort()[0] ?? now;
    const newProgress = addUpProgress(context.onProgress);
    const question: PageQuestion = { campaign: String(query.campaign_id), kind, context, deadline, newProgress };
    const [report, list] = await Promise.all([
      readReport(question, { start, end }),
      // Leaves time for the days.
      readConversions({ ...question, deadline: deadline - context.client.timeoutMs / 3 }, { start, end: lastSale }),
    ]);
    if (!report) {
      throw new Failure(
        `The tracker returned no ${kinds[kind]} for campaign ${question.campaign} in this period.`,
        'Try a longer period.',
      );
    }
    const { pages, notices } = choosePages(report.rows, kind, query.group);
    const dayCount = Math.max(lengthInDays(first, last), 1);
    const sales = list ? readListedSales(list, report.rows, kind) : [];
    const span = { start: first, end: last, asOf: lastSale };
    const settledBy = (days?: readonly Day[]) => settleSales(sales, report.rows, span, pages, days);
    const listedIn = ({ byPage }: ReturnType<typeof settledBy>) =>
      pages.map((page): ComparedPage => ({ ...page, listed: byPage.get(page) }));
    const isWorthReading = areDaysWorthReading(listedIn(settledBy()), dayCount);
    const settled = settledBy(
      isWorthReading ? await readDays(question, pages, { start: first, end: last }) : undefined,
    );
    const { days, lateness, toCome } = settled;
    const compared = listedIn(settled);
    const daysBefore = isWorthReading ? daysAfterChange(lateness) : 0;
    const viewsBefore = daysBefore > 0 ? await readViewsBefore(question, pages, first, daysBefore) : undefined;
    const circumstances = { days, dayCount, lateness, viewsBefore };
    const judged = comparePages(compared, circumstances);
    const [leader, rival] = [pages[judged.leader], pages[judged.rival]];
    const reversal =
      judged.verdict !== 'too early' && leader && rival
        ? await findReversal(question, { start: first, end: last }, leader, rival)
        : undefined;
    const comparison = reversal ? { ...judged, ...doubted(judged) } : judged;
    return presentComparison({
      // A call that is proposed names the tracker again.
      query: context.trackerName === undefined ? query : { tracker: context.trackerName, ...query },
      since: first,
      pages,
      comparison,
      byConversions: comparison.basis === 'money' ? compareConversions(compared, circumstances) : comparison,
      currency: context.currency,
      toCome,
      areDaysMissing: isWorthReading && dayCount > 1 && days === undefined,
      notices: [
        ...(reversal && leader && rival ? [describeReversal(reversal, leader, rival)] : []),
        ...(kind === 'offer' ? describePayoutChanges(sales, pages) : []),
        ...zoneNotice(query, context),
        ...notices,
        ...(report.total === undefined
          ? []
          : [`The row ${JSON.stringify(shortName(report.total))} is the tracker’s own total, and no page.`]),
        ...(pages.some(({ pageId }) => pageId !== null) ? vagueIds(report, kind) : []),
      ],
    });
  },
});

/** A verdict that every part of the traffic contradicts is none. */
function doubted({ lacks }: Comparison): Pick<Comparison, 'verdict' | 'lacks'> {
  return { verdict: 'too early', lacks: [...lacks, 'one order in all parts'] };
}

/** `On each device “B” earns more per view than “A”: Phone 0.52 and 0.4, ...` */
function describeReversal({ dimension, parts }: Mix, leader: PageRow, rival: PageRow): string {
  const [ahead, better] = [leader, rival].map(({ name }) => quoted(name, 100));
  const ofParts = parts
    .toSorted((one, other) => other.shareAfter - one.shareAfter)
    .map(({ value, before, after }) => {
      const amounts = [before, after].map((amount) => String(Number(amount.toPrecision(3))));
      return `${mention(fromOutside(value ?? ''), 60)} ${amounts.join(' and ')}`;
    });
  const [most] = parts.toSorted(
    (one, other) => other.shareAfter - other.shareBefore - one.shareAfter + one.shareBefore,
  );
  const part = mention(fromOutside(most?.value ?? ''), 60);
  return `On each ${dimension.replaceAll('_', ' ')} ${better} earns more per view than ${ahead}: ${joinSome(ofParts, 5)}. ${ahead} is ahead over all since it got more of the views of ${part}, so the parts decide: ${better}.`;
}

/** `“Cash” pays 22.00 a sale instead of 32.00 since Fri 20 Nov, ...` */
function describePayoutChanges(sales: readonly ListedSale<PageRow>[], pages: readonly PageRow[]): string[] {
  return pages.flatMap((page) => {
    const own = sales.flatMap(({ page: its, date, value }) =>
      its === page && date !== null ? [{ day: date, revenue: value }] : [],
    );
    const change = payoutChangeOf(own);
    if (!change) return [];
    const { before, after, since } = change;
    return [
      `${quoted(page.name, 100)} pays ${after.toFixed(2)} a sale instead of ${before.toFixed(2)} since ${dayInWords(since)}, and what it earned before is in the figures: for what it is worth now, ask with start_date ${since}.`,
    ];
  });
}

function vagueIds({ vagueIdColumn }: PageReport, kind: keyof typeof kinds): string[] {
  if (vagueIdColumn === undefined) return [];
  const name = JSON.stringify(shortName(vagueIdColumn));
  return [
    `The report calls the page IDs ${name}, which may be those of predefined ${kinds[kind]} instead: check them in the tracker’s campaign before calling.`,
  ];
}

/** The group of a name, whatever its letter case, or of the bare number or name of its path or level if only one fits. */
function groupCalled<Group>(
  asked: string,
  groups: readonly (readonly [name: string, group: Group])[],
): readonly [name: string, group: Group] | undefined {
  const wanted = asked.trim().toLowerCase();
  const whole = groups.filter(([name]) => name.toLowerCase() === wanted);
  const inPart = groups.filter(([name]) =>
    name
      .toLowerCase()
      .split(', ')
      .some((part) => part === wanted || part.replace(/^\S+ /, '') === wanted),
  );
  const fitting = whole.length > 0 ? whole : inPart;
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** So many pages can be compared; the tracker of a campaign with more is asked for a group. */
const maxPages = 1000;

/**
 * Only pages that compete for the same traffic can be compared: active ones with a share, of one path, level or option group, that have
 * had views.
 *
 * @throws Failure if fewer than two are left
 */
function choosePages(
  rows: readonly PageRow[],
  kind: keyof typeof kinds,
  asked: unknown,
): { pages: readonly PageRow[]; notices: readonly string[] } {
  const running = rows.filter(({ isActive, share }) => isActive && share !== 0);
  const groups = groupBy(running, ({ group }) => group);
  const viewsIn = (group: readonly PageRow[]) => group.reduce((sum, { views }) => sum + views, 0);
  const comparable = [...groups]
    .filter(([, group]) => group.length > 1)
    .sort(([, one], [, other]) => viewsIn(other) - viewsIn(one));
  const chosen = asked === undefined ? comparable[0] : groupCalled(String(asked), comparable);
  const names = listSome(comparable.map(([name]) => name));
  if (!chosen) {
    throw asked === undefined || comparable.length === 0
      ? new Failure(
          `There is nothing to compare: fewer than two active ${kinds[kind]} with a share compete for the same traffic.`,
          'get_stats shows the pages with their shares.',
        )
      : new Failure(
          `There is no group ${JSON.stringify(asked)} with two active ${kinds[kind]}.`,
          `The groups are: ${names}.`,
        );
  }
  const [name, group] = chosen;
  const seen = group.filter(({ views }) => views > 0);
  const unseen = group.filter(({ views }) => views === 0);
  if (seen.length < 2) {
    const many = seen.length === 0 ? 'None' : 'Only one';
    throw new Failure(`${many} of the ${kinds[kind]} had a view in this period.`, 'Try a longer one.');
  }
  const busiest = new Set(seen.toSorted((one, other) => other.views - one.views).slice(0, maxPages));
  const idle = rows.filter((row) => !running.includes(row));
  const notices = [
    ...(comparable.length > 1 ? [`Compared: ${name}. Pages compete within one group; the groups are ${names}.`] : []),
    ...(idle.length > 0
      ? [`Left out, being inactive or without a share: ${nameSome(idle.map((row) => row.name))}.`]
      : []),
    ...(unseen.length > 0
      ? [`Without a view, so that nothing is known of them: ${nameSome(unseen.map((row) => row.name))}.`]
      : []),
    ...(seen.length > maxPages ? [`Compared are the ${maxPages} with most views of ${seen.length}.`] : []),
  ];
  return { pages: seen.filter((page) => busiest.has(page)), notices };
}
