import { fromOutside, mention } from '../../api/text/tracker-text.ts';
import { otherForm, readGivenSubid } from '../given-subids.ts';
import { clickNumberOf } from '../visit-story.ts';

/** Finds the visitor that a subID of a statement is about among those who converted. */
export class Visitors {
  readonly #subids: ReadonlySet<string>;
  readonly #byLowerCase: ReadonlyMap<string, string>;
  /** By the ClickID without the zeros ahead of it. */
  readonly #byClick: UniqueSubids;
  readonly #rounded = new Map<number, UniqueSubids>();
  readonly #hasWhole: boolean;

  /** @param sales the conversions, by the subIDs of their visitors */
  constructor(sales: readonly { readonly subid: string }[]) {
    this.#subids = new Set(sales.map(({ subid }) => subid));
    this.#byLowerCase = new Map([...this.#subids].map((subid) => [subid.toLowerCase(), subid]));
    this.#byClick = uniqueBy(this.#subids, clickNumberOf);
    this.#hasWhole = sales.some(({ subid }) => subid.includes('_'));
  }

  /** The visitor of a whole subID or a ClickID. */
  find(subid: string): string | undefined {
    if (!subid.includes('_') || !this.#hasWhole) return this.withClick(subid);
    return this.#subids.has(subid) ? subid : this.#byLowerCase.get(subid.toLowerCase());
  }

  /** The one visitor with a ClickID, whatever stands ahead of it. */
  withClick(subid: string): string | undefined {
    return this.#byClick.get(clickNumberOf(subid));
  }

  /** The one visitor whose ClickID a spreadsheet shows as this, such as 1.23E+11; undefined if several could be it. */
  rounded(cell: string): string | undefined {
    const [, whole = '', decimals = '', exponent = ''] = scientific.exec(cell.trim()) ?? [];
    const digits = decimals.length;
    const known =
      this.#rounded.get(digits) ??
      uniqueBy(this.#subids, (subid) => Number(clickNumberOf(subid)).toExponential(digits));
    this.#rounded.set(digits, known);
    return known.get(`${whole}${digits > 0 ? `.${decimals}` : ''}e+${Number(exponent)}`);
  }
}

/** Undefined where several visitors have the key. */
type UniqueSubids = ReadonlyMap<string, string | undefined>;

function uniqueBy(subids: ReadonlySet<string>, keyOf: (subid: string) => string): UniqueSubids {
  const unique = new Map<string, string | undefined>();
  for (const subid of subids) {
    const key = keyOf(subid);
    unique.set(key, unique.has(key) ? undefined : subid);
  }
  return unique;
}

const scientific = /^(\d)(?:[.,](\d+))?e\+?(\d{1,2})$/i;

/** What a cell of the subID column says. */
export interface Reading {
  /** The visitor by the tracker's own subID, if it lists a conversion of them. */
  readonly visitor?: string | undefined;
  /** The subID, if the cell holds one that the tracker lists no conversion of. */
  readonly subid?: string | undefined;
  /** What a cell is that holds none. */
  readonly class?: 'other_tracker' | 'unreadable';
  readonly about: readonly string[];
}

/** Reads a cell; what is wrong with it is said, and nothing is guessed unless only one visitor fits. */
export function readSubidCell(cell: string, visitors: Visitors): Reading {
  const text = cell.trim();
  // Nearly all cells are subIDs and nothing else.
  if (visitors.find(text) === text) return { visitor: text, about: [] };
  const { subid, clickId, remarks } = readGivenSubid(cell);
  if (subid !== undefined) {
    const visitor = visitors.find(subid);
    if (visitor !== undefined) return { visitor, about: [...remarks, ...written(subid, visitor)] };
    const other = subid.includes('_') ? visitors.withClick(subid) : undefined;
    return {
      subid,
      about: other === undefined ? remarks : [...remarks, `the tracker has this ClickID as ${say(other)}`],
    };
  }
  const visitor = clickId === undefined ? visitors.rounded(text) : visitors.withClick(clickId);
  if (visitor !== undefined)
    return { visitor, about: [...remarks, `the only ClickID that fits is that of ${say(visitor)}`] };
  if (remarks.at(-1) === otherForm)
    return { class: 'other_tracker', about: ['not of the form of this tracker’s subIDs'] };
  return { class: 'unreadable', about: [`subID: ${remarks.join(', ')}`] };
}

/** A text of a statement in a sentence. */
export function say(subid: string): string {
  return mention(fromOutside(subid), 100);
}

/** How a statement writes a subID that the tracker writes otherwise. */
function written(subid: string, visitor: string): string[] {
  if (subid === visitor) return [];
  if (subid.toLowerCase() === visitor.toLowerCase()) return [`letter case differs: ${say(visitor)}`];
  const [own, theirs] = [visitor.split('_').at(-1) ?? '', subid.split('_').at(-1) ?? ''];
  return own.length > theirs.length ? [`zeros of the ClickID lost, as in Excel: ${say(visitor)}`] : [];
}
