import { expect, test } from 'vitest';
import type { Change } from '../../src/guard/changes.ts';
import { loggedSteps } from '../../src/tools/outcomes/logged-changes.ts';
import { contextFor } from '../support/connect.ts';

const changeAt = (time: string): Change => ({
  ...{ id: time, time, tool: 'edit_campaign_page', client: 'test', undoneBy: undefined },
  steps: [
    {
      ...{ tool: 'edit_campaign_page', arguments: { campaign_id: 1, page_id: 2, share: 30 }, before: { share: 50 } },
      ...{ outcome: 'ok', id: null },
    },
  ],
});

test('changes are on the days of the tracker, also where a day lacks or repeats an hour, in the order of their times', () => {
  const context = contextFor({ timeZone: 'America/New_York' });
  // 8 March 2026 has 23 hours there, 1 November has 25.
  const times = ['2026-11-01T05:30:00Z', '2026-03-09T03:59:59Z', '2026-03-08T04:59:59Z', '2026-03-09T04:00:00Z'];
  const steps = loggedSteps(times.map(changeAt), context);
  expect(steps.map(({ change, day }) => [change.time, day])).toEqual([
    ['2026-03-08T04:59:59Z', '2026-03-07'],
    ['2026-03-09T03:59:59Z', '2026-03-08'],
    ['2026-03-09T04:00:00Z', '2026-03-09'],
    ['2026-11-01T05:30:00Z', '2026-11-01'],
  ]);
});
