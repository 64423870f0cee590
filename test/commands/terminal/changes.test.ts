import { expect, test } from 'vitest';
import type { Look } from '../../../src/commands/terminal/look.ts';
import { renderResult } from '../../../src/commands/terminal/render-result.ts';
import type { JsonRecord } from '../../../src/tools/define-tool.ts';

const look: Look = { width: 80, shape: 'table', isColoured: false };
const shown = (structured: JsonRecord) => renderResult({ structured, text: 'raw {"json":1}' }, look);

const pageFigures = (id: string, name: string, shares: readonly number[], percents: readonly number[]) => ({
  ...{ page_id: id, name, kind: 'offer', share_before: shares[0] ?? null, share_after: shares[1] ?? null },
  ...{ percent_before: percents[0] ?? null, percent_after: percents[1] ?? null },
});

const rotation = {
  ...{ campaign_id: 1, dry_run: true, done: false, change_id: null },
  groups: [
    {
      group: 'offers of path 1',
      pages: [
        pageFigures('3', 'FitTrack coaching', [40, 10], [40, 9.1]),
        pageFigures('4', 'Home gym plan', [40, 100], [40, 90.9]),
      ],
    },
  ],
  notices: ['Dry run: nothing was sent.'],
};

test('a rotation is a line with its outcome, and a table of shares and traffic before and after', () => {
  expect(shown(rotation)).toBe(
    [
      'Shares of campaign 1: not sent (dry run)',
      '',
      'offers of path 1',
      'PageID  Name               Share before  Share after',
      '3       FitTrack coaching            40           10',
      '4       Home gym plan                40          100',
      '',
      'Name               Traffic before  Traffic after',
      'FitTrack coaching           40.0%           9.1%',
      'Home gym plan               40.0%          90.9%',
      '',
      'Dry run: nothing was sent.',
    ].join('\n'),
  );
  expect(shown({ ...rotation, dry_run: false, done: true, change_id: 'c7' })).toMatch(
    /^Shares of campaign 1: done, change c7$/m,
  );
});

const steps = [
  {
    ...{ tool: 'edit_campaign_page', before: { share: 40 }, outcome: 'ok' },
    arguments: { campaign_id: 1, page_id: 4, share: 30, active: false },
  },
  { tool: 'add_offer', arguments: { name: 'Gym', dry_run: false }, before: {}, outcome: 'unknown' },
];

test('changes are a line each, and a table of old and new values', () => {
  const change = { change_id: 'c7', tool: 'set_shares', state: 'done', campaign: '1 “Search”', steps };
  const time = '2026-11-22T01:02:03.456Z';
  expect(shown({ changes: [{ ...change, time }], next_offset: 1, notices: ['Not shown: 3 older changes.'] })).toBe(
    [
      'c7  2026-11-22 01:02:03 UTC  set_shares: done; campaign 1 “Search”',
      'Of                  Value   Before  After  Outcome',
      'campaign 1, page 4  share   40      30     ok',
      'campaign 1, page 4  active          false  ok',
      'add offer           name            Gym    unknown',
      '',
      'Not shown: 3 older changes.',
    ].join('\n'),
  );
});

test('outcomes follow their changes, and changes made elsewhere come last', () => {
  const outcome = { state: 'paid', start: '2026-11-02', end: '2026-11-15', earned: 90, without_it: 60, difference: 30 };
  const sent = { time: '2026-11-01T01:02:03Z', tool: 'set_shares', state: 'done', steps: steps.slice(0, 1) };
  const change = { change_id: 'c7', ...sent };
  const made = {
    campaign_id: 3,
    group: 'offers',
    day: '2026-11-20',
    pages: [{ page: '4 “Gym”', before: 50, after: 80 }],
  };
  const lines = shown({
    changes: [{ ...change, outcome: { ...outcome, low: 10, high: 50 } }],
    elsewhere: [{ ...made, outcome: { state: 'open', why: 'days-to-come' } }],
    ...{ next_offset: null, notices: [] },
  }).split('\n');
  expect(lines[4]).toContain('+30.00');
  expect(lines.findIndex((line) => line.includes('50% -> 80%'))).toBeGreaterThan(4);
});

test('no change is the notice alone', () => {
  expect(shown({ changes: [], next_offset: null, notices: ['No changes yet.'] })).toBe('No changes yet.');
});

test('an undo names what it undoes, and what it sets', () => {
  const undo = { undoes: 'c7', dry_run: false, done: true, change_id: 'c8', steps: steps.slice(0, 1), notices: [] };
  expect(shown(undo)).toBe(
    [
      'Undo of c7: done, change c8',
      '',
      'Of                  Value   Before  After  Outcome',
      'campaign 1, page 4  share   40      30     ok',
      'campaign 1, page 4  active          false  ok',
    ].join('\n'),
  );
});

test('a step whose values do not fit next to each other is a list of its own, and whole', () => {
  const url = (name: string) => `https://network.example.com/offers/${name}?subid=`;
  const step = {
    ...{ tool: 'edit_offer', before: { url: url('first-of-them') }, outcome: 'ok' },
    arguments: { offer_id: 1, url: url('second-of-them') },
  };
  const undo = { undoes: 'c7', dry_run: false, done: true, change_id: 'c8', steps: [step], notices: [] };
  expect(shown(undo)).toBe(
    [
      'Undo of c7: done, change c8',
      '',
      'Of       offer 1',
      'Value    url',
      `Before   ${url('first-of-them')}`,
      `After    ${url('second-of-them')}`,
      'Outcome  ok',
    ].join('\n'),
  );
});

test('a list in a notice is wrapped item by item', () => {
  const items = [
    '- 3 “FitTrack coaching” (offer): share 2 -> 40, 1.7% -> 40% of the traffic',
    `- 4 ${'long '.repeat(20)}name`,
  ];
  const undo = {
    undoes: 'c7',
    dry_run: true,
    done: false,
    change_id: null,
    steps: [],
    notices: [`Offers:\n${items.join('\n')}`],
  };
  const lines = shown(undo).split('\n');
  expect(lines).toContain(items[0]);
  expect(lines.slice(lines.indexOf('Offers:') + 2)).toEqual([
    `- 4 ${'long '.repeat(15).trimEnd()}`,
    `  ${'long '.repeat(5)}name`,
  ]);
});
