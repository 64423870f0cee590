import type { ReplyKind, WrittenRecord } from '../../../api/endpoints.ts';
import { plainName } from '../../../api/text/plain-name.ts';
import { type Field, isEmpty, isLeaf, isList, maxWrapperDepth, type Tree } from '../read/tree.ts';
import { reportsNoError } from '../verdict/complaint.ts';
import { isContainer, isFailurePhrase, isMeta, isSuccessPhrase, isSuccessWord } from '../verdict/words.ts';

type ReceiptKind = Extract<ReplyKind, 'id' | 'ok'>;

/** What a write is about: what the specification promises on success, and which record an ID would be of. */
export interface Written {
  readonly kind: ReceiptKind;
  readonly record?: WrittenRecord | undefined;
}

/** A receipt, and what stood beside it. */
export interface FoundReceipt {
  /** The ID that the tracker gave; null where it gave none. */
  readonly id: string | null;
  readonly beside: readonly Field[];
}

const words = (text: string) => new Set(text.split(' '));

/** Names of the ID of whatever was written, in the form `plainName` gives. */
const anyId = words('id newid insertid insertedid lastid lastinsertid createdid recordid');

/** Names of a record and of its ID. An ID under another name, such as `source_id`, is that of something else. */
const recordNames: Readonly<Record<WrittenRecord, { id: ReadonlySet<string>; noun: ReadonlySet<string> }>> = {
  landing_page: {
    id: words('lpid landingid landingpageid pageid'),
    noun: words('lp landing landingpage page'),
  },
  offer: { id: words('offerid'), noun: words('offer') },
  campaign_page: { id: words('pageid campaignpageid'), noun: words('page campaignpage') },
  campaign: { id: words(''), noun: words('campaign') },
};

const everyRecord = {
  id: new Set(Object.values(recordNames).flatMap(({ id }) => [...id])),
  noun: new Set(Object.values(recordNames).flatMap(({ noun }) => [...noun])),
};

/** Parts of an answer about records that were not written. */
const otherRecords = words('campaign source offersource trafficsource network user account request category');

/**
 * Reads what a management endpoint answers on success: OK or an ID, as text, number, JSON string, or wrapped in fields.
 *
 * @returns undefined where the answer is neither, so that nothing is taken for a success that is not one
 */
export function findReceipt(tree: Tree, written: Written, depth = 0): FoundReceipt | undefined {
  if (depth > maxWrapperDepth || tree === null) return undefined;
  if (isLeaf(tree)) return receiptOfText(String(tree), written.kind);
  if (isList(tree)) return tree.length === 1 ? findReceipt(tree[0] ?? null, written, depth + 1) : undefined;
  const fields = Object.entries(tree);
  const others = (field: Field) => fields.filter((other) => other !== field);
  const own = ownId(fields, written);
  if (own) return { id: String(own[1]).trim(), beside: others(own) };
  for (const field of innerFields(fields, written)) {
    const found = findReceipt(field[1], written, depth + 1);
    if (found && (found.id !== null || fields.length === 1)) {
      return { id: found.id, beside: [...others(field), ...found.beside] };
    }
  }
  const texts = fields.filter(([, value]) => isLeaf(value) && !isEmpty(value));
  // A container such as `result` may hold the ID itself; a count such as `affected_rows` only looks like one.
  const held = texts.flatMap((field) => {
    const [name, value] = field;
    const receipt = receiptOfText(String(value), written.kind);
    const isUsable = receipt && (holdsAnswer(name, written) || (!isId(String(value)) && !isAboutSuccess(name)));
    return isUsable ? [{ ...receipt, beside: [...others(field), ...receipt.beside] }] : [];
  });
  const best = held.find(({ id }) => id !== null) ?? held[0];
  if (best) return best;
  const saysYes = ([name, value]: Field) => isAboutSuccess(name) && isSuccessPhrase(String(value));
  const [only] = texts;
  // `{"error": false}`, and nothing else
  const saysNoError = only && texts.length === 1 && reportsNoError(...only) && /^(0|false)$/.test(String(only[1]));
  // `<OK/>`, `<response><ok/></response>`
  const isYes = fields.length === 1 && fields.every(([name, value]) => isEmpty(value) && isSuccessWord(name));
  return texts.some(saysYes) || saysNoError || isYes ? { id: null, beside: fields } : undefined;
}

/** A bare answer: an ID, or words that mean success, with or without the ID in them. */
function receiptOfText(text: string, kind: ReceiptKind): FoundReceipt | undefined {
  // Where OK is promised, a bare 1 means yes.
  if (isId(text) && !(kind === 'ok' && text.trim() === '1')) return { id: text.trim(), beside: [] };
  const found =
    /^(?:ok|success|(?:new )?id|[\w ]{0,40} added[\w ]{0,20}\bid)\s*[:=,#|-]?\s*(\d{1,19})\s*(?:[.!]?$|[,;.]\s+(.{1,500})$)/i.exec(
      text.trim(),
    );
  const [, id = '', rest = ''] = found ?? [];
  if (isId(id) && !isFailurePhrase(rest)) return { id, beside: rest === '' ? [] : [['text', rest]] };
  return isSuccessPhrase(text) ? { id: null, beside: [] } : undefined;
}

function isId(text: string): boolean {
  return /^\s*(?!0+\s*$)\d{1,19}\s*$/.test(text);
}

function isAboutSuccess(name: string): boolean {
  return isMeta(name) || isSuccessWord(name);
}

/** Whether a name is that of a wrapper or of what was written, so that a number under it is its ID. */
function holdsAnswer(name: string, { record }: Written): boolean {
  const { noun } = record ? recordNames[record] : everyRecord;
  return isContainer(name) || noun.has(plainName(name));
}

/** The ID of the record itself: where a page was placed, `pageid` before the `id` of what it was made from. */
function ownId(fields: readonly Field[], { record }: Written): Field | undefined {
  const { id: ofRecord } = record ? recordNames[record] : everyRecord;
  const ids = fields.filter(([, value]) => isLeaf(value) && isId(String(value)));
  const named = (names: ReadonlySet<string>) => ids.find(([name]) => names.has(plainName(name)));
  return record ? (named(ofRecord) ?? named(anyId)) : (named(anyId) ?? named(ofRecord));
}

/** Where an ID may be inside: under the record's name first, then in wrappers, or in the only part there is. */
function innerFields(fields: readonly Field[], written: Written): readonly Field[] {
  const nested = fields.filter(([, value]) => !isLeaf(value));
  const { noun } = written.record ? recordNames[written.record] : everyRecord;
  const ofRecord = nested.filter(([name]) => noun.has(plainName(name)));
  const wrappers = nested.filter(([name]) => !noun.has(plainName(name)) && isContainer(name));
  const unknown = nested.filter(([name]) => !holdsAnswer(name, written) && !otherRecords.has(plainName(name)));
  return [...ofRecord, ...wrappers, ...(nested.length === 1 ? unknown : [])];
}
