/** A report whose rows leave out visits: those that reached none of its pages. Money is in the tracker's currency. */
export type PartialReport = {
  readonly report: 'offer' | 'landing';
  /** Undefined if the campaign's own report is not known. */
  readonly sums?: {
    readonly rows: { readonly cost: number; readonly profit: number };
    readonly campaign: { readonly cost: number; readonly profit: number };
  };
};

const without = { offer: 'Visits that reached no offer', landing: 'Visits that saw no landing page' } as const;

export function sayPartialReport({ report, sums }: PartialReport): string {
  const missing = `${without[report]} are in no row of the ${report} report, and neither is their cost`;
  if (!sums) return `${missing}: its totals are not those of the campaign, which the campaign report has.`;
  const [rows, campaign] = [sums.rows, sums.campaign].map(
    ({ cost, profit }) => `cost ${cost.toFixed(2)} and profit ${profit.toFixed(2)}`,
  );
  return `${missing}: its rows add up to ${rows}, the campaign has ${campaign}.`;
}
