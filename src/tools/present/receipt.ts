import type { z } from 'zod';
import type { ReceiptReply } from '../../api/replies.ts';
import { shown } from '../../api/text/tracker-text.ts';
import { requestLine, type TrackerRequest } from '../../client/request.ts';
import type { Answer } from '../define-tool.ts';
import { cleanNotice } from './cells.ts';
import type { receiptOutput } from './outputs.ts';

/**
 * Says what a write did.
 *
 * @param request what was sent, or would be
 * @param reply the tracker's answer; absent on a dry run, where nothing was sent
 */
export function presentReceipt(request: TrackerRequest, reply: ReceiptReply | undefined): Answer {
  const { endpoint, shown: sent } = request;
  const given = reply?.receipt.id ?? null;
  const named = given === null ? null : shown(given);
  const isCreation = endpoint.access === 'create';
  // Where a page is placed from an existing one, a tracker may answer with the ID that it was sent, which is not the page's.
  const id = isCreation && named === sent['id'] ? null : named;
  const notices = (reply?.notices ?? []).map(cleanNotice);
  if (!reply) {
    notices.push('Dry run: nothing was sent, and the tracker has not checked it. Call again without dry_run to do it.');
  }
  if (reply && id === null && isCreation) {
    notices.push(
      endpoint.reply === 'ok'
        ? 'The tracker named no page ID: get_stats shows it in its landing or offer report.'
        : 'The tracker said OK and gave no ID of the record.',
    );
  }
  const asked = isCreation ? undefined : (sent['newpageid'] ?? sent['pageid'] ?? sent['id']);
  if (id !== null && asked !== undefined && id !== asked) {
    notices.push(`The tracker named the ID ${id}, and ${asked} was asked for: check which record it changed.`);
  }
  const structured: z.infer<typeof receiptOutput> = {
    operation: endpoint.name,
    dry_run: reply === undefined,
    done: reply !== undefined,
    id,
    sent: { ...sent },
    notices,
  };
  const outcome = reply
    ? `${endpoint.name}: done${id === null ? '' : `, ID ${id}`}.`
    : `${endpoint.name}: not sent (dry run).`;
  const text = [outcome, requestLine(request), ...notices].join('\n');
  return { parts: [], render: () => ({ structured, text }) };
}
