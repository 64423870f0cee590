import { element } from '../parts/element.ts';

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
