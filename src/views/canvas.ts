import { element } from './parts.ts';

/** What a mark of a chart means; `mark` is the class of its swatch. */
export interface LegendEntry {
  readonly mark: 'now' | 'gain' | 'negative' | 'former' | 'dot' | 'hollow' | 'interval' | 'tick';
  readonly text: string;
}

export function figure(title: string, legend: readonly LegendEntry[], drawing: HTMLElement): HTMLElement {
  const caption = element('figcaption', {}, element('strong', {}, title));
  for (const { mark, text } of legend) {
    caption.append(element('span', { class: 'legend' }, element('i', { class: mark, 'aria-hidden': 'true' }), text));
  }
  return element('figure', {}, caption, drawing);
}

/** An axis with round numbers on it. */
export interface Scale {
  readonly position: (value: number) => number;
  readonly ticks: readonly number[];
}

/**
 * Maps values to positions, with round numbers as ticks. Zero is always on it.
 *
 * @param start the position of the smallest value; `end` may be smaller
 * @param count the approximate number of ticks
 */
export function scaleOver(values: readonly number[], start: number, end: number, count: number): Scale {
  const from = Math.min(0, ...values);
  const max = Math.max(0, ...values);
  // Only zeros have no other tick.
  const length = max - from || 1;
  const step = roundStep(length / count);
  const [first, last] = [Math.ceil(from / step), Math.floor(max / step)];
  return {
    position: (value) => start + ((value - from) / length) * (end - start),
    // Removes floating-point noise.
    ticks: Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12))),
  };
}

/** 1, 2 or 5 times a power of ten, close to the wanted step. */
function roundStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted));
  const factor = [1, 2, 5, 10].find((candidate) => wanted / power <= candidate * 1.001) ?? 10;
  return factor * power;
}
