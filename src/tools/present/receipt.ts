import type { ReceiptReply } from '../../api/replies.ts';
import { requestLine, type TrackerRequest } from '../../client/request.ts';
import type { ToolResult } from '../define-tool.ts';
import { cleanNotice } from './cells.ts';
import { receiptOutput } from './outputs.ts';

/**
 * Says what a write did.
 *
 * @param request what was sent, or would be
 * @param reply the tracker's answer; absent on a dry run, where nothing was sent
 */
export function presentReceipt(request: TrackerRequest, reply: ReceiptReply | undefined): ToolResult {
  const { endpoint, shown: sent } = request;
  const named = reply?.receipt.id ?? null;
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
  const structured = receiptOutput.parse({
    operation: endpoint.name,
    dry_run: reply === undefined,
    done: reply !== undefined,
    id,
    sent,
    notices,
  });
  const outcome = reply
    ? `${endpoint.name}: done${id === null ? '' : `, ID ${id}`}.`
    : `${endpoint.name}: not sent (dry run).`;
  return { structured, text: [outcome, requestLine(request), ...notices].join('\n') };
}
