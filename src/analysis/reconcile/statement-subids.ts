import { fromOutside, mention } from '../../api/text/tracker-text.ts';
import { readGivenSubid } from '../given-subids.ts';
import { clickNumberOf } from '../visit-story.ts';

/** Finds the visitor that a subID of a statement is about among those who converted. */
export class Visitors {
  readonly #byId = new Map<string, string>();
  readonly #byLowerCase = new Map<string, string>();
  /** By the ClickID without the zeros ahead of it; several visitors have none of their own. */
  readonly #byClick = new Map<string, string | undefined>();
  readonly #clicks: string[] = [];
  readonly #rounded = new Map<number, Map<string, string | undefined>>();
  readonly #hasWhole: boolean;

  /** @param sales the conversions, by the subIDs of their visitors */
  constructor(sales: readonly { readonly subid: string }[]) {
    for (const { subid } of sales) {
      if (this.#byId.has(subid)) continue;
      this.#byId.set(subid, subid);
      this.#byLowerCase.set(subid.toLowerCase(), subid);
      const click = clickNumberOf(subid);
      this.#byClick.set(click, this.#byClick.has(click) ? undefined : subid);
      this.#clicks.push(subid);
    }
    this.#hasWhole = sales.some(({ subid }) => subid.includes('_'));
  }

  /** The visitor of a whole subID or a ClickID. */
  find(subid: string): string | undefined {
    const isWhole = subid.includes('_');
    if (isWhole && this.#hasWhole) return this.#byId.get(subid) ?? this.#byLowerCase.get(subid.toLowerCase());
    return this.#byClick.get(clickNumberOf(subid));
  }

  /** The one visitor with a ClickID, whatever stands ahead of it. */
  withClick(subid: string): string | undefined {
    return this.#byClick.get(clickNumberOf(subid));
  }

  /** The one visitor whose ClickID a spreadsheet shows as this, such as 1.23E+11; undefined if several could be it. */
  rounded(cell: string): string | undefined {
    const [, whole = '', decimals = '', exponent = ''] = scientific.exec(cell.trim()) ?? [];
    const digits = decimals.length;
    let known = this.#rounded.get(digits);
    if (!known) {
      known = new Map();
      for (const subid of this.#clicks) {
        const key = Number(clickNumberOf(subid)).toExponential(digits);
        known.set(key, known.has(key) ? undefined : subid);
      }
      this.#rounded.set(digits, known);
    }
    return known.get(`${whole}${digits > 0 ? `.${decimals}` : ''}e+${Number(exponent)}`);
  }
}

const scientific = /^(\d)(?:[.,](\d+))?e\+?(\d{1,2})$/i;

/** What stands in the place of a subID, and is none of any tracker. */
const notSubids: readonly (readonly [pattern: RegExp, problem: string])[] = [
  [/^$/, 'no subID'],
  [/^(?:null|none|nil|undefined|unknown|n\/?a|-+|test)$|[{}[\]#%]/i, 'a placeholder in the place of a subID'],
  [/^[=+@]/, 'a formula in the place of a subID'],
];

/** What a cell of the subID column says. */
export interface Reading {
  /** The visitor by the tracker's own subID, if it lists a conversion of them. */
  readonly visitor?: string | undefined;
  /** The subID, if the cell holds one that the tracker lists no conversion of. */
  readonly subid?: string | undefined;
  readonly kind: 'read' | 'foreign' | 'unreadable';
  readonly about: readonly string[];
}

/** Reads a cell; what is wrong with it is said, and nothing is guessed unless only one visitor fits. */
export function readSubidCell(cell: string, visitors: Visitors): Reading {
  const text = cell.trim();
  // Nearly all cells are subIDs and nothing else.
  const plain = visitors.find(text);
  if (plain !== undefined && plain === text) return { kind: 'read', visitor: plain, about: [] };
  if (scientific.test(text)) {
    const visitor = visitors.rounded(text);
    return visitor === undefined
      ? { kind: 'unreadable', about: ['the subID was rounded by a spreadsheet, its digits are lost'] }
      : {
          kind: 'read',
          visitor,
          about: [`rounded by a spreadsheet; the only ClickID that fits is that of ${say(visitor)}`],
        };
  }
  const { subid, clickId, remarks } = readGivenSubid(cell);
  if (subid !== undefined) {
    const visitor = visitors.find(subid);
    if (visitor !== undefined) return { kind: 'read', visitor, about: [...remarks, ...written(subid, visitor)] };
    const other = subid.includes('_') ? visitors.withClick(subid) : undefined;
    return {
      kind: 'read',
      subid,
      about: [...remarks, ...(other === undefined ? [] : [`the tracker has this ClickID as ${say(other)}`])],
    };
  }
  if (clickId !== undefined) {
    const visitor = visitors.withClick(clickId);
    return visitor === undefined
      ? { kind: 'unreadable', about: remarks }
      : { kind: 'read', visitor, about: [...remarks, `the only ClickID that fits is that of ${say(visitor)}`] };
  }
  const problem = notSubids.find(([pattern]) => pattern.test(text))?.[1];
  if (problem !== undefined) return { kind: 'unreadable', about: [problem] };
  if (/^no SubID/.test(remarks.at(-1) ?? ''))
    return { kind: 'foreign', about: ['not of the form of this tracker’s subIDs'] };
  return { kind: 'unreadable', about: [`subID: ${remarks.join(', ')}`] };
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
