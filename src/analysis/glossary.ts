/** What the columns of the reports mean, in the field's own words. A zero denominator gives 0. */
const terms: readonly (readonly [term: string, meaning: string])[] = [
  ['Views', 'Visitors who arrived from the ad; in the landing and offer reports those who reached the page'],
  ['Clicks', 'Clicks on the landing page’s call to action'],
  ['Subscribers', 'Visitors who opted in'],
  ['Conversions', 'Sales or leads that the network reported'],
  ['Cost', 'What the visits cost: the cost the link carries, else the campaign’s bid'],
  ['Revenue', 'What the conversions paid'],
  ['Profit (P/L)', 'Revenue - Cost'],
  ['CTR', 'Clicks / Views x 100, in percent'],
  ['CR', 'Conversions / Clicks x 100, in percent'],
  ['CPV', 'Cost / Views'],
  ['CPC', 'Cost / Clicks'],
  ['EPV', 'Revenue / Views'],
  ['EPC', 'Revenue / Clicks'],
  ['PPV', '(Revenue - Cost) / Views'],
  ['ROI', '(Revenue - Cost) / Cost x 100, in percent'],
  ['CPA', 'Cost / Conversions'],
  ['CPSUB', 'Cost / Subscribers'],
  [
    'SubID',
    'The mark of one visit: random letters and digits, campaign ID and click ID, joined by _; its last part is the ClickID',
  ],
  ['Share', 'A page’s part of the traffic among the active pages of the same level, path or option group'],
  ['Postback', 'The request by which a network reports a conversion'],
];

/** The glossary as a Markdown list. */
export function glossary(): string {
  return terms.map(([term, meaning]) => `- **${term}**: ${meaning}.`).join('\n');
}
