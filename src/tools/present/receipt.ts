import type * as z from 'zod';
import type { ReceiptReply } from '../../api/table.ts';
import { cleanText } from '../../api/text/clean-text.ts';
import { shown } from '../../api/text/tracker-text.ts';
import { requestLine, type TrackerRequest } from '../../client/request.ts';
import type { ValuesBefore } from '../../guard/write-request.ts';
import type { Answer } from '../define-tool.ts';
import { cleanNotice, cleanValues } from './cells.ts';
import { showArgument } from './change-steps.ts';
import { moneyNotice } from './currency.ts';
import type { receiptOutput } from './outputs.ts';

/** What there is to know before a write. */
export interface Before {
  /** The values that are there, by the names of the arguments that are to change them; what nobody tells is not in it. */
  readonly values: ValuesBefore;
  /** What the change does to the traffic of the group, a line a page. */
  readonly effect: readonly string[];
  readonly notices: readonly string[];
}

/** A write, and what became of it. */
interface Written {
  /** What was sent, or would be. */
  readonly request: TrackerRequest;
  readonly before: Before;
  /** The tracker's answer; absent on a dry run, where nothing was sent. */
  readonly reply: ReceiptReply | undefined;
  /** The ID of the change, by which it is undone; null on a dry run. */
  readonly change: string | null;
  readonly currency: string | undefined;
}

/** Says what a write did, or would do: old and new values where the tracker tells the old, and the effect on the traffic. */
export function presentReceipt({ request, before, reply, change, currency }: Written): Answer {
  const { endpoint, shown: sent } = request;
  const given = reply?.receipt.id ?? null;
  const id = given === null ? null : shown(given);
  const isCreation = endpoint.access === 'create';
  const notices = [
    ...(reply?.notices ?? []).map(cleanNotice),
    ...(before.effect.length === 0 ? [] : [before.effect.map(cleanText).join('\n')]),
    ...before.notices,
    ...moneyNotice(Object.keys(request.arguments), currency),
  ];
  if (!reply) {
    notices.push('Dry run: nothing was sent, and the tracker has not checked it. Call again without dry_run to do it.');
  }
  if (reply && id === null && isCreation) {
    notices.push(
      endpoint.reply === 'ok'
        ? 'The tracker named no page ID, and its reports do not show the page yet: get_stats shows it in its landing or offer report once it is there. Until its ID is known, undo_change cannot switch it off.'
        : 'The tracker said OK and gave no ID of the record.',
    );
  }
  const asked = isCreation ? undefined : (sent['newpageid'] ?? sent['pageid'] ?? sent['id']);
  if (id !== null && asked !== undefined && id !== asked) {
    notices.push(`The tracker named the ID ${id}, and ${asked} was asked for: check which record it changed.`);
  }
  const structured = {
    operation: endpoint.name,
    dry_run: reply === undefined,
    done: reply !== undefined,
    id,
    change_id: change,
    sent: { ...sent },
    before: cleanValues(before.values),
    notices,
  } satisfies z.infer<typeof receiptOutput>;
  const outcome = reply
    ? `${endpoint.name}: done${id === null ? '' : `, ID ${id}`}.${change === null ? '' : ` Change ${change}.`}`
    : `${endpoint.name}: not sent (dry run).`;
  const told = (name: string, value: unknown) => showArgument(name, value, currency);
  const changes = Object.entries(structured.before).map(
    ([name, value]) => `${name}: ${told(name, value)} -> ${told(name, request.arguments[name])}`,
  );
  const text = [outcome, requestLine(request), ...changes, ...notices].join('\n');
  return { parts: [], render: () => ({ structured, text }) };
}
