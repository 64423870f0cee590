import { ownValue } from '../api/text/json.ts';
import type { DaysBefore } from '../tools/present/for-views.ts';
import { chartFigure, type Measure, scaleOver } from './canvas.ts';
import { type Column, changeOf, dayName, hourName, type NamedRows, namesOf } from './columns.ts';
import { element, graphic } from './parts.ts';
import { type ChartRow, rowChart } from './row-chart.ts';

/** More bars cannot be read at a glance. */
const maxBars = 15;

/** What people look at first, if the call did not sort. */
const preferredMeasures = ['profit', 'p/l', 'revenue', 'conversions', 'clicks', 'views', 'visitors'];

/** Columns that are shown with the figure of the same name. */
const companion = / (before|change|change %)$/i;

/** A tracker may list its own total as a row, which would dwarf all others. */
const totalName = /^(grand |sub)?totals?$|^(all|overall|sum)$/i;

/** A chart of one measure of a table, with a list to choose it. None if the table has fewer than two rows or no measure. */
export function tableChart(
  named: NamedRows,
  columns: readonly Column[],
  sortedBy: string | undefined,
  daysBefore: DaysBefore | undefined,
): readonly Node[] {
  const measures = columns.filter(({ name, isMeasure }) => isMeasure && !companion.test(name));
  const hasFormer = columns.some(({ name }) => companion.test(name));
  // An overview is sorted by cost by default: that is not a choice.
  const chosen = firstMeasure(measures, hasFormer ? undefined : sortedBy);
  if (!chosen || named.table.rows.length < 2) return [];
  const container = element('div');
  const select = element(
    'select',
    {},
    ...measures.map((column) => element('option', { selected: column === chosen }, column.name)),
  );
  const draw = (measure: Column) => container.replaceChildren(chartOf(named, columns, measure, daysBefore));
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

function chartOf(
  named: NamedRows,
  columns: readonly Column[],
  measure: Column,
  daysBefore: DaysBefore | undefined,
): Node {
  const marks = named.nameCount === 1 ? ownValue(timeMarks, columns[0]?.name.toLowerCase() ?? '') : undefined;
  return marks ? chartOverTime(named, columns, measure, marks, daysBefore) : chartOfRows(named, columns, measure);
}

function chartOverTime(
  { table }: NamedRows,
  columns: readonly Column[],
  measure: Column,
  marks: 'line' | 'columns',
  daysBefore: DaysBefore | undefined,
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
        isAfterGap: daysBetween(points[index - 1]?.time ?? time, time) > 1,
      }),
    ),
    format: measure.format,
    marks,
  });
}

/** The figure of the same day in the period before. */
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
}

interface TimeContent {
  readonly title: string;
  readonly points: readonly TimePoint[];
  readonly format: (value: number) => string;
  /** A line for days; columns for hours and days of the week, which repeat. */
  readonly marks: 'line' | 'columns';
}

const plotHeight = 168;
const [top, bottomMargin, gap] = [8, 24, 8];

/** A line or columns, from left to right. */
function timeChart(content: TimeContent): HTMLElement {
  const hasFormer = content.points.some(({ former }) => former !== undefined);
  const legend = hasFormer ? ([{ mark: 'former', text: 'the period before' }] as const) : [];
  return chartFigure(content.title, legend, (width, measure) => drawTimeChart(content, width, measure));
}

function drawTimeChart({ title, points, format, marks }: TimeContent, width: number, measure: Measure): SVGSVGElement {
  const values = points.flatMap(({ value, former = value }) => [value, former]);
  const bottom = top + plotHeight;
  const scale = scaleOver(Math.min(0, ...values), Math.max(0, ...values), bottom, top, 5);
  const unit = format(1).endsWith('%') ? '%' : '';
  const ticks = scale.ticks.map((tick) => scale.write(tick) + unit);
  const left = Math.ceil(Math.max(...ticks.map(measure))) + gap;
  const slot = (width - left) / points.length;
  const xOf = (index: number) => left + slot * (index + 0.5);
  const svg = graphic('svg', {
    role: 'img',
    'aria-label': `${title}. ${points.map((point) => describePoint(point, format)).join('; ')}`,
    width,
    height: bottom + bottomMargin,
  });
  const axis = graphic('g', { class: 'axis', 'aria-hidden': 'true' });
  scale.ticks.forEach((tick, index) => {
    const y = Math.round(scale.position(tick)) + 0.5;
    axis.append(
      graphic('line', { class: tick === 0 ? 'zero' : undefined, x1: left, x2: width, y1: y, y2: y }),
      graphic('text', { class: 'tick', x: left - gap, y, dy: '0.35em', 'text-anchor': 'end' }, ticks[index] ?? ''),
    );
  });
  // As many names as fit, always including the last.
  const room = Math.max(...points.map(({ label }) => measure(label))) + 2 * gap;
  const every = Math.max(1, Math.ceil(room / slot));
  points.forEach(({ label }, index) => {
    if ((points.length - 1 - index) % every !== 0) return;
    const anchor = index === points.length - 1 && slot < room ? 'end' : 'middle';
    const x = anchor === 'end' ? width : xOf(index);
    if (x - (anchor === 'end' ? room : room / 2) < 0) return;
    axis.append(graphic('text', { class: 'tick', x, y: bottom + 15, 'text-anchor': anchor }, label));
  });
  svg.append(axis);
  const formerSteps = points.flatMap(({ former }, index) => {
    if (former === undefined) return [];
    const step = points[index - 1]?.former === undefined ? 'M' : 'L';
    return [`${step}${xOf(index)},${scale.position(former)}`];
  });
  if (formerSteps.length > 0) svg.append(graphic('path', { class: 'line former', d: formerSteps.join('') }));
  if (marks === 'line') {
    const steps = points.map(({ value, isAfterGap }, index) => {
      const step = index === 0 || isAfterGap ? 'M' : 'L';
      return `${step}${xOf(index)},${scale.position(value)}`;
    });
    svg.append(graphic('path', { class: 'line', d: steps.join('') }));
  }
  points.forEach((point, index) => {
    const { value } = point;
    const [x, y, zero] = [xOf(index), scale.position(value), scale.position(0)];
    const mark =
      marks === 'line'
        ? graphic('circle', { class: 'dot', cx: x, cy: y, r: points.length > 45 ? 1.5 : 3 })
        : graphic('rect', {
            class: value < 0 ? 'bar negative' : 'bar',
            x: x - slot * 0.36,
            y: Math.min(y, zero),
            width: slot * 0.72,
            height: Math.abs(y - zero),
            rx: 2,
          });
    // The whole slot reacts to the pointer: a dot is hard to hit.
    const target = graphic('rect', { class: 'target', x: x - slot / 2, y: top, width: slot, height: plotHeight });
    svg.append(graphic('g', { class: 'row' }, graphic('title', {}, describePoint(point, format)), mark, target));
  });
  return svg;
}

function describePoint({ label, value, former }: TimePoint, format: TimeContent['format']): string {
  return `${label}: ${format(value)}${former === undefined ? '' : ` (before: ${format(former)})`}`;
}
