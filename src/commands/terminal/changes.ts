import type * as z from 'zod';
import { sayOutcome } from '../../answer/outcomes.ts';
import { currencyAfter } from '../../api/vocabulary.ts';
import type { changesOutput } from '../../tools/detail-tools.ts';
import { describeElsewhere } from '../../tools/list-changes.ts';
import { isSubject, type ShownStep } from '../../tools/present/change-steps.ts';
import type { sharesOutput } from '../../tools/rotation/set-shares.ts';
import type { undoOutput } from '../../tools/rotation/undo-change.ts';
import { type Look, paint, wrap } from './look.ts';
import { isSplit, renderTable } from './render-table.ts';

/** Rotations and changes: a line with the outcome, then a table of old and new values. */

type Shares = z.infer<typeof sharesOutput>;

function outcomeOf({ dry_run, done, change_id }: Pick<Shares, 'dry_run' | 'done' | 'change_id'>): string {
  if (dry_run) return 'not sent (dry run)';
  return `${done ? 'done' : 'not done'}${change_id === null ? '' : `, change ${change_id}`}`;
}

const shareColumns = {
  PageID: 'page_id',
  Name: 'name',
  'Share before': 'share_before',
  'Share after': 'share_after',
  'Traffic before': 'percent_before',
  'Traffic after': 'percent_after',
} as const;

const traffic = { digits: 1, isPercentage: true };

/** set_shares: each group of pages with shares and traffic before and after. */
export function renderShares({ campaign_id: id, groups, ...shares }: Shares, look: Look): string[] {
  const formats = { 'Traffic before': traffic, 'Traffic after': traffic };
  return [
    paint(`Shares of campaign ${id}: ${outcomeOf(shares)}`, 'heading', look),
    ...groups.map(({ group, pages }) => {
      const rows = pages.map((page) => Object.values(shareColumns).map((field) => page[field] ?? null));
      return `${group}\n${renderTable(Object.keys(shareColumns), rows, look, { formats })}`;
    }),
  ];
}

/** list_changes: each change with the values that it set. */
export function renderChanges({ changes, elsewhere = [] }: z.infer<typeof changesOutput>, look: Look): string[] {
  const logged = changes.map(({ change_id: id, time, tool, state, campaign, steps, more_steps: more, outcome }) => {
    // Without fractions of a second.
    const at = time.replace(/^(\S+)T([\d:]+)(\.\d+)?Z$/, '$1 $2 UTC');
    const about = campaign === undefined ? '' : `; campaign ${campaign}`;
    return [
      paint(wrap(`${id}  ${at}  ${tool}: ${state}${about}`, look.width, '  '), 'heading', look),
      stepsTable(steps, look),
      ...(more === undefined ? [] : [`… and ${more} more`]),
      ...(outcome === undefined ? [] : [wrap(`Outcome: ${sayOutcome(outcome)}`, look.width, '  ')]),
    ].join('\n');
  });
  return [...logged, ...elsewhere.map((made) => wrap(describeElsewhere(made), look.width, '  '))];
}

/** undo_change: the values that are set again. */
export function renderUndo({ undoes, steps, ...undo }: z.infer<typeof undoOutput>, look: Look): string[] {
  return [paint(`Undo of ${undoes}: ${outcomeOf(undo)}`, 'heading', look), stepsTable(steps, look)];
}

function stepsTable(steps: readonly ShownStep[], look: Look): string {
  const rows = steps.flatMap((step) => {
    const { tool, arguments: given, before, outcome, currency } = step;
    const names = Object.keys(given).filter((name) => name !== 'dry_run');
    const subject = names.filter((name) => isSubject(tool, name)).map((name) => `${inWords(name)} ${given[name]}`);
    const what = subject.join(', ') || inWords(tool);
    const set = names.filter((name) => !isSubject(tool, name));
    return set.map((name) => {
      const [old, changed] = [before[name], given[name]].map((value) => textOf(name, value, currency));
      return [what, inWords(name), old ?? null, changed ?? null, outcome];
    });
  });
  const headings = ['Of', 'Value', 'Before', 'After', 'Outcome'];
  // A step is not torn apart: its values are compared.
  const isTooWide = isSplit(headings, rows, look);
  return renderTable(headings, rows, isTooWide ? { ...look, shape: 'vertical' } : look);
}

/** `campaign_id` as a person reads it: "campaign". */
function inWords(name: string): string {
  return name.replace(/_id$/, '').replaceAll('_', ' ');
}

function textOf(name: string, value: unknown, currency: string | undefined): string | null {
  return value === undefined || value === null ? null : `${value}${currencyAfter(name, value, currency)}`;
}
