import { element } from './parts.ts';

/** What a mark of a chart means; `mark` is the class of the swatch that shows it. */
export interface LegendEntry {
  readonly mark: 'now' | 'former' | 'dot' | 'interval' | 'tick';
  readonly text: string;
}

/** The width of a text as the chart writes it, in pixels. */
export type Measure = (text: string) => number;

/** A figure whose drawing is made anew as its width changes. */
export function chartFigure(
  title: string,
  legend: readonly LegendEntry[],
  draw: (width: number, measure: Measure) => SVGSVGElement,
): HTMLElement {
  const canvas = element('div', { class: 'canvas' });
  const caption = element('figcaption', {}, element('strong', {}, title));
  for (const { mark, text } of legend) {
    caption.append(element('span', { class: 'legend' }, element('i', { class: mark, 'aria-hidden': 'true' }), text));
  }
  let drawnAt = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.floor(entry?.contentRect.width ?? 0);
    if (width === drawnAt || width === 0) return;
    drawnAt = width;
    canvas.replaceChildren(draw(width, measureIn(canvas)));
  }).observe(canvas);
  return element('figure', {}, caption, canvas);
}

function measureIn(node: Element): Measure {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) throw new TypeError('a browser without a canvas');
  const { fontSize, fontFamily } = getComputedStyle(node);
  context.font = `${fontSize} ${fontFamily}`;
  return (text) => context.measureText(text).width;
}

/** An axis with round numbers on it. */
export interface Scale {
  readonly position: (value: number) => number;
  readonly ticks: readonly number[];
  /** A tick in as few letters as it takes. */
  readonly write: (tick: number) => string;
}

/**
 * The scale over a range of values; its ticks are the round numbers within.
 *
 * @param start where its smallest value is drawn; its end may be on either side
 * @param count how many ticks there are, about
 */
export function scaleOver(from: number, to: number, start: number, end: number, count: number): Scale {
  const max = to > from ? to : from + 1;
  const step = roundStep((max - from) / count);
  const [first, last] = [Math.ceil(from / step), Math.floor(max / step)];
  const text = new Intl.NumberFormat('en-US', { notation: step >= 1000 ? 'compact' : 'standard' });
  return {
    position: (value) => start + ((value - from) / (max - from)) * (end - start),
    // The product of a step and a number carries digits that neither has.
    ticks: Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12))),
    write: (tick) => text.format(tick).replace('-', '−'),
  };
}

/** 1, 2 or 5 times a power of ten, near to what is wanted. */
function roundStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted));
  const factor = [1, 2, 5, 10].find((candidate) => wanted / power <= candidate * 1.001) ?? 10;
  return factor * power;
}
