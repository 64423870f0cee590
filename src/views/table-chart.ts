import type { DaysBefore } from '../tools/present/for-views.ts';
import { type Column, changeOf, dayName, hourName, type NamedRows, namesOf } from './columns.ts';
import { element } from './parts.ts';
import { type ChartRow, rowChart } from './row-chart.ts';
import { type TimePoint, timeChart } from './time-chart.ts';

/** More bars are not read at a glance. */
const maxBars = 15;

/** What people look at first, if the call sorted by nothing. */
const telling = ['profit', 'p/l', 'revenue', 'conversions', 'clicks', 'views', 'visitors'];

/** What belongs to a figure of the same name, and is shown beside it. */
const beside = / (before|change|change %)$/i;

/** A tracker may put its own total among the rows, which would dwarf them all. */
const total = /^(grand |sub)?totals?$|^(all|overall|sum)$/i;

/** A chart of one of a table's measures, to be chosen; none of a table that has no two rows or no measure. */
export function tableChart(
  named: NamedRows,
  columns: readonly Column[],
  sortedBy: string | undefined,
  daysBefore: DaysBefore | undefined,
): readonly Node[] {
  const measures = columns.filter(({ name, isMeasure }) => isMeasure && !beside.test(name));
  const hasFormer = columns.some(({ name }) => beside.test(name));
  // An overview is sorted by cost unless somebody says otherwise.
  const chosen = firstMeasure(measures, hasFormer ? undefined : sortedBy);
  if (!chosen || named.table.rows.length < 2) return [];
  const place = element('div');
  const select = element(
    'select',
    {},
    ...measures.map((column) => element('option', { selected: column === chosen }, column.name)),
  );
  const draw = (measure: Column) => place.replaceChildren(chartOf(named, columns, measure, daysBefore));
  select.addEventListener('change', () => draw(measures[select.selectedIndex] ?? chosen));
  draw(chosen);
  return [element('label', { class: 'measure' }, 'Chart of', select), place];
}

function firstMeasure(measures: readonly Column[], sortedBy: string | undefined): Column | undefined {
  const sought = [sortedBy?.toLowerCase(), ...telling];
  const found = sought.map((name) => measures.find((measure) => measure.name.toLowerCase() === name));
  return found.find((measure) => measure !== undefined) ?? measures[0];
}

/** What comes in an order of its own is shown in it. */
const times: Readonly<Record<string, 'line' | 'columns'>> = { day: 'line', hour: 'columns', weekday: 'columns' };

function chartOf(
  named: NamedRows,
  columns: readonly Column[],
  measure: Column,
  daysBefore: DaysBefore | undefined,
): Node {
  const marks = named.nameCount === 1 ? times[columns[0]?.name.toLowerCase() ?? ''] : undefined;
  return marks ? chartOverTime(named, columns, measure, marks, daysBefore) : chartOfRows(named, columns, measure);
}

function chartOverTime(
  { table }: NamedRows,
  columns: readonly Column[],
  measure: Column,
  marks: 'line' | 'columns',
  daysBefore: DaysBefore | undefined,
): Node {
  const index = columns.indexOf(measure);
  const known = table.rows.flatMap((row) => {
    const [time, value] = [String(row[0] ?? ''), row[index]];
    return typeof value === 'number' ? [{ time, value }] : [];
  });
  // Days of the week come in their order; the others may have been sorted by a figure.
  const isDated = known.every(({ time }) => /^\d/.test(time));
  const points = isDated ? known.toSorted((one, other) => (one.time < other.time ? -1 : 1)) : known;
  return timeChart({
    title: `${measure.name} by ${columns[0]?.name.toLowerCase()}`,
    points: points.map(
      ({ time, value }, place): TimePoint => ({
        label: timeName(time),
        value,
        former: formerOf(daysBefore, time, measure),
        isAfterGap: daysBetween(points[place - 1]?.time ?? time, time) > 1,
      }),
    ),
    format: measure.format,
    marks,
  });
}

