import { chartFigure, cutLabels, type LegendEntry, type Measure, type Scale, scaleOver } from './canvas.ts';
import { graphic } from './parts.ts';

export interface ChartRow {
  readonly label: string;
  readonly value: number;
  /** Where the bar of a step starts; other bars start at zero. */
  readonly from?: number;
  readonly interval?: readonly [low: number, high: number] | undefined;
  /** The value before, or the present one if `value` is a proposal. */
  readonly former?: number | undefined;
  readonly change?: { readonly text: string; readonly isGain: boolean | undefined } | undefined;
}

export interface ChartContent {
  readonly title: string;
  readonly legend?: readonly LegendEntry[];
  readonly rows: readonly ChartRow[];
  readonly format: (value: number) => string;
  /** Bars with a tick at the former value; two bars, the former first; or a dot in its interval. */
  readonly marks: 'bars' | 'pairs' | 'intervals';
  readonly formerName?: string;
  /** `hidden` rows are left out after the first `ahead`. */
  readonly gap?: { readonly ahead: number; readonly hidden: number };
}

/** In a narrower chart, or with less room for the bars, names go above their bars. */
const narrow = 520;
const minBars = 160;
/** With less room next to the figures, names get a line of their own. */
const minName = 140;
const lineHeight = 18;
const axisHeight = 22;
const topMargin = 4;
const space = 12;

interface Layout {
  readonly isNarrow: boolean;
  readonly rowHeight: number;
  /** Distances from the top of a row. */
  readonly nameMiddle: number;
  readonly figureMiddle: number;
  readonly markTop: number;
  readonly markHeight: number;
}

/** @param figures the width of the figures on the right */
function layoutOf(width: number, figures: number, marks: ChartContent['marks']): Layout {
  const isNarrow = width < narrow || width - figures - maxNameWidth(width) - 2 * space < minBars;
  const markHeight = { intervals: 18, pairs: 19, bars: isNarrow ? 12 : 17 }[marks];
  const middle = markHeight / 2 + 5;
  if (!isNarrow) {
    return { isNarrow, rowHeight: markHeight + 10, nameMiddle: middle, figureMiddle: middle, markTop: 5, markHeight };
  }
  const figureMiddle = width - figures - space < minName ? 9 + lineHeight : 9;
  const markTop = figureMiddle + 11;
  return { isNarrow, rowHeight: markTop + markHeight + 10, nameMiddle: 9, figureMiddle, markTop, markHeight };
}

function maxNameWidth(width: number): number {
  return Math.min(260, width * 0.32);
}

/** A chart with a line per row: its name, its mark over a common axis, its value and the change. */
export function rowChart(content: ChartContent): HTMLElement {
  return chartFigure(content.title, content.legend ?? [], (width, measure) => draw(content, width, measure));
}

function draw(content: ChartContent, width: number, measure: Measure): SVGSVGElement {
  const { title, rows, format, marks, gap } = content;
  const texts = rows.map((row) => valueText(row, content));
  const widest = (all: readonly string[]) => Math.ceil(Math.max(0, ...all.map(measure)));
  const changes = rows.map(({ change }) => change?.text ?? '');
  const changeWidth = widest(changes) === 0 ? 0 : widest(changes) + space;
  const valueWidth = widest(texts);
  const figuresWidth = valueWidth + changeWidth;
  const layout = layoutOf(width, figuresWidth, marks);
  const isApart = layout.nameMiddle !== layout.figureMiddle;
  const maxLabel = !layout.isNarrow ? maxNameWidth(width) : isApart ? width : width - figuresWidth - space;
  const labels = cutLabels(
    rows.map(({ label }) => label),
    (text) => measure(text) <= maxLabel,
  );
  const [start, end] = layout.isNarrow
    ? [1, width - 12]
    : [Math.min(maxLabel, widest(labels)) + space, width - figuresWidth - space - 6];
  const scale = scaleOver(...rangeOf(content), start, end, width < narrow ? 3 : 5);
  const topOf = (index: number) =>
    topMargin + (index + (gap && gap.hidden > 0 && index >= gap.ahead ? 0.8 : 0)) * layout.rowHeight;
  const bottom = topOf(rows.length);
  const svg = graphic('svg', {
    role: 'img',
    'aria-label': `${title}. ${rows.map((row) => describe(row, content)).join('; ')}`,
    width,
    height: bottom + axisHeight,
  });
  // Axis lines through names above their bars would strike them out.
  const spans = layout.isNarrow
    ? rows
        .map((_, index) => topOf(index) + layout.markTop)
        .map((top) => [top - 3, top + layout.markHeight + 3] as const)
    : [[0, bottom] as const];
  const writeTick = (tick: number) => scale.write(tick) + (format(1).endsWith('%') ? '%' : '');
  svg.append(axisOf(scale, spans, tickNames(scale, width, bottom, writeTick, measure)));
  rows.forEach((row, index) => {
    const group = graphic(
      'g',
      { class: 'row', transform: `translate(0,${topOf(index)})` },
      graphic('title', {}, describe(row, content)),
      text('label', 0, layout.nameMiddle, labels[index] ?? ''),
      text('value', width - changeWidth, layout.figureMiddle, texts[index] ?? '', 'end'),
      ...(row.change
        ? [text(`change${classOf(row.change.isGain)}`, width, layout.figureMiddle, row.change.text, 'end')]
        : []),
      ...marksOf(row, content, scale, layout),
    );
    svg.append(group);
  });
  if (gap && gap.hidden > 0 && gap.ahead < rows.length) {
    const middle = topOf(gap.ahead) - layout.rowHeight * 0.4;
    svg.append(text('between', 0, middle, `… ${gap.hidden} more between`));
  }
  return svg;
}

