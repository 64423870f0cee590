import type { ToolResult } from '../../tools/define-tool.ts';
import { diagnosisOutput } from '../../tools/diagnose-subid.ts';
import { comparisonOutput } from '../../tools/present/comparison/comparison-output.ts';
import { lookupOutput, type PresentedTable, tablesOutput } from '../../tools/present/outputs.ts';
import { changesOutput } from '../../tools/rotation/list-changes.ts';
import { sharesOutput } from '../../tools/rotation/set-shares.ts';
import { undoOutput } from '../../tools/rotation/undo-change.ts';
import { renderComparison, renderDiagnosis, renderLookup } from './blocks.ts';
import { renderChanges, renderShares, renderUndo } from './changes.ts';
import { type Look, wrap } from './look.ts';
import { renderTable } from './render-table.ts';

/** How each shape of a result is shown: its blocks, given what was read of it. The first that reads it wins. */
const shapes: readonly ((structured: unknown, look: Look) => readonly string[] | undefined)[] = [
  (structured, look) => tablesOutput.safeParse(structured).data?.tables.map((table) => renderOne(table, look)),
  (structured, look) => read(comparisonOutput.safeParse(structured).data, renderComparison, look),
  (structured, look) => read(diagnosisOutput.safeParse(structured).data, renderDiagnosis, look),
  (structured, look) => read(sharesOutput.safeParse(structured).data, renderShares, look),
  (structured, look) => read(changesOutput.safeParse(structured).data, renderChanges, look),
  (structured, look) => read(undoOutput.safeParse(structured).data, renderUndo, look),
  (structured, look) => read(lookupOutput.safeParse(structured).data, renderLookup, look),
];

/** A result for a person at a terminal: tables and short blocks, then what there is to know about them. */
export function renderResult({ structured, text }: ToolResult, look: Look): string {
  for (const show of shapes) {
    const blocks = show(structured, look);
    if (blocks) return [...blocks, ...noticesOf(structured, look)].join('\n\n');
  }
  return text
    .replaceAll('\t', '  ')
    .split('\n')
    .map((line) => wrap(line, look.width))
    .join('\n');
}

function read<Data>(
  data: Data | undefined,
  render: (data: Data, look: Look) => readonly string[],
  look: Look,
): readonly string[] | undefined {
  return data === undefined ? undefined : render(data, look);
}

function noticesOf({ notices }: Readonly<Record<string, unknown>>, { width }: Look): string[] {
  return Array.isArray(notices) ? notices.map((notice) => wrap(String(notice), width)) : [];
}

function renderOne(table: PresentedTable, look: Look): string {
  const { name, columns, rows, offset, total_rows, next_offset, units = {}, totals = {}, omitted_columns = [] } = table;
  const rowName = rows.length === 1 ? `row ${offset + 1}` : `rows ${offset + 1} to ${offset + rows.length}`;
  const range = rows.length === 0 ? 'no rows' : `${rowName} of ${total_rows}`;
  const next = next_offset === null ? '' : `, more from offset ${next_offset}`;
  const totalName = total_rows === rows.length ? 'Total' : `All ${total_rows} rows`;
  return [
    `${name}: ${range}${next}`,
    ...(rows.length === 0 ? [] : [renderTable(columns, rows, look, { units, totals, totalName })]),
    ...(omitted_columns.length === 0
      ? []
      : [wrap(`Empty in every row: ${omitted_columns.join(', ')}`, look.width, '  ')]),
  ].join('\n');
}