/** The figure of the same day of the period before. */
function formerOf(before: DaysBefore | undefined, time: string, { name }: Column): number | undefined {
  const day = Date.parse(`${time}T00:00:00Z`);
  if (!before || Number.isNaN(day)) return undefined;
  const former = new Date(day - before.apart * 86_400_000).toISOString().slice(0, 10);
  return before.days[former]?.[before.columns.indexOf(name)] ?? undefined;
}

function timeName(time: string): string {
  return dayName(time) ?? (/^\d/.test(time) ? hourName(time) : time.slice(0, 3));
}

function daysBetween(first: string, last: string): number {
  return (Date.parse(last) - Date.parse(first)) / 86_400_000;
}

/** What a row of a report is. */
function nounOf(table: string): string {
  const nouns: Readonly<Record<string, string>> = { landing: 'landing page', thankyou: 'thank-you page' };
  return nouns[table] ?? table.replaceAll('_', ' ').replace(/s$/, '');
}

function chartOfRows(named: NamedRows, columns: readonly Column[], measure: Column): Node {
  const index = columns.indexOf(measure);
  const formerIndex = columns.findIndex(({ name }) => name === `${measure.name} before`);
  const names = namesOf(named, columns);
  const rows = named.table.rows.flatMap((row, place): ChartRow[] => {
    const [value, before] = [row[index], row[formerIndex]];
    const label = names[place] ?? '';
    if (typeof value !== 'number' || total.test(label)) return [];
    const former = typeof before === 'number' ? before : undefined;
    return [{ label, value, former, change: changeOf(measure, value, former) }];
  });
  const { rows: chosen, words, ahead, hidden } = chooseRows(rows, maxBars);
  const by = columns
    .slice(0, named.nameCount)
    .map(({ name }) => (name.toLowerCase() === 'name' ? nounOf(named.table.name) : name.toLowerCase()))
    .join(' and ');
  return rowChart({
    title: `${measure.name} by ${by || 'row'}${words === '' ? '' : `: ${words}`}`,
    legend: formerIndex < 0 ? [] : [{ mark: 'tick', text: 'the period before' }],
    rows: chosen,
    format: measure.format,
    marks: 'bars',
    gap: { ahead, hidden },
  });
}

/** Rows of which a chart shows the ends. */
interface ChosenRows<Row> {
  /** From the largest value to the smallest. */
  readonly rows: readonly Row[];
  /** How many of them come before those that are left out; all if none are. */
  readonly ahead: number;
  /** How many are left out. */
  readonly hidden: number;
  /** What was chosen, in words; empty if that is all. */
  readonly words: string;
}

/**
 * The rows that say most: the largest gains and the largest losses, and not what lies between. If nothing is below zero, only
 * the largest.
 *
 * @param max how many there is room for
 */
function chooseRows<Row extends { readonly value: number }>(rows: readonly Row[], max: number): ChosenRows<Row> {
  const sorted = rows.toSorted((one, other) => other.value - one.value);
  const hidden = sorted.length - max;
  if (hidden <= 0) return { rows: sorted, ahead: sorted.length, hidden: 0, words: '' };
  const losing = sorted.filter(({ value }) => value < 0).length;
  const gaining = sorted.length - losing;
  const losses = Math.min(losing, Math.max(Math.floor(max / 2), max - gaining));
  const gains = max - losses;
  return {
    rows: [...sorted.slice(0, gains), ...sorted.slice(sorted.length - losses)],
    ahead: gains,
    hidden,
    words: wordsOf(gains, losses, sorted.length),
  };
}

function wordsOf(gains: number, losses: number, all: number): string {
  const largest = `${gains} largest`;
  if (losses === 0) return `the ${largest} of ${all}`;
  if (gains === 0) return `the ${losses} largest losses of ${all}`;
  return `the ${largest} gains and the ${losses} largest losses of ${all}`;
}