/** The range of the axis. It includes zero for bars. */
function rangeOf({ rows, marks }: ChartContent): [from: number, to: number] {
  const ends = rows.flatMap(({ value, from, interval = [], former = [] }) =>
    (from === undefined ? [value, ...interval] : [from, from + value]).concat(former),
  );
  const [min, max] = [Math.min(...ends), Math.max(...ends)];
  const margin = (max - min || Math.abs(max) || 1) / 20;
  return marks === 'intervals' ? [min - margin, max + margin] : [Math.min(0, min), Math.max(0, max)];
}

/** @param spans where its lines are drawn */
function axisOf(
  { position, ticks }: Scale,
  spans: readonly (readonly [top: number, bottom: number])[],
  names: readonly SVGElement[],
): SVGGElement {
  const lines = ticks.map((tick) => {
    const x = Math.round(position(tick)) + 0.5;
    const d = spans.map(([top, end]) => `M${x},${top}V${end}`).join('');
    return graphic('path', { class: tick === 0 ? 'zero' : undefined, d });
  });
  return graphic('g', { class: 'axis', 'aria-hidden': 'true' }, ...lines, ...names);
}

/** Names of ticks, without those that would overlap the one before. */
function tickNames(
  { position, ticks }: Scale,
  width: number,
  bottom: number,
  write: (tick: number) => string,
  measure: Measure,
): SVGElement[] {
  let lastEnd = Number.NEGATIVE_INFINITY;
  return ticks.flatMap((tick) => {
    const half = measure(write(tick)) / 2;
    const x = Math.min(Math.max(position(tick), half), width - half);
    if (x - half < lastEnd) return [];
    lastEnd = x + half + 4;
    return [text('tick', x, bottom + 13, write(tick), 'middle')];
  });
}

function marksOf(
  { value, from, interval, former }: ChartRow,
  { marks }: ChartContent,
  { position }: Scale,
  { isNarrow, markTop: top, markHeight: height }: Layout,
): SVGElement[] {
  const bar = (size: number, name: string, y: number, thickness: number, start = 0) =>
    graphic('rect', {
      class: name,
      x: Math.min(position(start), position(start + size)),
      y,
      width: Math.abs(position(start + size) - position(start)),
      height: thickness,
      rx: 2,
    });
  if (marks === 'intervals') {
    const [low, high] = interval ?? [value, value];
    const [y, cap] = [top + height / 2, 4];
    const ends = [low, high].map((end) => `M${position(end)},${y - cap}v${2 * cap}`).join('');
    return [
      graphic('path', { class: 'interval', d: `M${position(low)},${y}H${position(high)}${ends}` }),
      graphic('circle', { class: 'dot', cx: position(value), cy: y, r: 4.5 }),
    ];
  }
  const sign = value < 0 ? 'bar negative' : 'bar';
  if (marks === 'pairs') {
    const each = (height - 1) / 2;
    return [
      ...(former === undefined ? [] : [bar(former, 'former', top, each)]),
      bar(value, sign, former === undefined ? top : top + each + 1, former === undefined ? height : each),
    ];
  }
  if (from !== undefined) {
    // If names are above their bars, there is no room for a line.
    const line = graphic('path', { class: 'step', d: `M${position(from)},${-top}V${top}` });
    return [bar(value, value < 0 ? sign : 'bar gain', top, height, from), ...(isNarrow ? [] : [line])];
  }
  const tick = (at: number) =>
    graphic('line', { class: 'reference', x1: position(at), x2: position(at), y1: top - 2, y2: top + height + 2 });
  return [bar(value, sign, top, height), ...(former === undefined ? [] : [tick(former)])];
}

function text(
  name: string,
  x: number,
  y: number,
  content: string,
  anchor?: 'start' | 'middle' | 'end',
): SVGTextElement {
  return graphic('text', { class: name, x, y, dy: '0.35em', 'text-anchor': anchor }, content);
}

function classOf(isGain: boolean | undefined): string {
  return isGain === undefined ? '' : isGain ? ' gain' : ' loss';
}

function signed(value: number, format: ChartContent['format']): string {
  return (value > 0 ? '+' : '') + format(value);
}

/** A pair of bars has both values. */
function valueText({ value, from, former }: ChartRow, { marks, format }: ChartContent): string {
  if (from !== undefined) return signed(value, format);
  return marks === 'pairs' && former !== undefined ? `${format(former)} → ${format(value)}` : format(value);
}

function describe(
  { label, value, from, interval, former, change }: ChartRow,
  { format, formerName }: ChartContent,
): string {
  const range = interval ? ` (${format(interval[0])} to ${format(interval[1])})` : '';
  const before = former === undefined ? '' : `, ${formerName ?? 'before'} ${format(former)}`;
  return `${label}: ${from === undefined ? format(value) : signed(value, format)}${range}${before}${change ? `, ${change.text}` : ''}`;
}

/** A page with its share of the traffic in percent; `now` is undefined if it is unknown. */
export interface SharedPage {
  readonly label: string;
  readonly now: number | undefined;
  readonly next: number;
}

/** The old and the new share of each page, side by side. */
export function shareChart(title: string, nextName: string, pages: readonly SharedPage[], nowName = 'now'): Node {
  const hasNow = pages.some(({ now }) => now !== undefined);
  return rowChart({
    title,
    legend: hasNow
      ? [
          { mark: 'former', text: nowName },
          { mark: 'now', text: nextName },
        ]
      : [],
    rows: pages.map(({ label, now, next }) => ({ label, value: next, former: now })),
    format: (value) => `${Number(value.toFixed(1))}%`,
    marks: 'pairs',
    formerName: nowName,
  });
}
