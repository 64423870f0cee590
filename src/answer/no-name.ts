/** What a row without a name is called, by what its rows are. */
const words: Readonly<Record<string, string>> = {
  offer: '(no offer reached)',
  landing_page: '(no landing page)',
  keyword: '(no keyword)',
  ad: '(no ad)',
  network: '(no network)',
  traffic_source: '(no traffic source)',
  page: '(no page name)',
};

/** @param dimension such as landing_page, or the name of a token or column */
export function noNameOf(dimension: string): string {
  return words[dimension] ?? `(no ${dimension.replaceAll('_', ' ').trim()})`;
}
