import { plainName } from '../../api/text/names.ts';
import { findPayload, type Payload, type Question } from './shapes/find-payload.ts';
import { type Field, isEmpty, isLeaf, isList, maxWrapperDepth, type Tree, toCell } from './tree.ts';
import {
  deniesAccess,
  findComplaint,
  isAbout,
  isClearlyError,
  isFailure,
  maxQuotationLength,
  meansNothing,
} from './verdict/complaint.ts';
import { isErrorName, isFailureWord, isOutcomeName, isPlainMessageName, isStatusName, isSuccessName } from './words.ts';

/**
 * What an answer says about itself, around what it carries. Each part is worked out when a verdict first asks for it, and
 * once.
 */
export class Envelope {
  readonly tree: Tree;
  readonly question: Question;
  readonly #known = new Map<string, unknown>();

  constructor(tree: Tree, question: Question) {
    this.tree = tree;
    this.question = question;
  }

  get isWrite(): boolean {
    return this.question.reply === 'id' || this.question.reply === 'ok';
  }

  /** The words with which the answer says, and says alone, that there is no access. */
  get denial(): string | undefined {
    return this.#once('denial', () => deniesAccess(this.tree));
  }

  /** What the answer carries, if that could be what was asked for. */
  get payload(): Payload | undefined {
    return this.#once('payload', () => findPayload(this.tree, this.question));
  }

  /** The ID in the answer to a write. */
  get id(): string | null {
    return this.payload?.kind === 'receipt' ? this.payload.id : null;
  }

  /**
   * The error in the tracker's own words, '' if it gave none. What was asked for outweighs it, unless the answer says
   * clearly that it failed.
   */
  get complaint(): string | undefined {
    return this.#once('complaint', () => {
      const isError = () => (this.isWrite ? this.#failedDespiteId() : isClearlyError(this.tree));
      if (this.payload?.holdsData && !isError()) return undefined;
      return findComplaint(this.tree)?.slice(0, maxQuotationLength);
    });
  }

  /** What the answer says as a whole: the fields inside the wrappers that hold nothing else. */
  get fields(): readonly Field[] {
    return this.#once('fields', () => fieldsInside(this.tree));
  }

  /** The plain values of these fields but the ID, which may stand under the name of a status. */
  get texts(): readonly Text[] {
    return this.#once('texts', () =>
      this.fields.flatMap(([name, value]) => {
        const text = isLeaf(value) ? String(value).trim() : null;
        return text === null || text === this.id ? [] : [{ name: plainName(name), text }];
      }),
    );
  }

  /** The fields that say how the request went, the ID among them. */
  get outcomes(): readonly Text[] {
    return this.#once('outcomes', () =>
      this.fields.flatMap(([name, value]) =>
        isOutcomeName(name) && isLeaf(value) ? [{ name: plainName(name), text: String(value).trim() }] : [],
      ),
    );
  }

  /** Whether the answer states that the request failed, in words or by `false` alone. */
  get statesFailure(): boolean {
    return this.tree === false || this.fields.some(statesFailure);
  }

  /** All that a short answer says, to be quoted. */
  get words(): string {
    return (toCell(this.tree) ?? '').slice(0, maxQuotationLength);
  }

  /** An ID may be an echo of what was asked. */
  #failedDespiteId(): boolean {
    const { fields } = this;
    if (fields.some(statesFailure)) return true;
    const hasMessage = fields.some(([name, value]) => isPlainMessageName(name) && !meansNothing(value));
    const failed = fields.some(
      ([name, value]) => isStatusName(name) && isLeaf(value) && isFailure(name, String(value)),
    );
    return hasMessage && (failed || fields.every(([name]) => isAbout(name)));
  }

  #once<Part>(name: string, find: () => Part): Part {
    if (!this.#known.has(name)) this.#known.set(name, find());
    return this.#known.get(name) as Part;
  }
}

/** A plain value, trimmed, under its name in the form `plainName` gives. */
interface Text {
  readonly name: string;
  readonly text: string;
}

export const isCode = (name: string) => /code$/.test(plainName(name));

/** Among codes 0 means no error, and 1 may be one. */
export const isGoodCode = (name: string, text: string) => isCode(name) && /^(0|2\d\d)$/.test(text);

function fieldsInside(tree: Tree, depth = 0): readonly Field[] {
  if (depth > maxWrapperDepth || isLeaf(tree)) return [];
  if (isList(tree)) return tree.length === 1 ? fieldsInside(tree[0] ?? null, depth + 1) : [];
  const fields = Object.entries(tree).filter(([, value]) => !isEmpty(value));
  const [only] = fields;
  const isWrapper = fields.length === 1 && only && !isLeaf(only[1]) && !isErrorName(only[0]);
  return isWrapper ? fieldsInside(only[1], depth + 1) : fields;
}

/** Whether a field states that the request failed. */
function statesFailure([name, value]: Field): boolean {
  return isErrorName(name) ? !meansNothing(value) : isLeaf(value) && saysFailed(name, String(value));
}

/** A status that can mean nothing but that a write failed: a word such as `disabled` may be the state of its record. */
function saysFailed(name: string, value: string): boolean {
  const isNo = isSuccessName(name) && /^(0|no)$/i.test(value.trim());
  return isOutcomeName(name) && (isNo || isFailureWord(value) || /^[45]\d\d$/.test(value.trim()));
}
