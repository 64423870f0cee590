import { chartFigure, type Measure, scaleOver } from './canvas.ts';
import { graphic } from './parts.ts';

export interface TimePoint {
  readonly label: string;
  readonly value: number;
  /** What it was in the period before. */
  readonly former?: number | undefined;
  /** Whether something is missing ahead of it, so that no line leads to it. */
  readonly isAfterGap?: boolean;
}

/** A measure over time. */
export interface TimeContent {
  readonly title: string;
  readonly points: readonly TimePoint[];
  readonly format: (value: number) => string;
  /** Days follow each other in a line; hours and days of the week, which come again, are columns. */
  readonly marks: 'line' | 'columns';
}

const plotHeight = 168;
const [top, bottomMargin, gap] = [8, 24, 8];

/** A line or columns over time, from left to right. */
export function timeChart(content: TimeContent): HTMLElement {
  const hasFormer = content.points.some(({ former }) => former !== undefined);
  const legend = hasFormer ? ([{ mark: 'former', text: 'the period before' }] as const) : [];
  return chartFigure(content.title, legend, (width, measure) => draw(content, width, measure));
}

function draw({ title, points, format, marks }: TimeContent, width: number, measure: Measure): SVGSVGElement {
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
    'aria-label': `${title}. ${points.map((point) => say(point, format)).join('; ')}`,
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
  // As many names as do not run into each other, the last one always.
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
    // The whole slot answers to the pointer: a dot is hard to hit.
    const target = graphic('rect', { class: 'target', x: x - slot / 2, y: top, width: slot, height: plotHeight });
    svg.append(graphic('g', { class: 'row' }, graphic('title', {}, say(point, format)), mark, target));
  });
  return svg;
}

function say({ label, value, former }: TimePoint, format: TimeContent['format']): string {
  return `${label}: ${format(value)}${former === undefined ? '' : ` (before: ${format(former)})`}`;
}
