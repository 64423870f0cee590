import { currencyOf } from '../analysis/columns/formats.ts';
import { causeInWords, chanceInWords, restOf } from '../answer/in-views.ts';
import type { Explanation } from '../tools/explain/present.ts';
import type { ForView } from '../tools/present/for-views.ts';
import { describeColumns } from './columns.ts';
import { daysOf, element, header, listItems, remarksAndDetails, section, tiles } from './parts.ts';
import { type ChartRow, rowChart } from './row-chart.ts';
import { sortableTable } from './sortable-table.ts';

/** Shows why profit changed: how the earlier profit became the later one, by cause and by figure, and the values that moved most. */
export function changeReport(explained: Explanation, { campaign, remarks }: ForView): readonly Node[] {
  const { query, before, after, change, usual_change, factors, causes, changes, notices } = explained;
  const rest = restOf(change, causes);
  const currency = currencyOf(query);
  const id = query['campaign_id'];
  const earlier = daysOf({ start_date: query['compare_start'], end_date: query['compare_end'] });
  const titles = ['Profit', 'Revenue', 'Cost', 'Conversions', 'Views'];
  const totals: Record<string, number> = {};
  for (const title of titles) {
    totals[title] = after[title.toLowerCase()] ?? 0;
    totals[`${title} before`] = before[title.toLowerCase()] ?? 0;
  }
  const columns = describeColumns(titles, [titles.map((title) => totals[title] ?? 0)], {
    units: moneyUnits(titles.slice(0, 3), currency),
  });
  const format = (amount: number) => columns[0]?.format(amount) ?? String(amount);
  const axis = (amount: number) => columns[0]?.axis(amount) ?? String(amount);
  const others = causes.length === 0 ? 'all visits alike' : 'everything else';
  const signed = (amount: number) => (amount > 0 ? '+' : '') + format(amount);
  const main = mainPart(explained);
  const title = main.cause
    ? `: ${causeInWords(main.cause, signed)}`
    : main.factor
      ? `, mostly by ${factorName(main.factor)} (${signed(main.factor.effect)})`
      : '';
  const parts = [
    ...causes
      .filter((cause) => cause !== main.cause)
      .map((cause) => ({ size: cause.carried, sentence: causeInWords(cause, signed) })),
    // What the causes leave is said where it counts for more.
    ...(causes.length > 0 ? [{ size: rest, sentence: `${signed(rest)} from ${others}` }] : []),
  ];
  const sentences = parts
    .toSorted((one, other) => (other.size - one.size) * Math.sign(change))
    .map(({ sentence }) => sentence);
  const hasSureCause = causes.some(({ is_sure }) => is_sure);
  // The chart has the short name of a cause, from its row in the values; its sentence is above.
  const causeSteps = causes.map(({ what, carried }, index) => ({
    label: String(explained.values.rows[index]?.[0] ?? what),
    value: carried,
  }));
  const factorSteps = factors.map((factor) => ({ label: factorName(factor), value: factor.effect }));
  const start = { label: earlier, value: totals['Profit before'] ?? 0 };
  const end = { label: daysOf({ ...query, timezone: null }), value: totals['Profit'] ?? 0 };
  const chart = (title: string, steps: readonly Step[]) =>
    rowChart({ title, rows: waterfall(start, steps, end), format, axis, marks: 'steps', legend });
  return [
    header(
      `Profit ${change < 0 ? 'fell' : 'rose'} by ${format(Math.abs(change))}${title}`,
      query,
      `against ${earlier}`,
      campaign ?? (id === 0 ? 'all campaigns' : `campaign ${id}`),
    ),
    ...tiles(columns, totals),
    element(
      'div',
      { class: 'reason' },
      ...sentences.map((sentence) => element('p', {}, sentence)),
      element('p', { class: 'costs' }, chanceInWords(change, usual_change, hasSureCause, format)),
    ),
    element(
      'div',
      { class: 'charts' },
      chart('Profit by cause', [...causeSteps, { label: others, value: rest }]),
      chart('Profit by figure', factorSteps),
    ),
    ...valuesTable(explained, currency),
    ...section('Changed by this server', 'ul', listItems(changes)),
    ...remarksAndDetails({ query, notices, remarks }),
  ];
}

const factorName = ({ factor }: Explanation['factors'][number]) => factor.replaceAll('_', ' ');

/** What carries most of a change, for its title: a cause, or else a figure; undefined if neither is the larger part. */
function mainPart({ change, causes, factors }: Explanation) {
  const isMost = (part: number) => part / change > 0.5;
  const cause = causes.find(({ carried }) => isMost(carried));
  const factor = factors.find(({ effect }) => isMost(effect));
  return { cause, factor };
}

const legend = [
  { mark: 'now', text: 'profit' },
  { mark: 'gain', text: 'gained' },
  { mark: 'negative', text: 'lost' },
] as const;

type Step = Pick<ChartRow, 'label' | 'value'>;

/** Each step starts where the previous one ends. */
function waterfall(start: Step, steps: readonly Step[], end: Step): ChartRow[] {
  let from = start.value;
  const rows = steps.map((step) => {
    const row = { ...step, from };
    from += step.value;
    return row;
  });
  return [start, ...rows, end];
}

/** The values, with the change of their profit. */
function valuesTable({ values, change }: Explanation, currency: string | undefined): readonly Node[] {
  if (values.rows.length === 0) return [];
  const [former, now] = [values.columns.indexOf('profit before'), values.columns.indexOf('profit after')];
  const order = [...new Set([former, now, ...values.columns.keys()])].filter((index) => index > 0);
  const titles = ['What', 'Profit change', ...order.map((index) => capitalized(values.columns[index] ?? ''))];
  const rows = values.rows.map((row) => [
    row[0] ?? '',
    Number((Number(row[now]) - Number(row[former])).toFixed(2)),
    ...order.map((index) => row[index] ?? null),
  ]);
  const measures = Object.fromEntries(titles.map((title) => [title, title.replace(/ after$/, '')]));
  const units = moneyUnits(
    titles.filter((title) => title.startsWith('Profit')),
    currency,
  );
  const { frame, sortBy } = sortableTable({
    name: 'Values',
    columns: describeColumns(titles, rows, { units, measures }),
    rows,
  });
  sortBy('Profit change', change < 0 ? 'ascending' : 'descending');
  return [frame];
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function moneyUnits(titles: readonly string[], currency: string | undefined): Record<string, string> {
  return currency === undefined ? {} : Object.fromEntries(titles.map((title) => [title, currency]));
}
