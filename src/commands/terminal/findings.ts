import { formatOf, maxDigits, writeNumber } from '../../analysis/columns/formats.ts';
import { moneyOfFinding, underHeadings } from '../../answer/findings.ts';
import { sayHeldInReview } from '../../answer/held-in-review.ts';
import { fromOutside, mention } from '../../api/text/tracker-text.ts';
import type { AccountReview } from '../../tools/account-tools.ts';
import type { Explanation } from '../../tools/explain/present.ts';
import { blockHeading, chanceOfFinding, nothingFound } from '../../tools/present/for-views.ts';
import { breakableJson, type Look, paint, wrap } from './look.ts';
import { renderTable } from './render-table.ts';

const measures = ['profit', 'revenue', 'cost', 'conversions', 'clicks', 'views'] as const;

/** explain_change: the summary, both spans, the effect of each figure, and the values that moved most. */
export function renderExplanation(explanation: Explanation, look: Look): string[] {
  const { summary, before, after, factors, values, changes } = explanation;
  const spans = [
    ['before', ...measures.map((measure) => before[measure] ?? null)],
    ['after', ...measures.map((measure) => after[measure] ?? null)],
  ];
  // As text, because visits, money and ratios in one column have different digits.
  const effects = factors.map(({ factor, before, after, effect }) => {
    const known = [before, after].filter((figure) => typeof figure === 'number');
    const format = { digits: maxDigits(known), isAmount: true };
    const [old, current] = [before, after].map((figure) => (figure === null ? null : writeNumber(figure, format)));
    return [factor.replaceAll('_', ' '), old ?? null, current ?? null, effect];
  });
  const columnOrder = [...values.columns.keys()].sort(
    (one, other) => rankOf(values.columns[one]) - rankOf(values.columns[other]),
  );
  const sorted = <Item>(row: readonly Item[]) => columnOrder.flatMap((index) => row.slice(index, index + 1));
  return [
    paint(wrap(summary, look.width), 'heading', look),
    renderTable(['Span', ...measures.map(capitalize)], spans, look),
    renderTable(['Figure', 'Before', 'After', 'Carries'], effects, look, { formats: { Carries: formatOf('Profit') } }),
    ...(values.rows.length === 0
      ? []
      : [renderTable(sorted(values.columns).map(capitalize), values.rows.map(sorted), look)]),
    ...(changes.length === 0 ? [] : [['Changed by this server', ...changes.map((line) => `  ${line}`)].join('\n')]),
  ];
}

/** The name comes first, then profit, which the rows are sorted by. */
function rankOf(column = ''): number {
  return column === 'What' ? 0 : column.startsWith('profit') ? 1 : 2;
}

function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** review_account: each finding with its money, its chance, and the call that shows more. */
export function renderFindings(
  { as_of, findings, more, to_block = [], held_money: held, could_not_see: unseen }: AccountReview,
  look: Look,
): string[] {
  const itemOf = (finding: AccountReview['findings'][number]) => {
    const { what, since, by_chance, is_new, is_over, next } = finding;
    const money = moneyOfFinding(finding, (amount) => writeNumber(amount, { digits: 2, isAmount: true }));
    const lines = [
      `${money === '' ? '' : `${paint(money, 'heading', look)}  `}${what}`,
      `${is_over ? 'over, ' : is_new ? '' : 'still, '}since ${since}, ${chanceOfFinding(by_chance)}`,
      `${next.tool} ${breakableJson(next.arguments)}`,
    ];
    return lines.map((line, index) => wrap(`${index === 0 ? '' : '  '}${line}`, look.width, '  ')).join('\n');
  };
  const items = underHeadings(findings).flatMap(({ heading, findings: ofGroup }) => [
    paint(heading, 'heading', look),
    ...ofGroup.map(itemOf),
  ]);
  return [
    paint(`As of ${as_of}`, 'heading', look),
    ...(items.length === 0 ? [nothingFound(unseen)] : items),
    ...(more > 0 ? [`${more} more findings`] : []),
    ...to_block.map(({ campaign_id, dimension, values: blocked }) =>
      [`${blockHeading(campaign_id, mention(fromOutside(dimension)))}:`, ...blocked].join('\n'),
    ),
    ...(held ? [sayHeldInReview(held).join('\n')] : []),
    ...unseen.map((line) => wrap(line, look.width)),
  ];
}
