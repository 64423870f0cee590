import { dayMs } from '../api/durations.ts';
import { ownValue } from '../api/text/json.ts';
import type { DaysBefore } from '../tools/present/for-views.ts';
import { figure, type LegendEntry, scaleOver } from './canvas.ts';
import { type Column, changeOf, companion, dayName, hourName, type NamedRows, namesOf } from './columns.ts';
import { element, graphic } from './parts.ts';
import { type ChartRow, rowChart } from './row-chart.ts';
import type { SortableTable } from './sortable-table.ts';

/** More bars cannot be read at a glance. */
const maxBars = 15;

/** What people look at first, if the call did not sort. */
const preferredMeasures = ['profit', 'p/l', 'revenue', 'conversions', 'clicks', 'views', 'visitors'];

/** A tracker may list its own total as a row, which would dwarf all others. */
const totalName = /^(grand |sub)?totals?$|^(all|overall|sum)$/i;

/** What a chart of a table needs besides its rows. */
export interface ChartFacts {
  readonly sortedBy: string | undefined;
  readonly daysBefore: DaysBefore | undefined;
  /** YYYY-MM-DD, if it is not over. */
  readonly openDay: string | undefined;
}

/**
 * A chart of one measure of a table, with a list to choose it. None if the table has fewer than two rows or no measure.
 *
 * @param onChoice puts the rows of the table into the order of the chart
 */
export function tableChart(
  named: NamedRows,
  columns: readonly Column[],
  facts: ChartFacts,
  onChoice: SortableTable['sortBy'],
): readonly Node[] {
  const measures = columns.filter(({ name, isMeasure }) => isMeasure && !companion.test(name));
  const chosen = firstMeasure(measures, facts.sortedBy);
  if (!chosen || named.table.rows.length < 2) return [];
  const container = element('div');
  const select = element(
    'select',
    {},
    ...measures.map((column) => element('option', { selected: column === chosen }, column.name)),
  );
  const time = columns[0]?.name ?? '';
  const marks = named.nameCount === 1 ? ownValue(timeMarks, time.toLowerCase()) : undefined;
  const draw = (measure: Column) => {
    const chart = marks ? chartOverTime(named, columns, measure, marks, facts) : chartOfRows(named, columns, measure);
    container.replaceChildren(chart);
    if (!marks) onChoice(measure.name, 'descending');
    // Days of the week come in their order, which is not that of their names.
    else if (/^\d/.test(String(named.table.rows[0]?.[0]))) onChoice(time, 'ascending');
  };
  select.addEventListener('change', () => draw(measures[select.selectedIndex] ?? chosen));
  draw(chosen);
  return [element('label', { class: 'measure' }, 'Chart of', select), container];
}

function firstMeasure(measures: readonly Column[], sortedBy: string | undefined): Column | undefined {
  const names = [sortedBy?.toLowerCase(), ...preferredMeasures];
  return (
    names.flatMap((name) => measures.find((measure) => measure.name.toLowerCase() === name) ?? [])[0] ?? measures[0]
  );
}

/** Columns whose rows are shown in their own order. */
const timeMarks: Readonly<Record<string, 'line' | 'columns'>> = { day: 'line', hour: 'columns', weekday: 'columns' };

function chartOverTime(
  { table }: NamedRows,
  columns: readonly Column[],
  measure: Column,
  marks: 'line' | 'columns',
  { daysBefore, openDay }: ChartFacts,
): Node {
  const column = columns.indexOf(measure);
  const rows = table.rows.flatMap((row) => {
    const [time, value] = [String(row[0] ?? ''), row[column]];
    return typeof value === 'number' ? [{ time, value }] : [];
  });
  // Days of the week arrive in order; others may be sorted by a figure.
  const isDated = rows.every(({ time }) => /^\d/.test(time));
  const points = isDated ? rows.toSorted((one, other) => (one.time < other.time ? -1 : 1)) : rows;
  return timeChart({
    title: `${measure.name} by ${columns[0]?.name.toLowerCase()}`,
    points: points.map(
      ({ time, value }, index): TimePoint => ({
        label: timeName(time),
        value,
        former: formerOf(daysBefore, time, measure),
        isOpen: time === openDay,
        isAfterGap: daysBetween(points[index - 1]?.time ?? time, time) > 1,
      }),
    ),
    format: measure.format,
    axis: measure.axis,
    marks,
  });
}

/** The figure of the same day in the period before. */
function formerOf(before: DaysBefore | undefined, time: string, { name }: Column): number | undefined {
  const former = before && dayBefore(time, before.apart);
  return former === undefined ? undefined : (before?.days[former]?.[before.columns.indexOf(name)] ?? undefined);
}

/** The day that many days before; undefined if the text is not a day. */
export function dayBefore(day: string, apart: number): string | undefined {
  const time = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(time) ? undefined : new Date(time - apart * dayMs).toISOString().slice(0, 10);
}

function timeName(time: string): string {
  return dayName(time) ?? (/^\d/.test(time) ? hourName(time) : time.slice(0, 3));
}

