import { element } from './parts.ts';

/** What a mark of a chart means; `mark` is the class of its swatch. */
export interface LegendEntry {
  readonly mark: 'now' | 'former' | 'dot' | 'interval' | 'tick';
  readonly text: string;
}

/** The width of a text in the chart's font, in pixels. */
export type Measure = (text: string) => number;

/** A figure whose drawing is redrawn when its width changes. */
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
  /** A tick in few letters. */
  readonly write: (tick: number) => string;
}

/**
 * Maps values to positions, with round numbers as ticks.
 *
 * @param start the position of the smallest value; `end` may be smaller
 * @param count the approximate number of ticks
 */
export function scaleOver(from: number, to: number, start: number, end: number, count: number): Scale {
  const max = to > from ? to : from + 1;
  const step = roundStep((max - from) / count);
  const [first, last] = [Math.ceil(from / step), Math.floor(max / step)];
  const text = new Intl.NumberFormat('en-US', { notation: step >= 1000 ? 'compact' : 'standard' });
  return {
    position: (value) => start + ((value - from) / (max - from)) * (end - start),
    // Removes floating-point noise.
    ticks: Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12))),
    write: (tick) => text.format(tick).replace('-', '−'),
  };
}

/** 1, 2 or 5 times a power of ten, close to the wanted step. */
function roundStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted));
  const factor = [1, 2, 5, 10].find((candidate) => wanted / power <= candidate * 1.001) ?? 10;
  return factor * power;
}

/** The parts of the kept letters that go before the cut, in the order tried: names often differ at their ends. */
const headParts = [0.6, 0.35, 0.85, 0.1, 1];

const segmenter = new Intl.Segmenter();

/**
 * Shortens texts that do not fit, in the middle, so that all look different.
 */
export function cutLabels(texts: readonly string[], fits: (text: string) => boolean): string[] {
  const fitting = new Set(texts.filter(fits));
  const labels = new Set<string>();
  return texts.map((text) => {
    const label = fits(text) && !labels.has(text) ? text : cutUniquely(text, fits, new Set([...fitting, ...labels]));
    labels.add(label);
    return label;
  });
}

function cutUniquely(text: string, fits: (text: string) => boolean, taken: ReadonlySet<string>): string {
  for (const headPart of headParts) {
    const cut = cutInMiddle(text, fits, headPart);
    if (!taken.has(cut)) return cut;
  }
  for (let number = 2; ; number += 1) {
    const mark = ` (${number})`;
    const cut = cutInMiddle(text, (part) => fits(part + mark), 0.6) + mark;
    if (!taken.has(cut)) return cut;
  }
}

/** Keeps as much of both ends of a text as fits, and never half of a character. */
export function cutInMiddle(text: string, fits: (text: string) => boolean, headPart = 0.6): string {
  if (fits(text)) return text;
  const characters = [...segmenter.segment(text)].map(({ segment }) => segment);
  const keep = (count: number) => {
    const head = Math.ceil(count * headPart);
    const tail = characters.slice(characters.length - (count - head)).join('');
    return `${characters.slice(0, head).join('').trimEnd()}…${tail.trimStart()}`;
  };
  let [min, max] = [1, characters.length - 1];
  while (min < max) {
    const count = Math.ceil((min + max) / 2);
    if (fits(keep(count))) min = count;
    else max = count - 1;
  }
  return keep(min);
}
