import { axisBottom } from 'd3-axis';
import { scaleBand, scaleLinear } from 'd3-scale';
import { type Selection, select } from 'd3-selection';
import { element } from './element.ts';

/** One line of a chart: a name, and what is measured of it. */
export interface ChartRow {
  readonly label: string;
  readonly value: number;
  /** The ends of the interval that the value lies in. */
  readonly interval?: readonly [low: number, high: number] | undefined;
  /** A second value to compare with. */
  readonly reference?: number | undefined;
}

export interface ChartContent {
  readonly title: string;
  /** What the marks mean, where the title does not say. */
  readonly legend?: string;
  readonly rows: readonly ChartRow[];
  readonly format: (value: number) => string;
  /** Bars from zero, or a dot in its interval. */
  readonly marks: 'bars' | 'intervals';
}

const rowHeight = 26;
const axisHeight = 22;
const topMargin = 4;
const valueGap = 12;

/** A chart with a line for each row: its name, its mark over a common axis, its value. It is drawn anew as its width changes. */
export function rowChart(content: ChartContent): HTMLElement {
  const canvas = element('div', { class: 'canvas' });
  const caption = element('figcaption', {}, element('strong', {}, content.title));
  if (content.legend) caption.append(element('span', {}, content.legend));
  let drawnAt = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0);
    if (width === drawnAt || width === 0) return;
    drawnAt = width;
    draw(canvas, content, width);
  }).observe(canvas);
  return element('figure', {}, caption, canvas);
}

function draw(canvas: HTMLElement, { title, rows, format, marks }: ChartContent, width: number): void {
  const plotHeight = rows.length * rowHeight;
  canvas.replaceChildren();
  const svg = select(canvas)
    .append('svg')
    .attr('role', 'img')
    .attr('aria-label', `${title}. ${rows.map((row) => `${row.label}: ${describe(row, format)}`).join('; ')}`)
    .attr('width', width)
    .attr('height', topMargin + plotHeight + axisHeight);
  const line = scaleBand<number>(
    rows.map((_, index) => index),
    [topMargin, topMargin + plotHeight],
  ).padding(0.28);
  const values = svg
    .selectAll<SVGTextElement, ChartRow>('text.value')
    .data(rows)
    .join('text')
    .attr('class', 'value')
    .attr('x', width)
    .attr('y', (_, index) => middle(line, index))
    .attr('dy', '0.35em')
    .attr('text-anchor', 'end')
    .text((row) => format(row.value));
  const valueWidth = Math.max(0, ...values.nodes().map((node) => node.getComputedTextLength()));
  const labels = svg
    .selectAll<SVGTextElement, ChartRow>('text.label')
    .data(rows)
    .join('text')
    .attr('class', 'label')
    .attr('y', (_, index) => middle(line, index))
    .attr('dy', '0.35em');
  const maxLabel = Math.min(220, width * 0.36);
  labels.each(function (row) {
    shorten(this, row.label, maxLabel);
  });
  const labelWidth = Math.max(0, ...labels.nodes().map((node) => node.getComputedTextLength()));

  const ends = rows.flatMap((row) => [row.value, ...(row.interval ?? []), row.reference ?? 0]);
  // Bars start at zero; of intervals, only where they lie counts.
  const from = marks === 'bars' ? Math.min(0, ...ends) : Math.min(...rows.flatMap((row) => row.interval ?? row.value));
  const to = Math.max(marks === 'bars' ? 0 : from, ...ends);
  const axis = scaleLinear([from, to > from ? to : from + 1], [labelWidth + valueGap, width - valueWidth - valueGap]);
  const ticks = width < 480 ? 3 : 5;
  axis.nice(ticks);
  svg
    .insert('g', ':first-child')
    .attr('class', 'axis')
    .attr('transform', `translate(0,${topMargin + plotHeight})`)
    .call(axisBottom(axis).ticks(ticks).tickSizeInner(-plotHeight).tickSizeOuter(0).tickPadding(6));

  const lines = svg
    .selectAll<SVGGElement, ChartRow>('g.row')
    .data(rows)
    .join('g')
    .attr('class', 'row')
    .attr('transform', (_, index) => `translate(0,${line(index) ?? 0})`);
  lines.append('title').text((row) => `${row.label}: ${describe(row, format)}`);
  if (marks === 'bars') drawBars(lines, axis, line.bandwidth());
  else drawIntervals(lines, axis, line.bandwidth());
}

type Rows = Selection<SVGGElement, ChartRow, SVGSVGElement, unknown>;
type Axis = (value: number) => number;

function drawBars(lines: Rows, axis: Axis, height: number): void {
  lines
    .append('rect')
    .attr('class', (row) => (row.value < 0 ? 'bar negative' : 'bar'))
    .attr('x', (row) => Math.min(axis(0), axis(row.value)))
    .attr('width', (row) => Math.abs(axis(row.value) - axis(0)))
    .attr('height', height)
    .attr('rx', 2);
  lines
    .filter((row) => row.reference !== undefined)
    .append('line')
    .attr('class', 'reference')
    .attr('x1', (row) => axis(row.reference ?? 0))
    .attr('x2', (row) => axis(row.reference ?? 0))
    .attr('y1', -2)
    .attr('y2', height + 2);
}

function drawIntervals(lines: Rows, axis: Axis, height: number): void {
  const center = height / 2;
  lines
    .filter((row) => row.interval !== undefined)
    .append('path')
    .attr('class', 'interval')
    .attr('d', ({ interval: [low, high] = [0, 0] }) => {
      const cap = `m0,${-height / 4}v${height / 2}`;
      return `M${axis(low)},${center}H${axis(high)}M${axis(low)},${center}${cap}M${axis(high)},${center}${cap}`;
    });
  lines
    .append('circle')
    .attr('class', 'dot')
    .attr('cx', (row) => axis(row.value))
    .attr('cy', center)
    .attr('r', 4.5);
}

function middle(line: ReturnType<typeof scaleBand<number>>, index: number): number {
  return (line(index) ?? 0) + line.bandwidth() / 2;
}

function describe({ value, interval, reference }: ChartRow, format: (value: number) => string): string {
  const range = interval ? ` (${format(interval[0])} to ${format(interval[1])})` : '';
  const beside = reference === undefined ? '' : `, now ${format(reference)}`;
  return `${format(value)}${range}${beside}`;
}

/** Sets a text, cut at a whole character where it is wider than there is room. */
function shorten(node: SVGTextElement, text: string, maxWidth: number): void {
  node.textContent = text;
  const characters = [...text];
  while (characters.length > 1 && node.getComputedTextLength() > maxWidth) {
    // Long texts shrink in steps of their excess: each step lays the text out anew.
    const excess = Math.ceil(characters.length * (1 - maxWidth / node.getComputedTextLength()));
    characters.splice(-Math.max(1, Math.min(excess, characters.length - 1)));
    node.textContent = `${characters.join('').trimEnd()}…`;
  }
}
