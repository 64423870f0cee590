import { expect, test } from 'vitest';
import { warnOfUnknownVariables } from '../../src/commands/unknown-variables.ts';

test.each([
  ['TRACKER_READONLY', 'TRACKER_READ_ONLY'],
  ['TRACKER_ALLOW_CAMPAIGN', 'TRACKER_ALLOW_CAMPAIGNS'],
  ['TRACKER_ULR', 'TRACKER_URL'],
  ['TRACKER_TIMEOUT', 'TRACKER_TIMEOUT_MS'],
])('%s is told to be no setting, and %s to be the nearest', (name, nearest) => {
  const environment = {
    TRACKER_URL: 'https://tracker.example.com',
    [name]: 'a-value',
    PATH: '/bin',
    TRACKER_EMPTY: '',
  };
  expect(warnOfUnknownVariables(environment)).toEqual([
    `${name} is no setting and is ignored; did you mean ${nearest}?`,
  ]);
});
