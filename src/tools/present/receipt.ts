import type * as z from 'zod';
import { moneyNotice } from '../../analysis/columns/formats.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import { shorten, shown } from '../../api/text/tracker-text.ts';
import { requestLine, type TrackerRequest } from '../../client/request.ts';
import type { ValuesBefore, WriteResult } from '../../guard/write.ts';
import type { Answer } from '../define-tool.ts';
import { shortenList } from '../fit.ts';
import { cleanNotice, cleanValues } from './cells.ts';
import { showArgument } from './change-steps.ts';
import type { receiptOutput } from './outputs.ts';

/** What there is to know before a write. */
export interface Before {
  /** The values that are there, by the names of the arguments that are to change them; unknown ones are left out. */
  readonly values: ValuesBefore;
  /** What the change does to the traffic of the group, a line a page. */
  readonly effect: readonly string[];
  readonly notices: readonly string[];
}

interface Written {
  readonly request: TrackerRequest;
  readonly before: Before;
  /** The tracker's answer and the change's ID; absent if nothing was sent. */
  readonly done: Pick<WriteResult, 'replies' | 'change'> | undefined;
  readonly currency: string | undefined;
}

export const dryRunNotice = 'Dry run: nothing was sent. Call again without dry_run to do it.';

/** What the tracker said beside its answers to writes. */
export function noticesOf(done: Pick<WriteResult, 'replies'> | undefined): string[] {
  return done?.replies.flatMap(({ notices }) => notices).map(cleanNotice) ?? [];
}

/** So much of a value that was sent is always shown. */
const minValueLength = 60;

/** Says what a write did, or would do: old and new values if the tracker has the old, and the effect on the traffic. */
export function presentReceipt({ request, before, done, currency }: Written): Answer {
  const { endpoint, shown: sent } = request;
  const { effect } = before;
  const [reply] = done?.replies ?? [];
  const id = reply?.receipt.id ? shown(reply.receipt.id) : null;
  const remarks = [...noticesOf(done), ...before.notices.map(cleanNotice)];
  const always = [
    ...moneyNotice(Object.keys(request.arguments), currency),
    ...(done
      ? []
      : ['Dry run: nothing was sent, and the tracker has not checked it. Call again without dry_run to do it.']),
    ...(done ? idNotices(request, id) : []),
  ];
  const values = cleanValues(before.values);
  const written = (name: string, value: unknown) => showArgument(name, value, currency);
  const changes = Object.entries(values).map(
    ([name, value]) => `${name}: ${written(name, value)} -> ${written(name, request.arguments[name])}`,
  );
  const outcome = done
    ? `${endpoint.name}: done${id === null ? '' : `, ID ${id}`}. Change ${done.change}.`
    : `${endpoint.name}: not sent (dry run).`;
  const longest = Math.max(...Object.values(sent).map((value) => value.length));
  return {
    parts: [
      { count: effect.length, min: 0 },
      { count: longest, min: Math.min(longest, minValueLength) },
      { count: remarks.length, min: 0 },
    ],
    render: ([lines = 0, length = 0, some = 0]) => {
      const short = Object.entries(sent).map(([name, value]) => [name, shorten(value, length)] as const);
      const notices = [
        ...shortenList(remarks, some, 'notices'),
        ...(effect.length === 0 ? [] : [shortenList(effect, lines, 'pages of the group').map(cleanText).join('\n')]),
        ...always,
        ...(length < longest ? [`Values longer than ${length} characters are cut here, and sent whole.`] : []),
      ];
      const shownSent = Object.fromEntries(short);
      const structured = {
        operation: endpoint.name,
        dry_run: done === undefined,
        done: done !== undefined,
        id,
        change_id: done?.change ?? null,
        sent: shownSent,
        before: values,
        notices,
      } satisfies z.infer<typeof receiptOutput>;
      const line = cleanText(requestLine({ endpoint, shown: shownSent }));
      return { structured, text: [outcome, line, ...changes, ...notices].join('\n') };
    },
  };
}

function idNotices({ endpoint, shown: sent }: TrackerRequest, id: string | null): string[] {
  if (endpoint.access === 'create') {
    if (id !== null) return [];
    return [
      endpoint.reply === 'ok'
        ? 'The tracker named no page ID, and its reports do not show the page yet: get_stats shows it in its landing or offer report once it is there. Until its ID is known, undo_change cannot switch it off.'
        : 'The tracker said OK and gave no ID of the record.',
    ];
  }
  const asked = sent['newpageid'] ?? sent['pageid'] ?? sent['id'];
  if (id === null || asked === undefined || id === asked) return [];
  return [`The tracker named the ID ${id}, and ${asked} was asked for: check which record it changed.`];
}
