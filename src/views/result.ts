import type { McpUiToolResultNotification } from '@modelcontextprotocol/ext-apps';
import type { Explanation } from '../tools/explain/present.ts';
import { campaignKey, type DaysBefore, daysBeforeKey } from '../tools/present/for-views.ts';
import type { AccountReview } from '../tools/review-account.ts';

/** The result of a tool call, as hosts pass it to a view. */
export type ToolResult = McpUiToolResultNotification['params'];

/** A value in a table, as the tools return it. */
export type Cell = string | number | null;

/** A table of a report: a part of all its rows, and what is known of all. */
export interface ReportTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly total_rows: number;
  readonly offset: number;
  readonly units?: Readonly<Record<string, string>> | undefined;
  readonly totals?: Readonly<Record<string, number>> | undefined;
  readonly omitted_columns?: readonly string[] | undefined;
}

export interface ReportTables {
  readonly query: Readonly<Record<string, unknown>>;
  readonly tables: readonly ReportTable[];
  readonly notices: readonly string[];
}

/** What compare_pages says of one page: rates and shares in percent, money per view, a chance from 0 to 1. */
export interface ComparedPage {
  readonly page_id: string | null;
  readonly name: string;
  /** A weight among the others. */
  readonly share: number | null;
  readonly recommended_share: number;
  readonly views: number;
  readonly conversions: number;
  readonly revenue: number;
  readonly epv: number;
  readonly epv_low: number;
  readonly epv_high: number;
  readonly rate: number;
  readonly rate_low: number;
  readonly rate_high: number;
  readonly probability_best: number | null;
}

export interface ComparedPages {
  readonly query: Readonly<Record<string, unknown>>;
  readonly decision: {
    readonly verdict: 'clear' | 'leaning' | 'too early';
    readonly basis: 'money' | 'conversions';
    readonly name: string;
    readonly text: string;
    readonly waiting_cost_per_day: number;
    readonly risk_today_per_day: number;
  };
  readonly pages: readonly ComparedPage[];
  /** The pages that are not listed, if there are many. */
  readonly others?: { readonly pages: number; readonly views: number } | undefined;
  readonly calls: readonly { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }[];
  readonly notices: readonly string[];
}

/** What set_shares says it did, or would do: shares are weights, percents those of a group's traffic. */
export interface ChangedShares {
  readonly campaign_id: number;
  readonly dry_run: boolean;
  readonly done: boolean;
  readonly change_id: string | null;
  readonly groups: readonly {
    readonly group: string;
    readonly pages: readonly {
      readonly page_id: string;
      readonly name: string | null;
      readonly share_before: number | null;
      readonly share_after: number | null;
      readonly percent_before: number | null;
      readonly percent_after: number | null;
    }[];
  }[];
  readonly notices: readonly string[];
}

/** What there is to show of a tool's result. */
export type Report =
  | { readonly kind: 'tables'; readonly data: ReportTables }
  | { readonly kind: 'pages'; readonly data: ComparedPages }
  | { readonly kind: 'shares'; readonly data: ChangedShares }
  | { readonly kind: 'change'; readonly data: Explanation }
  | { readonly kind: 'review'; readonly data: AccountReview }
  | { readonly kind: 'text'; readonly text: string; readonly isError: boolean };

/** The name of the campaign that a result is about, which the server sends beside it for views alone. */
export function campaignOf({ _meta: meta }: ToolResult): string | undefined {
  const name = meta?.[campaignKey];
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** The days before those of a table by day, which the server sends beside it for views alone. */
export function daysBeforeOf({ _meta: meta }: ToolResult): DaysBefore | undefined {
  return meta?.[daysBeforeKey] as DaysBefore | undefined;
}

/** Recognises a result by its shape; a failure, and a result of no known shape, is shown as its text. */
export function readResult({ structuredContent: data, content, isError = false }: ToolResult): Report {
  if (!isError && data && 'done' in data && Array.isArray(data['groups'])) {
    return { kind: 'shares', data: data as unknown as ChangedShares };
  }
  if (!isError && Array.isArray(data?.['tables'])) return { kind: 'tables', data: data as unknown as ReportTables };
  if (!isError && Array.isArray(data?.['pages'])) return { kind: 'pages', data: data as unknown as ComparedPages };
  if (!isError && Array.isArray(data?.['causes'])) return { kind: 'change', data: data as unknown as Explanation };
  if (!isError && Array.isArray(data?.['findings'])) return { kind: 'review', data: data as unknown as AccountReview };
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  return { kind: 'text', text, isError };
}
