import { moneyNote } from '../../analysis/columns/formats.ts';
import { oldToNew } from '../../answer/changes.ts';
import type { Note, Notice, Unworded } from '../../answer/notes.ts';
import { requestLine } from '../../api/endpoints.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import { shorten, shown } from '../../api/text/tracker-text.ts';
import type { TrackerRequest } from '../../client/request.ts';
import type { ValuesBefore, WriteResult } from '../../guard/write.ts';
import type { Answer } from '../define-tool.ts';
import { shortenList } from '../fit.ts';
import type { FromSchema } from '../json-schema.ts';
import { cleanValues } from './cells.ts';
import type { receiptReadAgain } from './outputs.ts';

export function noticesOf(result: Pick<WriteResult, 'replies'> | undefined): Notice[] {
  return result?.replies.flatMap(({ notices }) => notices) ?? [];
}

/** Values that were sent show at least this many characters. */
const minValueLength = 60;

interface Receipt {
  readonly request: TrackerRequest;
  /** `values`: by argument name, as far as they are known. `effect`: what it does to traffic, a line for each page. */
  readonly before: {
    readonly values: ValuesBefore;
    readonly effect: readonly Notice[];
    readonly notices: readonly Notice[];
  };
  /** Absent if nothing was sent. */
  readonly result: Pick<WriteResult, 'replies' | 'change'> | undefined;
  /** What the tracker shows when it is read again. */
  readonly after?: { readonly values: ValuesBefore; readonly notice: Notice } | undefined;
  readonly currency: string | undefined;
}

/** The answer of a tool with one request: old and new values as far as they are known, and the effect on the traffic. */
export function presentReceipt({ request, before, result, after, currency }: Receipt): Answer {
  const { endpoint, shown: sent } = request;
  const { effect } = before;
  const [reply] = result?.replies ?? [];
  const id = reply?.receipt.id ? shown(reply.receipt.id) : null;
  const remarks = [...(after ? [after.notice] : []), ...noticesOf(result), ...before.notices];
  const always = [
    ...moneyNote(Object.keys(request.arguments), currency),
    ...(result ? idNotes(request, id) : [{ code: 'dry-run', isChecked: false } as const]),
  ];
  const values = cleanValues(before.values);
  const changes = Object.keys(values).map(
    (name) => `${name}: ${oldToNew(name, values, request.arguments[name], currency)}`,
  );
  const outcome = result
    ? `${endpoint.name}: done${id === null ? '' : `, ID ${id}`}. Change ${result.change}.`
    : `${endpoint.name}: not sent (dry run).`;
  const longest = Math.max(...Object.values(sent).map((value) => value.length));
  return {
    parts: [
      { count: effect.length, min: 0 },
      { count: longest, min: Math.min(longest, minValueLength) },
      { count: remarks.length, min: 0 },
    ],
    render: ([lineCount = 0, maxLength = 0, remarkCount = 0]) => {
      const short = Object.entries(sent).map(([name, value]) => [name, shorten(value, maxLength)] as const);
      const shownSent = Object.fromEntries(short);
      const notices: Notice[] = [
        ...shortenList(remarks, remarkCount, 'notice'),
        ...(effect.length === 0 ? [] : [{ lines: shortenList(effect, lineCount, 'page') }]),
        ...always,
        ...(maxLength < longest ? [{ code: 'sent-whole', maxLength } as const] : []),
      ];
      const structured = {
        operation: endpoint.name,
        dry_run: result === undefined,
        done: result !== undefined,
        id,
        change_id: result?.change ?? null,
        sent: shownSent,
        before: values,
        ...(after && { after: cleanValues(after.values) }),
        notices,
      } satisfies Unworded<FromSchema<typeof receiptReadAgain>>;
      const line = cleanText(requestLine(endpoint.path, shownSent));
      return { structured, blocks: [{ is: 'heading', text: outcome }, line, ...changes] };
    },
  };
}

function idNotes({ endpoint, shown: sent }: TrackerRequest, id: string | null): Note[] {
  if (endpoint.access === 'create') {
    if (id !== null) return [];
    return [{ code: endpoint.reply === 'ok' ? 'no-page-id' : 'no-record-id' }];
  }
  const asked = sent['newpageid'] ?? sent['pageid'] ?? sent['id'];
  return id === null || asked === undefined || id === asked ? [] : [{ code: 'other-id', id, asked }];
}
