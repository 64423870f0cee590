/** Slots that each traffic source gives a meaning. */
export const extraSlots = [
  ...(['Extra1', 'Extra2', 'Extra3', 'Extra4', 'Extra5', 'Extra6', 'Extra7', 'Extra8'] as const),
  ...(['Extra9', 'Extra10', 'Extra11', 'Extra12', 'Extra13', 'Extra14', 'Extra15'] as const),
] as const;

/**
 * All slots of a visit for the tokens of a traffic source, in the order of a tracker ("Resources and their fields", Traffic
 * source, and the `grcols` of "Stats").
 */
export const tokenSlots = ['Keyword', 'AdValue', 'Cost', 'ExternalID', ...extraSlots] as const;
export type TokenSlot = (typeof tokenSlots)[number];

/** The columns of the campaign list for the token in a slot: its name, and its placeholder in links. */
export function tokenColumns(slot: TokenSlot): { readonly name: string; readonly placeholder: string } {
  const [, word = slot, number = ''] = /^(Extra)(\d+)$/.exec(slot) ?? [];
  return { name: `${word}TokenName${number}`, placeholder: `${word}TokenParam${number}` };
}
