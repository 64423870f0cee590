/**
 * The slots of a visit that the tokens of a traffic source fill, and where a tracker names them; "Resources and their fields",
 * Traffic source, and the `grcols` of "Stats".
 */

/** The slots without a meaning of their own: each traffic source gives them one. */
export const extraSlots = [
  'Extra1',
  'Extra2',
  'Extra3',
  'Extra4',
  'Extra5',
  'Extra6',
  'Extra7',
  'Extra8',
  'Extra9',
  'Extra10',
  'Extra11',
  'Extra12',
  'Extra13',
  'Extra14',
  'Extra15',
] as const;

/** All slots, in the order a tracker shows them. */
export const tokenSlots = ['Keyword', 'AdValue', 'Cost', 'ExternalID', ...extraSlots] as const;
export type TokenSlot = (typeof tokenSlots)[number];

/** The columns of the campaign list that say which token fills a slot: what it is called, and its placeholder in links. */
export function tokenColumns(slot: TokenSlot): { readonly name: string; readonly placeholder: string } {
  const [, word = slot, number = ''] = /^(Extra)(\d+)$/.exec(slot) ?? [];
  return { name: `${word}TokenName${number}`, placeholder: `${word}TokenParam${number}` };
}
