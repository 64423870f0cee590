import { readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

/** Written by `npm run bench -- traffic --save`, and quoted in the docs. */
export const benchFile = 'docs/bench.json';

/** Three significant digits: the next run differs in them. */
const amount = z
  .number()
  .positive()
  .transform((value) => Number(value.toPrecision(3)));

const benchFigures = z.strictObject({
  node: z.string(),
  cores: amount,
  /** The load average of the minute before: a busy machine measures itself. */
  load: z
    .number()
    .min(0)
    .transform((value) => Number(value.toFixed(1))),
  redirects: z.strictObject({ connections: amount, per_second: amount, p50_ms: amount, cpu_of_bare_framework: amount }),
  reports: z.strictObject({ visits: amount, min_ms: amount, max_ms: amount }),
});

export type BenchFigures = z.input<typeof benchFigures>;

export function writeBench(figures: BenchFigures): void {
  writeFileSync(benchFile, `${JSON.stringify(benchFigures.parse(figures), null, 2)}\n`);
}

/** The paragraph about the bench in the docs. */
export function benchInWords(): string {
  const { node, cores, load, redirects, reports } = benchFigures.parse(JSON.parse(readFileSync(benchFile, 'utf8')));
  const { connections, per_second, p50_ms, cpu_of_bare_framework } = redirects;
  const [rate, visits] = [per_second, reports.visits].map((value) => value.toLocaleString('en-US'));
  const [min, max] = [reports.min_ms, reports.max_ms].map(Math.round);
  return [
    `On ${cores} cores under Node ${node}, with a load of ${load} before it began, \`npm run bench\` measured ${rate} redirects a second`,
    `over ${connections} connections, p50 ${p50_ms} ms, each for ${cpu_of_bare_framework} times the CPU of a bare 302 of the web framework.`,
    `Reports over ${visits} visits took ${min} to ${max} ms each.`,
  ].join('\n');
}
