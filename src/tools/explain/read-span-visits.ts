import type { SpanVisit, SpanVisits } from '../../analysis/profit-change.ts';
import { dimensions, figuresIn, readerOf } from '../../analysis/visit-groups.ts';
import { Failure } from '../../api/failure.ts';
import type { Table } from '../../api/table.ts';
import { fromOutside, mention } from '../../api/text/tracker-text.ts';
import { extraSlots } from '../../api/token-slots.ts';
import { readVisitsInSlices, rowsOf, type Span, type VisitsRead } from '../account/read-visits.ts';
import type { CallContext } from '../define-tool.ts';
import { lengthInDays, listDays } from '../period.ts';
import { type TokenLabels, tokenLabels } from '../tokens.ts';
import type { Spans } from './spans.ts';

export interface SpanVisitsRead {
  readonly visits: SpanVisits;
  readonly days: { readonly before: readonly string[]; readonly after: readonly string[] };
  /** What it rests on, a sentence each. */
  readonly basis: readonly string[];
}

/** What has a value of its own for nearly every visit, or is a part of the spans themselves. */
const untold: ReadonlySet<string> = new Set(['day', 'weekday']);

/**
 * Reads the visits of two spans from the visitor list, with all dimensions that it carries.
 * @param campaignId 0 is all
 * @throws Failure if the tracker cannot be asked or refuses, or there was no visit
 */
export async function readSpanVisits(campaignId: number, spans: Spans, context: CallContext): Promise<SpanVisitsRead> {
  const labels: TokenLabels = campaignId === 0 ? new Map() : await tokenLabels(campaignId, context);
  const tables: Table[] = [];
  const reads: VisitsRead[] = [];
  for (const span of spansToRead(spans)) {
    reads.push(await readVisitsInSlices(String(campaignId), span, undefined, context, (table) => tables.push(table)));
  }
  // A slot is another token in each campaign.
  const candidates = [
    ...dimensions.filter((name) => !untold.has(name)),
    'path',
    ...(campaignId === 0 ? [] : extraSlots),
  ];
  const isCarried = (name: string) => tables.some((table) => readerOf(name)(table) !== undefined);
  const names = candidates.filter(isCarried);
  const rows = tables.flatMap((table) => visitsOf(table, names, spans));
  if (rows.length === 0) {
    const read = rowsOf(tables);
    const timeless = read > 0 && !tables.some(saysTimes) ? ` that can be read: none of ${read} rows says a time` : '';
    throw new Failure(
      `There were no visits in either span${timeless}, so there is no change to explain.`,
      timeless === '' ? 'Try other days.' : 'Look at list_visitors.',
    );
  }
  const nameOf = (name: string) => {
    const label = labels.get(name);
    return label === undefined ? name : mention(fromOutside(label));
  };
  return {
    visits: { dimensions: names.map(nameOf), rows },
    days: {
      before: listDays(spans.before.start, spans.before.end),
      after: listDays(spans.after.start, spans.after.end),
    },
    basis: basisOf(rows.length, spans, reads),
  };
}

function saysTimes(table: Table): boolean {
  const day = readerOf('day')(table);
  return (
    day !== undefined && Array.from({ length: table.rowCount }, (_, row) => day(row)).some((read) => read !== null)
  );
}

/** Spans that are near each other are one question. */
function spansToRead({ before, after }: Spans): readonly Span[] {
  const [first, last] = before.start < after.start ? [before, after] : [after, before];
  const between = lengthInDays(first.end, last.start) - 2;
  return between <= lengthInDays(first.start, first.end) ? [{ start: first.start, end: last.end }] : [first, last];
}

function visitsOf(table: Table, names: readonly string[], { before, after, untilHour }: Spans): SpanVisit[] {
  const readings = [...names, 'day', 'hour'].map((name) => readerOf(name)(table)).filter((read) => read !== undefined);
  if (readings.length < names.length + 2) return [];
  const { clicks, conversions, cost, revenue } = figuresIn(table);
  return Array.from({ length: table.rowCount }, (_, row) => row).flatMap((row) => {
    const values = readings.map((read) => read(row) ?? null);
    const [day = null, hour = null] = values.splice(names.length);
    if (day === null) return [];
    const isAfter = day >= after.start && day <= after.end;
    if (!isAfter && !(day >= before.start && day <= before.end)) return [];
    const isLast = day === (isAfter ? after.end : before.end);
    if (isLast && untilHour !== undefined && Number(hour) >= untilHour) return [];
    return {
      isAfter,
      day,
      values,
      // A list without clicks leaves sales to be taken over visits.
      clicks: clicks?.(row) ?? 1,
      conversions: conversions?.(row) ?? 0,
      cost: cost?.(row) ?? 0,
      revenue: revenue?.(row) ?? 0,
    };
  });
}

function basisOf(count: number, { before, after, untilHour }: Spans, reads: readonly VisitsRead[]): string[] {
  const requests = reads.reduce((sum, read) => sum + read.requests, 0);
  const missing = [...reads.flatMap(({ cutDays }) => cutDays), ...reads.flatMap(({ unreadDays }) => unreadDays)].sort();
  return [
    `Counted from ${count} visits of the visitor list, in ${requests === 1 ? 'one answer' : `${requests} answers`}; a sale counts on the day of its visit.`,
    ...(missing.length > 0
      ? [
          `A sample: the list is not whole on ${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ` and ${missing.length - 5} more days` : ''}, so that sums and what they carry are not those of the spans.`,
        ]
      : []),
    ...(untilHour === undefined
      ? []
      : [`${after.end} is not over: of it and of ${before.end} the hours before ${untilHour}:00 are compared.`]),
  ];
}
