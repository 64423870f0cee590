import type { Endpoint } from '../../api/endpoints.ts';
import type { ReceiptReply } from '../../api/replies.ts';
import type { WireParameters } from '../../client/tracker-client.ts';
import type { ToolResult } from '../define-tool.ts';
import { receiptOutput } from './outputs.ts';

/**
 * Says what a write did.
 *
 * @param sent the wire parameters, with the key masked
 * @param reply the tracker's answer; absent on a dry run, where nothing was sent
 */
export function presentReceipt(endpoint: Endpoint, sent: WireParameters, reply: ReceiptReply | undefined): ToolResult {
  const id = reply?.receipt.id ?? null;
  const notices = [...(reply?.notices ?? [])];
  if (!reply) {
    notices.push('Dry run: nothing was sent, and the tracker has not checked it. Call again without dry_run to do it.');
  }
  if (reply && id === null && endpoint.access === 'create' && endpoint.reply === 'ok') {
    notices.push('The tracker named no page ID: get_stats shows it in its landing or offer report.');
  }
  if (reply && endpoint.reply === 'id' && id === null)
    notices.push('The tracker said OK without the ID of the record.');
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
  const parameters = Object.entries(sent).map(([name, value]) => `${name}=${value}`);
  return { structured, text: [outcome, `api/${endpoint.path}: ${parameters.join(' ')}`, ...notices].join('\n') };
}
