import { figure, type LegendEntry, type Scale, scaleOver } from './canvas.ts';
import type { Column } from './columns.ts';
import { element, graphic } from './parts.ts';

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

export interface ChartContent extends Pick<Column, 'axis'> {
  readonly format: (value: number) => string;
  readonly title: string;
  readonly legend?: readonly LegendEntry[];
  readonly rows: readonly ChartRow[];
  /** Bars with a tick at the former value; steps between two sums; or a dot in its interval. */
  readonly marks: 'bars' | 'steps' | 'intervals';
  /** The name of the former value, which is then shown before the value. */
  readonly formerName?: string;
  /** `hidden` rows are left out after the first `ahead`. */
  /** The end of the axis, if no value is larger. */
  readonly until?: number;
  readonly gap?: { readonly ahead: number; readonly hidden: number };
}

/** A chart with a line per row: its name, its mark over a common axis, its value and the change. Names wrap. */
export function rowChart(content: ChartContent): HTMLElement {
  const { title, rows, axis, gap, until = 0, legend = [] } = content;
  const ends = rows.flatMap(({ value, from = 0, interval = [], former = 0 }) => [
    from,
    from + value,
    former,
    ...interval,
  ]);
  const scale = scaleOver([...ends, until], 0, 100, 4);
  const lines = rows.map((row) => line(row, content, scale));
  if (gap && gap.hidden > 0 && gap.ahead < rows.length) {
    lines.splice(gap.ahead, 0, element('div', { class: 'between' }, `… ${gap.hidden} more between`));
  }
  const ticks = scale.ticks.map((tick) => {
    const at = scale.position(tick);
    // The first and the last name stay inside.
    const shift = at < 5 ? 0 : at > 92 ? 100 : 50;
    return element('span', { style: `left:${at}%;transform:translateX(-${shift}%)` }, axis(tick));
  });
  return figure(
    title,
    legend,
    element(
      'div',
      {
        class: 'rows',
        role: 'img',
        'aria-label': `${title}. ${rows.map((row) => describe(row, content)).join('; ')}`,
      },
      ...lines,
      element('div', { class: 'ticks' }, element('div', { class: 'plot' }, ...ticks)),
    ),
  );
}

function line(row: ChartRow, content: ChartContent, scale: Scale): HTMLElement {
  const { label, change } = row;
  const grid = scale.ticks.map((tick) => upright(tick === 0 ? 'grid zero' : 'grid', scale.position(tick), '0', '100%'));
  return element(
    'div',
    { class: 'row', title: describe(row, content) },
    element('bdi', { class: 'label' }, label),
    element(
      'div',
      { class: 'plot' },
      graphic('svg', {}, ...grid, ...stepsOf(row, content, scale), ...marksOf(row, content, scale)),
    ),
    element('span', { class: 'value' }, valueText(row, content)),
    ...(change ? [element('span', { class: `change${classOf(change.isGain)}` }, change.text)] : []),
  );
}

/** A line from the top downwards; positions are percentages of the plot. */
function upright(name: string, at: number, top: string, bottom: string): SVGElement {
  return graphic('line', { class: name, x1: `${at}%`, x2: `${at}%`, y1: top, y2: bottom });
}

const [barHeight, tickHeight, capHeight] = [15, 21, 9];

/** A rectangle on the middle of the row. */
function block(name: string, x: string, width: string, height: number, shift = 0): SVGElement {
  const transform = `translate(${shift},${-height / 2})`;
  return graphic('rect', { class: name, x, y: '50%', width, height, transform, rx: shift === 0 ? 2 : 0 });
}

/** A tick across the bar or at the end of an interval. */
function post(name: string, at: number, height: number): SVGElement {
  return block(name, `${at}%`, '2', height, -1);
}

function marksOf({ value, from, interval = [value, value], former }: ChartRow, content: ChartContent, scale: Scale) {
  const { position } = scale;
  const [start, end] = [position(from ?? 0), position((from ?? 0) + value)];
  if (content.marks === 'intervals') {
    const [low, high] = [position(interval[0]), position(interval[1])];
    return [
      graphic('line', { class: 'interval', x1: `${low}%`, x2: `${high}%`, y1: '50%', y2: '50%' }),
      post('cap', low, capHeight),
      post('cap', high, capHeight),
      graphic('circle', { class: 'dot', cx: `${end}%`, cy: '50%', r: 4.5 }),
    ];
  }
  const kind =
    content.marks === 'steps' && from === undefined ? '' : value < 0 ? ' negative' : from === undefined ? '' : ' gain';
  const bar = block(`bar${kind}`, `${Math.min(start, end)}%`, `${Math.abs(end - start)}%`, barHeight);
  return [bar, ...(former === undefined ? [] : [post('reference', position(former), tickHeight)])];
}

/** Lines that lead from each bar of a waterfall to the next one. */
function stepsOf(row: ChartRow, { rows, marks }: ChartContent, { position }: Scale): SVGElement[] {
  if (marks !== 'steps') return [];
  const { from = row.value, value } = row;
  const end = row.from === undefined ? value : from + value;
  return [
    ...(row === rows[0] ? [] : [upright('step', position(from), '0', '50%')]),
    ...(row === rows.at(-1) ? [] : [upright('step', position(end), '50%', '100%')]),
  ];
}

function classOf(isGain: boolean | undefined): string {
  return isGain === undefined ? '' : isGain ? ' gain' : ' loss';
}

function signed({ value, from }: ChartRow, format: ChartContent['format']): string {
  return (from !== undefined && value > 0 ? '+' : '') + format(value);
}

function valueText(row: ChartRow, { format, formerName }: ChartContent): string {
  const { former } = row;
  return formerName === undefined || former === undefined
    ? signed(row, format)
    : `${format(former)} → ${format(row.value)}`;
}

function describe(row: ChartRow, { format, formerName = 'before' }: ChartContent): string {
  const { label, interval, former, change } = row;
  const range = interval ? ` (${format(interval[0])} to ${format(interval[1])})` : '';
  const before = former === undefined ? '' : `, ${formerName} ${format(former)}`;
  return `${label}: ${signed(row, format)}${range}${before}${change ? `, ${change.text}` : ''}`;
}

/** A page with its share of the traffic in percent; `now` is undefined if it is unknown. */
export interface SharedPage {
  readonly label: string;
  readonly now: number | undefined;
  readonly next: number;
}

/** A share of the traffic; one under 1% is not 0. */
export function sharePercent(value: number): string {
  return value > 0 && value < 1 ? '<1%' : `${Number(value.toFixed(1))}%`;
}

/** The new share of each page, with a tick at the old one. */
export function shareChart(title: string, nextName: string, pages: readonly SharedPage[], nowName = 'now'): Node {
  const hasNow = pages.some(({ now }) => now !== undefined);
  return rowChart({
    title,
    legend: hasNow
      ? [
          { mark: 'tick', text: nowName },
          { mark: 'now', text: nextName },
        ]
      : [],
    rows: pages.map(({ label, now, next }) => ({ label, value: next, former: now })),
    format: sharePercent,
    axis: sharePercent,
    marks: 'bars',
    until: 100,
    formerName: nowName,
  });
}
