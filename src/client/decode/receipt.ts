import type { ReplyKind } from '../../api/endpoints.ts';
import { plainName } from '../../api/plain-name.ts';
import type { Receipt } from '../../api/replies.ts';
import { isContainer, isMeta, isSuccessPhrase, isSuccessWord } from './names.ts';
import { isEmpty, isLeaf, isList, type Tree, type TreeRecord } from './tree.ts';

type ReceiptKind = Extract<ReplyKind, 'id' | 'ok'>;

const deepestWrapper = 12;

/** Names in which nothing but knowledge of them shows that they end in `id`. */
const compactIdNames = new Set('pageid offerid lpid landingpageid landingid newid insertid recordid'.split(' '));

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
  const fields = Object.entries(tree);
  for (const [, value] of fields) {
    const found = isLeaf(value) ? undefined : findReceipt(value, kind, depth + 1);
    if (found?.id) return found;
  }
  const words = fields.filter(([, value]) => isLeaf(value) && !isEmpty(value));
  // A container such as `result` may hold the ID itself; a status such as `success: 1` holds a yes that only looks like one.
  const held = words
    .filter(([name]) => isContainer(name) || !isAboutSuccess(name))
    .map(([, value]) => receiptOfText(String(value), kind));
  const best = held.find((receipt) => receipt?.id) ?? held.find((receipt) => receipt !== undefined);
  if (best) return best;
  if (words.some(([name, value]) => isAboutSuccess(name) && isSuccessPhrase(String(value)))) return { id: null };
  const [only, ...others] = fields;
  // `<OK/>`, `<response><ok/></response>`
  if (only && others.length === 0 && isEmpty(only[1]) && isSuccessWord(only[0])) return { id: null };
  return only && others.length === 0 && !isLeaf(only[1]) ? findReceipt(only[1], kind, depth + 1) : undefined;
}

/** A bare answer: an ID, or words that mean success, with or without the ID in them. */
function receiptOfText(text: string, kind: ReceiptKind): Receipt | undefined {
  if (isId(text) && !(kind === 'ok' && text.trim() === '1')) return { id: text.trim() };
  const id = /^(?:ok|success|id|[\w ]{0,40} added[\w ]{0,20}\bid)\s*[:=,#|-]?\s*(\d{1,19})\s*[.!]?$/i.exec(
    text.trim(),
  )?.[1];
  if (id !== undefined && isId(id)) return { id };
  return isSuccessPhrase(text) ? { id: null } : undefined;
}

function isId(text: string): boolean {
  return /^\s*(?!0+\s*$)\d{1,19}\s*$/.test(text);
}

function isAboutSuccess(name: string): boolean {
  return isMeta(name) || isSuccessWord(name);
}

/** The ID of the record itself: `id` before `pageid` or `offer_id`; the campaign's and the request's are others'. */
function ownId(record: TreeRecord): string | undefined {
  const ids = Object.entries(record).filter(([name, value]) => isIdName(name) && isLeaf(value) && isId(String(value)));
  const [, value] = ids.find(([name]) => plainName(name) === 'id') ?? ids[0] ?? [];
  return value === undefined ? undefined : String(value).trim();
}

/** `ID`, `offer_id`, `landingPageId`, `insertId`; not `valid`, not `campaignid`. */
function isIdName(name: string): boolean {
  if (/^(camp|request|req|account|user|trace|session)/.test(plainName(name))) return false;
  return /(^|[^A-Za-z])[iI][dD]$|[a-z]I[dD]$|^[A-Z]*ID$/.test(name) || compactIdNames.has(plainName(name));
}
