import { toTable } from '../../support/tables.ts';

/** Three visitors, of whom two converted. */
export const visitors = toTable({
  name: 'visitors',
  columns: ['Date', 'SubID', 'Keyword', 'Cost', 'Views', 'Device', 'Country', 'Referrer', 'Tokens'],
  rows: [
    [
      ...['2026-11-01 10:15:00', 'ab_1_001', 'running shoes', '$0.10', '1', 'Mobile', 'US'],
      ...['https://news.example/a', '{"source":"push","bid":3}'],
    ],
    [
      ...['2026-11-01 10:45:00', 'ab_1_002', 'red shoes', '$0.20', '2', 'Mobile', 'DE'],
      ...['http://shop.example/', '{"source":"pop","bid":1}'],
    ],
    [
      ...['2026-11-02 23:00:00', 'ab_1_003', null, '$0.30', '1', 'Desktop', 'US'],
      ...['https://news.example/b', '{"source":"push","bid":2}'],
    ],
  ],
});

export const conversions = toTable({
  name: 'conversions',
  columns: ['SubID', 'Revenue', 'Date'],
  rows: [
    ['ab_1_002', '12.50', '2026-11-02 08:00:00'],
    ['ab_1_003', '7.25', '2026-11-03 09:30:00'],
  ],
});
