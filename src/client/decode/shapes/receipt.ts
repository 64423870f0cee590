import type { ReplyKind, WrittenRecord } from '../../../api/endpoints.ts';
import { nameOf } from '../../../api/vocabulary.ts';
import { reportsNoError } from '../complaint.ts';
import { type Field, isEmpty, isLeaf, isList, maxWrapperDepth, type Tree } from '../tree.ts';
import {
  isContainer,
  isFailurePhrase,
  isMeta,
  isStatusName,
  isSuccessPhrase,
  isSuccessWord,
  isWaitingWord,
  isYes,
} from '../words.ts';
import { readByFirst, type Shape } from './build-table.ts';

type ReceiptKind = Extract<ReplyKind, 'id' | 'ok'>;

/** What the specification promises for a successful write, and the kind of record that it writes. */
export interface Written {
  readonly kind: ReceiptKind;
  readonly record?: WrittenRecord | undefined;
}

/** A receipt, and the other fields next to it. */
export interface FoundReceipt {
  /** The ID that the tracker gave; null if it gave none. */
  readonly id: string | null;
  readonly extra: readonly Field[];
  readonly shape?: string;
}

type IsName = (name: string) => boolean;

interface NamesOfRecord {
  readonly noun: IsName;
  readonly id: IsName;
}

const namesOf: Readonly<Record<WrittenRecord, NamesOfRecord>> = {
  landing_page: { noun: nameOf('landing_page', 'noun'), id: nameOf('landing_page', 'id') },
  offer: { noun: nameOf('offer', 'noun'), id: nameOf('offer', 'id') },
  campaign_page: { noun: nameOf('campaign_page', 'noun'), id: nameOf('campaign_page', 'id') },
  campaign: { noun: nameOf('campaign', 'noun'), id: nameOf('campaign', 'id') },
};

/** For a write of an unknown kind of record. */
const anyNames: NamesOfRecord = {
  noun: (name) => Object.values(namesOf).some(({ noun }) => noun(name)),
  id: (name) => Object.values(namesOf).some(({ id }) => id(name)),
};

const namesFor = ({ record }: Written) => (record ? namesOf[record] : anyNames);

const isAnyId = nameOf('record', 'id');
const isOtherRecord = nameOf('record', 'other');

interface Subject {
  readonly fields: readonly Field[];
  /** The fields with a plain value. */
  readonly texts: readonly Field[];
  readonly written: Written;
  readonly depth: number;
  /** All fields but one. */
  readonly others: (field: Field) => readonly Field[];
}

/** Records that mean success. */
export const receiptShapes: readonly Shape<Subject, FoundReceipt>[] = [
  {
    name: 'the record’s ID',
    examples: ['{"Status":"OK","ID":"12"}'],
    read: ({ fields, written, others }) => {
      const idField = ownId(fields, written);
      return idField && { id: String(idField[1]).trim(), extra: others(idField) };
    },
  },
  {
    name: 'wrapper',
    examples: ['{"Status":"OK","offer":{"ID":"12"}}'],
    read: ({ fields, written, depth, others }) => {
      for (const field of innerFields(fields, written)) {
        const found = findReceipt(field[1], written, depth + 1);
        if (found && (found.id !== null || fields.length === 1)) {
          return { ...found, extra: [...others(field), ...found.extra] };
        }
      }
      return undefined;
    },
  },
  {
    name: 'an answer under a name',
    examples: ['{"result":"12"}', '{"result":"OK"}'],
    read: ({ texts, written, others }) => {
      // A container such as `result` may hold the ID itself; a count such as `affected_rows` may not.
      const held = texts.flatMap((field) => {
        const [name, value] = field;
        const receipt = receiptOfText(String(value), written.kind);
        const isUsable =
          receipt &&
          (holdsAnswer(name, written) || (!isId(String(value)) && !isYes(String(value)) && !isAboutSuccess(name)));
        return isUsable ? [{ ...receipt, extra: [...others(field), ...receipt.extra] }] : [];
      });
      return held.find(({ id }) => id !== null) ?? held[0];
    },
  },
  {
    name: 'a yes',
    examples: ['{"Status":"OK"}'],
    read: ({ fields, texts }) =>
      texts.some(([name, value]) => isAboutSuccess(name) && isSuccessPhrase(String(value)))
        ? { id: null, extra: fields }
        : undefined,
  },
  {
    name: 'no error',
    examples: ['{"error":false}'],
    read: ({ fields, texts: [only, ...more] }) =>
      only && more.length === 0 && reportsNoError(...only) && /^(0|false)$/.test(String(only[1]))
        ? { id: null, extra: fields }
        : undefined,
  },
  {
    name: 'a yes as an element',
    examples: ['<OK/>'],
    read: ({ fields }) =>
      fields.length === 1 && fields.every(([name, value]) => isEmpty(value) && isSuccessWord(name))
        ? { id: null, extra: fields }
        : undefined,
  },
];

