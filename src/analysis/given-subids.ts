import { fromOutside, quoted } from '../api/text/tracker-text.ts';

/** What somebody gave as a subID, such as a cell of a network's statement, as it was read. */
export interface GivenSubid {
  /** A SubID or ClickID as a tracker takes it; undefined if none can be read without a guess. */
  readonly subid: string | undefined;
  /** The ClickID alone, if what stood ahead of it is missing. */
  readonly clickId?: string;
  /** What was wrong with it, a few words each. */
  readonly remarks: readonly string[];
}

const subidOrClickId = /^(?:[A-Za-z0-9]+_\d+_)?\d+$/;
/** A whole subID inside another text: not the middle of a longer word. */
export const wholeSubid = /(?<![A-Za-z0-9_])[A-Za-z0-9]+_\d+_\d+(?![A-Za-z0-9_])/;
const clickIdInUrl = /[?&](?:subid|clickid|click_id|cid)=(\d+)(?=&|#|$)/i;
/** Spaces of any kind, and characters of no width that come along from web pages. */
const spaces = /[\s\u200b-\u200d\u2060\ufeff]+/g;

/** The digits that the specification's formats of a ClickID have (`nnnnnnnn`). */
export const usualDigits = 8;

/** What is said of a text that is of no known form, and so may be another tracker's. */
export const otherForm = 'no SubID (letters and digits_campaign ID_ClickID)';

/** What an unreadable text looks like, the surest first, and what that means. */
const unreadable: readonly (readonly [RegExp, string])[] = [
  [/^$/, 'empty'],
  [/^[-+]?\d+(?:[.,]\d+)?e\+?\d+$/i, 'rounded by Excel, its digits are lost: export the column as text'],
  [/^[A-Za-z0-9]+_\d*_?$/, 'cut off: the ClickID at the end is missing'],
  [/^(?:null|none|nil|undefined|unknown|n\/?a|-+|test)$|[{}[\]#%]/i, 'a placeholder in its place'],
  [/^[=+@]/, 'a formula in its place'],
];

/** Reads a given text; what is around a subID is left out and said, and nothing is guessed. */
export function readGivenSubid(text: string): GivenSubid {
  const remarks: string[] = [];
  const ends = text.replace(new RegExp(`^${spaces.source}|${spaces.source}$`, 'g'), '');
  if (ends !== text && ends !== '') remarks.push('spaces around it');
  // ="00000345" and '00000345 are how a spreadsheet is made to keep zeros.
  const bare = ends.replace(/^=?["'’`]+|["'’`]+$/g, '');
  if (bare !== ends) remarks.push('quotation marks around it');
  const joined = bare.replace(spaces, '');
  if (joined !== bare && isSubid(joined)) return { subid: joined, remarks: [...remarks, 'spaces inside it'] };
  if (isSubid(bare)) return { subid: bare, remarks };
  const inside = takeOut(bare, remarks);
  if (inside) return inside;
  const decimals = /^(\d+)[.,]0{1,2}$/.exec(bare)?.[1];
  if (decimals !== undefined) return { subid: decimals, remarks: [...remarks, 'written as a decimal number'] };
  const clickId = /^_?(?:\d*_)?(\d+)$/.exec(bare)?.[1];
  if (clickId !== undefined) return { subid: undefined, clickId, remarks: [...remarks, 'its beginning is missing'] };
  const reason = unreadable.find(([pattern]) => pattern.test(bare))?.[1];
  return { subid: undefined, remarks: [...remarks, reason ?? otherForm] };
}

function isSubid(text: string): boolean {
  return text.length <= 100 && subidOrClickId.test(text);
}

/** The one subID in a URL or another text; undefined if there is none. */
function takeOut(text: string, remarks: readonly string[]): GivenSubid | undefined {
  const plain = decoded(text);
  const found = [...new Set(plain.match(new RegExp(wholeSubid, 'g')) ?? [])].filter(isSubid);
  const [subid = clickIdInUrl.exec(plain)?.[1], other] = found;
  if (subid === undefined) return undefined;
  if (other !== undefined) return { subid: undefined, remarks: [...remarks, `${found.length} subIDs in one text`] };
  const around = /:\/\/|[?&=]/.test(plain) ? 'a URL' : 'text';
  return { subid, remarks: [...remarks, `${around} around it: read as ${quoted(fromOutside(subid))}`] };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The campaign ID in the middle of a whole subID. */
export function campaignIn(subid: string): string | undefined {
  return /^[^_]*_0*(\d+)_[^_]*$/.exec(subid)?.[1];
}

/** What is odd about the form of a subID, beside the one that a tracker has of the same ClickID; empty if nothing is. */
export function lostZeros(given: string, own: string): string[] {
  const [short, long] = [given, own].map((text) => text.split('_').at(-1) ?? '');
  const lost = (long ?? '').length - (short ?? '').length;
  if (lost <= 0) return [];
  return [`${lost} leading zero${lost === 1 ? '' : 's'} of the ClickID lost, as in Excel: ${quoted(fromOutside(own))}`];
}
