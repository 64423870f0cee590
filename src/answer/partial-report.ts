/** A report whose rows leave out visits: those that reached none of its pages. Money is in the tracker's currency. */
export type PartialReport = {
  readonly report: 'offer' | 'landing';
  /** Undefined if the campaign's own report is not known. */
  readonly sums?: {
    readonly rows: { readonly cost: number; readonly profit: number };
    readonly campaign: { readonly cost: number; readonly profit: number };
  };
};

const missing = { offer: 'visits that reached no offer', landing: 'visits that saw no landing page' } as const;

export function sayPartialReport({ report, sums }: PartialReport): string {
  const without = `Without the ${missing[report]}`;
  if (!sums) return `${without}, and their cost.`;
  const { rows, campaign } = sums;
  const [here, whole] = [rows, campaign].map(({ cost, profit }) => [cost.toFixed(2), profit.toFixed(2)] as const);
  return `${without}: cost ${here?.[0]} and profit ${here?.[1]} here, ${whole?.[0]} and ${whole?.[1]} in the whole campaign.`;
}
