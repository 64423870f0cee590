import type { ReplyKind } from '../../api/endpoints.ts';
import type { Receipt } from '../../api/replies.ts';
import { isContainer, isMeta, isSuccessPhrase } from './names.ts';
import { isLeaf, isList, isRecord, plainName, type Tree, type TreeRecord } from './tree.ts';

type ReceiptKind = Extract<ReplyKind, 'id' | 'ok'>;

const deepestWrapper = 6;

/**
 * Reads what a management endpoint answers on success: OK or an ID, as text, number, JSON string, or wrapped in fields.
 *
 * @param kind what the specification promises: where it is OK, a bare 1 means yes and is no ID
 * @returns undefined where the answer is neither, so that nothing is taken for a success that is not one
 */
export function findReceipt(tree: Tree, kind: ReceiptKind, depth = 0): Receipt | undefined {
  if (depth > deepestWrapper || tree === null) return undefined;
  if (isLeaf(tree)) return receiptOfText(String(tree), kind);
  if (isList(tree)) return tree.length === 1 ? findReceipt(tree[0] ?? null, kind, depth + 1) : undefined;
  const id = ownId(tree);
  if (id) return { id };
  for (const value of Object.values(tree)) {
    const found = isRecord(value) || isList(value) ? findReceipt(value, kind, depth + 1) : undefined;
    if (found) return found;
  }
  const words = Object.entries(tree).filter(([, value]) => isLeaf(value) && value !== null && value !== '');
  // A container such as `result` may hold the ID itself; a status such as `success: 1` holds a yes that only looks like one.
  const held = words
    .filter(([name]) => isContainer(name) || !isMeta(name))
    .map(([, value]) => receiptOfText(String(value), kind));
  const best = held.find((receipt) => receipt?.id) ?? held.find((receipt) => receipt !== undefined);
  if (best) return best;
  return words.some(([name, value]) => isMeta(name) && isSuccessPhrase(String(value))) ? { id: null } : undefined;
}

/** A bare answer: an ID, or words that mean success. */
function receiptOfText(text: string, kind: ReceiptKind): Receipt | undefined {
  if (isId(text) && !(kind === 'ok' && text.trim() === '1')) return { id: text.trim() };
  return isSuccessPhrase(text) ? { id: null } : undefined;
}

function isId(text: string): boolean {
  return /^\s*[1-9]\d{0,18}\s*$/.test(text);
}

/** The ID of the record itself: `id` before `pageid` or `offer_id`; the campaign's and the request's are others'. */
function ownId(record: TreeRecord): string | undefined {
  const ids = Object.entries(record).filter(([name, value]) => isIdName(name) && isLeaf(value) && isId(String(value)));
  const [, value] = ids.find(([name]) => plainName(name) === 'id') ?? ids[0] ?? [];
  return value === undefined ? undefined : String(value).trim();
}

/** `ID`, `offer_id`, `landingPageId`, `insertId`; not `valid`, not `campaignid`. */
function isIdName(name: string): boolean {
  if (/^(camp|request|account|user|trace)/.test(plainName(name))) return false;
  return (
    /(^|[^a-z])id$|[a-z]I[dD]$/.test(name) ||
    /^(id|pageid|offerid|lpid|landingpageid|newid|insertid)$/.test(plainName(name))
  );
}
