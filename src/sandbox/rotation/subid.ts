import type { Random } from './random.ts';

const alphabet = 36;
const half = alphabet ** 4;

/** What a SubID says; "Other resources", Visitor / click. */
interface SubidParts {
  readonly campaignId: number;
  readonly clickId: number;
}

/** A new SubID `ssssssss_ccc_nnnnnnnn`: eight random letters and digits, the campaign ID, the click ID in eight digits. */
export function makeSubid({ campaignId, clickId }: SubidParts, random: Random): string {
  return `${randomHalf(random)}${randomHalf(random)}_${campaignId}_${String(clickId).padStart(8, '0')}`;
}

/** @returns the parts of a SubID, or undefined where the text has not the shape of one */
export function parseSubid(subid: string): SubidParts | undefined {
  const parts = /^[A-Za-z0-9]{1,32}_(\d{1,9})_(\d{1,15})$/.exec(subid);
  return parts ? { campaignId: Number(parts[1]), clickId: Number(parts[2]) } : undefined;
}

function randomHalf(random: Random): string {
  return Math.floor(random() * half)
    .toString(alphabet)
    .padStart(4, '0');
}