/**
 * Reads the answer to a successful write: OK or an ID, as text, number, JSON string, or wrapped in fields.
 *
 * @returns undefined for any other answer, so that nothing else counts as success
 */
export function findReceipt(tree: Tree, written: Written, depth = 0): FoundReceipt | undefined {
  if (depth > maxWrapperDepth || tree === null) return undefined;
  if (isLeaf(tree)) return receiptOfText(String(tree), written.kind);
  if (isList(tree)) return tree.length === 1 ? findReceipt(tree[0] ?? null, written, depth + 1) : undefined;
  const fields = Object.entries(tree);
  const isWaiting = ([name, value]: Field) => isStatusName(name) && isLeaf(value) && isWaitingWord(String(value));
  if (fields.some(isWaiting)) return undefined;
  return readByFirst(receiptShapes, {
    fields,
    texts: fields.filter(([, value]) => isLeaf(value) && !isEmpty(value)),
    written,
    depth,
    others: (field) => fields.filter((other) => other !== field),
  });
}

/** A bare answer: an ID, or words that mean success, maybe with the ID in them. */
function receiptOfText(text: string, kind: ReceiptKind): FoundReceipt | undefined {
  // If OK is promised, a bare 1 means yes.
  if (isId(text) && !(kind === 'ok' && text.trim() === '1')) return { id: text.trim(), extra: [], shape: 'an ID' };
  const found =
    /^(?:ok|success|(?:new )?id|[\w ]{0,40} added[\w ]{0,20}\bid)\s*(?:[:=,#|-]\s*)?(\d{1,19})\s*(?:[.!]?$|[,;.]\s+(.{1,500})$)/i.exec(
      text.trim(),
    );
  const [, id = '', rest = ''] = found ?? [];
  if (isId(id) && !isFailurePhrase(rest))
    return { id, extra: rest === '' ? [] : [['text', rest]], shape: 'an ID in words' };
  return isSuccessPhrase(text) ? { id: null, extra: [], shape: 'a yes in words' } : undefined;
}

function isId(text: string): boolean {
  return /^\s*(?!0+\s*$)\d{1,19}\s*$/.test(text);
}

function isAboutSuccess(name: string): boolean {
  return isMeta(name) || isSuccessWord(name);
}

/** Whether a number under this name is the ID: the name of a wrapper or of the written record. */
function holdsAnswer(name: string, written: Written): boolean {
  return isContainer(name) || namesFor(written).noun(name);
}

/** The ID of the written record: for a placed page, `pageid` comes before the `id` of its predefined record. */
function ownId(fields: readonly Field[], written: Written): Field | undefined {
  const { id: isIdOfRecord } = namesFor(written);
  const ids = fields.filter(([, value]) => isLeaf(value) && isId(String(value)));
  const named = (isName: IsName) => ids.find(([name]) => isName(name));
  return written.record ? (named(isIdOfRecord) ?? named(isAnyId)) : (named(isAnyId) ?? named(isIdOfRecord));
}

/** Where an ID may be nested: under the record's name first, then in wrappers, then in the only nested field. */
function innerFields(fields: readonly Field[], written: Written): readonly Field[] {
  const nested = fields.filter(([, value]) => !isLeaf(value));
  const { noun: isNoun } = namesFor(written);
  const records = nested.filter(([name]) => isNoun(name));
  const wrappers = nested.filter(([name]) => !isNoun(name) && isContainer(name));
  const unknown = nested.filter(([name]) => !holdsAnswer(name, written) && !isOtherRecord(name));
  return [...records, ...wrappers, ...(nested.length === 1 ? unknown : [])];
}
