import { rowChart } from './charts/row-chart.ts';

/** A page with its part of the traffic in percent; `now` is undefined where it is not known. */
export interface SharedPage {
  readonly label: string;
  readonly now: number | undefined;
  readonly next: number;
}

/** The old part of the traffic and the new one of each page, side by side. */
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
