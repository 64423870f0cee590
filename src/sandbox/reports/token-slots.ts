/** The slots a traffic source's token can fill, in the order the tracker shows them. */
export const extraSlots: readonly string[] = Array.from({ length: 15 }, (_, index) => `Extra${index + 1}`);

const columnOfOtherSlot = { Keyword: 'keyword', AdValue: 'ad_value', Cost: 'cost', ExternalID: 'external_id' };

/** Each slot and the column of `visits` that keeps its value. */
export const tokenSlots: readonly { readonly slot: string; readonly column: string }[] = [
  ...Object.entries(columnOfOtherSlot).map(([slot, column]) => ({ slot, column })),
  ...extraSlots.map((slot) => ({ slot, column: slot.toLowerCase() })),
];
