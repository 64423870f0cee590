import widthOf from 'fast-string-width';
import type * as z from 'zod';
import { type ColumnFormat, writeNumber } from '../../analysis/columns/formats.ts';
import type { diagnosisOutput } from '../../tools/diagnose-subid.ts';
import { coarseChance } from '../../tools/present/comparison/certainty.ts';
import type { comparisonOutput } from '../../tools/present/comparison/comparison-output.ts';
import { currencyOf } from '../../tools/present/currency.ts';
import type { PresentedLookup } from '../../tools/present/outputs.ts';
import { breakableJson, type Look, paint, wrap } from './look.ts';
import { renderTable, type TableCell } from './render-table.ts';

/** The results that are no tables, as short blocks. What they have to say beside it follows in their notices. */

type Comparison = z.infer<typeof comparisonOutput>;
type ComparedPage = Comparison['pages'][number];

const whole: ColumnFormat = { digits: 0, isAmount: true };
const percentage: ColumnFormat = { digits: 2, isPercentage: true };
const each: ColumnFormat = { digits: 4, isAmount: true };

interface ComparisonColumn {
  readonly name: string;
  readonly cell: (page: ComparedPage) => TableCell;
  readonly format?: ColumnFormat;
}

const comparisonColumns: readonly ComparisonColumn[] = [
  { name: 'PageID', cell: ({ page_id }) => page_id },
  { name: 'Name', cell: ({ name }) => name },
  { name: 'Views', cell: ({ views }) => views },
  { name: 'Conversions', cell: ({ conversions }) => conversions },
  { name: 'Revenue', cell: ({ revenue }) => revenue },
  { name: 'CR per view', cell: ({ rate }) => rate, format: percentage },
  { name: 'CR, 95% interval', cell: ({ rate_low, rate_high }) => interval(rate_low, rate_high, percentage) },
  { name: 'EPV', cell: ({ epv }) => epv },
  { name: 'EPV, 95% interval', cell: ({ epv_low, epv_high }) => interval(epv_low, epv_high, each) },
  { name: 'Best', cell: ({ probability_best }) => coarseChance(probability_best).words },
  { name: 'Share', cell: ({ share }) => share, format: whole },
  { name: 'Recommended', cell: ({ recommended_share }) => recommended_share, format: whole },
];

function interval(low: number, high: number, format: ColumnFormat): string {
  return `${writeNumber(low, format)} to ${writeNumber(high, format)}`;
}

/** compare_pages: the decision, the pages, and the calls that would carry it out. */
export function renderComparison({ query, decision, pages, calls }: Comparison, look: Look): string[] {
  const names = comparisonColumns.map(({ name }) => name);
  const formats = Object.fromEntries(comparisonColumns.flatMap(({ name, format }) => (format ? [[name, format]] : [])));
  const currency = currencyOf(query);
  const units = currency === undefined ? {} : { Revenue: currency, EPV: currency, 'EPV, 95% interval': currency };
  const rows = pages.map((page) => comparisonColumns.map(({ cell }) => cell(page)));
  const steps = calls.map(({ tool, arguments: given }) => `  ${tool}${flags(given)}`);
  return [
    ...days(query),
    paint(wrap(decision.text, look.width), 'heading', look),
    renderTable(names, rows, look, { formats, units }),
    ...(steps.length === 0 ? [] : [['To set the recommended shares:', ...steps].join('\n')]),
  ];
}

function flags(given: Readonly<Record<string, unknown>>): string {
  return Object.entries(given)
    .map(([name, value]) => ` --${name} ${typeof value === 'object' ? `'${breakableJson(value)}'` : value}`)
    .join('');
}

function days({ start_date, end_date, timezone }: Readonly<Record<string, unknown>>): string[] {
  if (start_date === undefined || end_date === undefined) return [];
  return [`${start_date} to ${end_date}${timezone === undefined ? '' : `, ${timezone}`}`];
}

const outcomes = { yes: 'gain', no: 'loss', unknown: 'aside' } as const;

/** diagnose_subid: who came, the steps of the visit, its conversions, what is known, and what may explain a missing step. */
export function renderDiagnosis(
  { query, time_zone, visitor, steps, facts, explanations, conversions, searched }: z.infer<typeof diagnosisOutput>,
  look: Look,
): string[] {
  const widest = Math.max(0, ...steps.map(({ step }) => step.length));
  const told = steps.map(({ step, happened, at, detail }) =>
    [
      `  ${step.replaceAll('_', ' ').padEnd(widest)}`,
      paint(happened.padEnd('unknown'.length), outcomes[happened], look),
      ...[at, detail].filter((part) => part !== null),
    ]
      .join('  ')
      .trimEnd(),
  );
  const who = Object.entries(visitor).map(([name, value]) => [name.replaceAll('_', ' '), value] as const);
  const found = conversions.map((row, index) =>
    fieldBlock(`Conversion${conversions.length > 1 ? ` ${index + 1}` : ''}`, Object.entries(row), look),
  );
  return [
    [paint(wrap(`${query['subid']}, times in ${time_zone}`, look.width), 'heading', look), ...told].join('\n'),
    ...(who.length === 0 ? [] : [fieldBlock('Visitor', who, look)]),
    ...found,
    ...[...facts, ...explanations].map((sentence) => wrap(sentence, look.width, '  ')),
    wrap(`Searched: ${searched}.`, look.width, '  '),
  ];
}

/** lookup_subid: each group of fields as a block, values whole, with what is empty named at its end. */
export function renderLookup({ groups }: PresentedLookup, look: Look): string[] {
  return groups.map(({ name, fields }) => fieldBlock(name, Object.entries(fields), look));
}

function fieldBlock(name: string, fields: readonly (readonly [string, TableCell])[], look: Look): string {
  const filled = fields.filter(([, value]) => value !== null);
  const empty = fields.filter(([, value]) => value === null).map(([field]) => field);
  const widest = Math.max(0, ...filled.map(([field]) => widthOf(field)));
  const lines = filled.map(([field, value]) => {
    const label = `  ${paint(field + ' '.repeat(widest - widthOf(field)), 'aside', look)}`;
    // A value that is too long is not broken, so that it can be copied; only words go below.
    const [first, ...more] = wrap(String(value), Math.max(20, look.width - widest - 4)).split('\n');
    return [`${label}  ${first}`, ...more.map((line) => `${' '.repeat(widest + 4)}${line}`)].join('\n');
  });
  return [
    paint(name, 'heading', look),
    ...lines,
    ...(empty.length === 0 ? [] : [wrap(`  empty: ${empty.join(', ')}`, look.width, '    ')]),
  ].join('\n');
}
