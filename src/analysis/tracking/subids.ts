import { campaignIn } from '../given-subids.ts';

/** What may be wrong with the subID of a visit or a sale. */
export const subidFaults = ['cut_subid', 'doubled_subid', 'other_campaigns_subid'] as const;
export type SubidFault = (typeof subidFaults)[number];

/** How nearly all subIDs of an account are written. */
export interface SubidForm {
  /** The length of the first part, and the digits of the ClickID. */
  readonly letters: number;
  readonly digits: number;
}

/** What nearly all of an account's whole subIDs are, is its rule, if most are whole: ClickIDs may get a digit more on one day. */
const [minPart, minWhole, minSubids] = [0.9, 0.5, 50];

/** Learns the form from distinct subIDs; undefined if they have no common one. */
export function formOf(subids: readonly string[]): SubidForm | undefined {
  const counts = new Map<string, number>();
  let whole = 0;
  for (const subid of subids) {
    if (!/^[A-Za-z0-9]+_\d+_\d+$/.test(subid)) continue;
    const form = `${subid.indexOf('_')} ${subid.length - subid.lastIndexOf('_') - 1}`;
    counts.set(form, (counts.get(form) ?? 0) + 1);
    whole += 1;
  }
  const [[form = '', count = 0] = []] = [...counts].sort(([, one], [, other]) => other - one);
  if (count < Math.max(minSubids, minPart * whole) || whole < minWhole * subids.length) return undefined;
  const [letters = 0, digits = 0] = form.split(' ').map(Number);
  return { letters, digits };
}

/** What is wrong with a subID of a campaign; undefined if nothing is, or it is not of the tracker's form at all. */
export function subidFault(subid: string, campaignId: string, form: SubidForm): SubidFault | undefined {
  const end = form.letters + 1 + campaignId.length;
  const isOwn = subid[form.letters] === '_' && subid[end] === '_' && subid.startsWith(campaignId, form.letters + 1);
  if (isOwn && subid.length === end + 1 + form.digits) return undefined;
  const own = campaignIn(subid);
  const [letters = '', , click = ''] = subid.split('_');
  if (own !== undefined && letters.length === form.letters && click.length >= form.digits) {
    if (own !== campaignId) return 'other_campaigns_subid';
    return click === click.slice(0, click.length / 2).repeat(2) && click.length === 2 * form.digits
      ? 'doubled_subid'
      : undefined;
  }
  const whole = new RegExp(`[A-Za-z0-9]{${form.letters}}_\\d+_\\d{${form.digits}}`, 'g');
  if ((subid.match(whole) ?? []).length > 1) return 'doubled_subid';
  const isStart =
    /^[A-Za-z0-9]+(?:_\d*)?(?:_\d*)?$/.test(subid) && (letters.length === form.letters || subid.length < form.letters);
  // ClickIDs of before they got a digit more begin with a 9.
  const isOlder = click.startsWith('9') && click.length === form.digits - 1;
  const isCut = isStart && click.length < form.digits && !isOlder && !/^\d+$/.test(subid);
  return isCut || (/^[A-Za-z0-9]*_\d+_\d+$/.test(subid) && letters.length < form.letters) ? 'cut_subid' : undefined;
}