function daysBetween(first: string, last: string): number {
  return (Date.parse(last) - Date.parse(first)) / dayMs;
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
  const rows = named.table.rows.flatMap((row, position): ChartRow[] => {
    const [value, before] = [row[index], row[formerIndex]];
    const label = names[position] ?? '';
    if (typeof value !== 'number' || totalName.test(label)) return [];
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
    axis: measure.axis,
    marks: 'bars',
    gap: { ahead, hidden },
  });
}

/** The rows that a chart shows. */
interface ChosenRows {
  /** From the largest value to the smallest. */
  readonly rows: readonly ChartRow[];
  /** How many of them come before the gap; all if there is none. */
  readonly ahead: number;
  /** How many are in the gap. */
  readonly hidden: number;
  /** What was chosen, for the title; empty if everything was. */
  readonly words: string;
}

/**
 * Chooses the largest gains and the largest losses, at most `max` in all. If no value is negative, only the largest.
 */
function chooseRows(rows: readonly ChartRow[], max: number): ChosenRows {
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

interface TimePoint {
  readonly label: string;
  readonly value: number;
  /** The value in the period before. */
  readonly former?: number | undefined;
  /** Whether days are missing before it, so that no line leads to it. */
  readonly isAfterGap?: boolean;
  /** Whether it is not over: it is drawn hollow. */
  readonly isOpen?: boolean;
}

interface TimeContent extends Pick<Column, 'format' | 'axis'> {
  readonly title: string;
  readonly points: readonly TimePoint[];
  /** A line for days; columns for hours and days of the week, which repeat. */
  readonly marks: 'line' | 'columns';
}

/** More names of points would run into each other. */
const maxNames = 8;

/** A line or columns, from left to right. Positions are percentages of the plot. */
function timeChart({ title, points, format, axis, marks }: TimeContent): HTMLElement {
  const scale = scaleOver(
    points.flatMap(({ value, former = value }) => [value, former]),
    100,
    0,
    5,
  );
  const hasFormer = points.some(({ former }) => former !== undefined);
  const legend: LegendEntry[] = [
    ...(hasFormer ? ([{ mark: 'former', text: 'the period before' }] as const) : []),
    ...(points.some(({ isOpen }) => isOpen) ? ([{ mark: 'hollow', text: 'not over yet' }] as const) : []),
  ];
  const slot = 100 / points.length;
  const xOf = (index: number) => slot * (index + 0.5);
  const y = (value: number) => scale.position(value);
  const line = (name: string, x1: number, y1: number, x2: number, y2: number) =>
    graphic('line', { class: name, x1: `${x1}%`, y1: `${y1}%`, x2: `${x2}%`, y2: `${y2}%` });
  const drawn = points.flatMap((point, index) => {
    const { value, former, isOpen, isAfterGap } = point;
    const last = points[index - 1];
    const join = (name: string, start: number, end: number) => line(name, xOf(index - 1), y(start), xOf(index), y(end));
    return [
      ...(former === undefined || last?.former === undefined ? [] : [join('line former', last.former, former)]),
      ...(marks === 'columns' || !last || isAfterGap ? [] : [join(isOpen ? 'line open' : 'line', last.value, value)]),
    ];
  });
  const targets = points.map((point, index) => {
    const { value, isOpen = false } = point;
    const column = {
      x: `${xOf(index) - slot * 0.36}%`,
      y: `${Math.min(y(value), y(0))}%`,
      width: `${slot * 0.72}%`,
      height: `${Math.abs(y(value) - y(0))}%`,
    };
    const look = isOpen ? ' hollow' : '';
    return graphic(
      'g',
      { class: 'row' },
      graphic('title', {}, describePoint(point, format)),
      marks === 'line'
        ? graphic('circle', { class: `dot${look}`, cx: `${xOf(index)}%`, cy: `${y(value)}%`, r: 3.5 })
        : graphic('rect', { class: `bar${value < 0 ? ' negative' : ''}${look}`, ...column, rx: 2 }),
      // The whole slot reacts to the pointer: a dot is hard to hit.
      graphic('rect', { class: 'target', x: `${slot * index}%`, y: 0, width: `${slot}%`, height: '100%' }),
    );
  });
  const grid = scale.ticks.map((tick) => line(tick === 0 ? 'grid zero' : 'grid', 0, y(tick), 100, y(tick)));
  const every = Math.ceil(points.length / maxNames);
  const names = points.flatMap(({ label }, index) =>
    // Always including the last.
    (points.length - 1 - index) % every === 0 ? [element('span', { style: `left:${xOf(index)}%` }, label)] : [],
  );
  const ticks = scale.ticks.map((tick) => element('span', { style: `top:${y(tick)}%` }, axis(tick)));
  const label = `${title}. ${points.map((point) => describePoint(point, format)).join('; ')}`;
  return figure(
    title,
    legend,
    element(
      'div',
      { class: 'over-time', role: 'img', 'aria-label': label },
      element('div', { class: 'ticks values' }, ...ticks),
      element('div', { class: 'plot' }, graphic('svg', {}, ...grid, ...drawn, ...targets)),
      element('div', { class: 'ticks times' }, ...names),
    ),
  );
}

function describePoint({ label, value, former, isOpen }: TimePoint, format: TimeContent['format']): string {
  return `${label}${isOpen ? ', not over' : ''}: ${format(value)}${former === undefined ? '' : ` (before: ${format(former)})`}`;
}
