import { afterEach, describe, expect, it } from 'vitest';
import { connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers, specified, specifiedTools, validArguments, writingTools } from '../support/specified.ts';

const tracker = await startForeignTracker(plainAnswers);
const { refusal, listed } = await connect({ url: tracker.url });
afterEach(() => {
  expect(tracker.taken(), 'a refused call sends nothing').toEqual([]);
});

/** Invalid values of each kind of argument. */
const wrong = {
  id: [0, -1, 1.5, 'x', '', '1e3', '0x10', null, true, [1], {}, 1e15],
  named: [
    0,
    -1,
    1.5,
    '',
    ' ',
    '0',
    '-1',
    '1.5',
    '1000000000000000',
    '9'.repeat(20),
    'x'.repeat(1001),
    null,
    true,
    [1],
    {},
  ],
  campaignOrAll: [-1, 1.5, '', '-1', null, false, 1e15],
  ordinal: [0, -1, 1.5, 'x', '', null, true, 1_000_001],
  count: [-1, 1.5, 'x', '', null, true, 1_000_001],
  measure: [-0.01, 'x', '', 'NaN', '1,5', null, true, 1_000_001, [1]],
  percentage: [-1, 100.01, 101, '101', 'x', '50%', '', null, true],
  flag: ['yes', 'TRUE', 2, -1, '', null, []],
  date: ['2026-02-30', '2025-02-29', '2026-13-01', '2026-00-10', '2026-2-3', '06/01/2026', 'today', '', 20260601, null],
  zone: ['Mars/Olympus', '+02:00', 'Europe/Nowhere', '', 5, null],
  reports: [['offers'], ['offer', 'offer'], [1], { offer: 1 }, null],
  groups: [['Extra16'], ['Keyword', 'Keyword'], ['Keyword', 'keyword'], [''], null],
  columnSet: ['visible', 'ALL', '', 1, null],
  status: ['paused', '', 1, null],
  text: ['', '   ', 'x'.repeat(1001), 5, null, ['x']],
  note: ['x'.repeat(10_001), 5, null],
  url: [
    ...['example.com', '//example.com', 'ftp://example.com/', 'javascript:alert(1)', 'https://', 'https:///path'],
    ...['https:// example.com', 'https://example.com/a b', ' https://example.com', 'https://example.com/\n'],
    ...['https:example.com', 'http', `https://example.com/${'x'.repeat(4000)}`, '', 5, null],
  ],
  subid: ['', 'abc', 'a_b_c', '12 34', 'ab_7', 'ab-12', 1.5, -3, null, 'x'.repeat(200), ['00000345']],
  limit: [0, -1, 501, 1.5, 'x', null],
  offset: [-1, 1.5, 'x', null],
  order: ['up', 'DESC', '', null],
  columns: [[1], null],
  column: [5, ['Views'], null],
  period: ['tomorrow', 'last_week', '', 7, null],
} as const;

/** The arguments of each kind; for all others, the kind has the name of the argument. */
const kinds: Readonly<Record<string, string>> = {
  named: 'campaign_id',
  id: 'landing_page_id offer_id page_id new_page_id quick_view_id',
  groups: 'group_by',
  date: 'start_date end_date',
  zone: 'timezone',
  flag: 'include_extra_tokens active pass_subid_to_landing_page pass_subid_to_offer dry_run',
  columnSet: 'column_set',
  ordinal: 'max_records level path',
  count: 'priority',
  measure: 'bid payout engage_rate',
  percentage: 'share',
  text: 'name source',
  note: 'notes',
  order: 'sort_order',
  column: 'sort_by',
};

function kindOf(tool: string, argument: string): keyof typeof wrong {
  if (argument === 'campaign_id' && /^list_/.test(tool)) return 'campaignOrAll';
  if (argument === 'page_id' && /^edit_/.test(tool)) return 'named';
  const kind = Object.keys(kinds).find((name) => kinds[name]?.split(' ').includes(argument)) ?? argument;
  if (!(kind in wrong)) throw new Error(`There are no wrong values for ${argument}: give it a kind in this file`);
  return kind as keyof typeof wrong;
}

describe.each(specifiedTools)('$name', (tool) => {
  const sent = Object.keys(tool.wire);
  const view = tool.access === 'read' ? ['limit', 'offset', 'sort_order', 'sort_by', 'columns'] : ['dry_run'];
  const local = tool.name === 'lookup_subid' ? [] : [...view, ...(sent.includes('start_date') ? ['period'] : [])];

  it('lists the arguments if one is unknown', async () => {
    for (const name of ['nonsense', 'key', 'format', 'camp', 'constructor', 'toString']) {
      const text = await refusal(tool.name, { ...validArguments(tool), [name]: 1 });
      expect(text).toContain(JSON.stringify(name));
      for (const argument of [...sent, ...local]) expect(text).toContain(argument);
    }
  });

  it.each([...sent, ...local])('refuses invalid values of %s, and shows valid ones and the given one', async (name) => {
    const isOptional = !tool.required.includes(name);
    for (const value of wrong[kindOf(tool.name, name)]) {
      // test/tools/host-arguments.test.ts has them.
      if (isOptional && (value === null || value === '')) continue;
      const text = await refusal(tool.name, { ...validArguments(tool), [name]: value });
      expect(text).toMatch(new RegExp(`^${tool.name} was not called: ${name} must `));
      const got = Array.isArray(value) && value.length > 0 ? /; got / : `; got ${JSON.stringify(value).slice(0, 90)}`;
      expect(text).toMatch(got);
      expect(text.length).toBeLessThan(700);
    }
  });

  it.each(tool.required)('refuses a call without the required %s', async (argument) => {
    const { [argument]: _, ...given } = validArguments(tool);
    expect(await refusal(tool.name, given)).toContain(`${argument} is missing`);
  });

  it('names the words that a missing argument may be', async () => {
    expect(await refusal('compare_pages', { campaign_id: 1 })).toMatch(/kind is missing: .*\(one of .*offer/);
  });
});

describe('arguments together', () => {
  const edits = specifiedTools.filter(({ changes }) => changes);

  it.each(edits)('$name refuses an edit that changes nothing', async ({ changes = [], ...tool }) => {
    const { [changes[0] ?? '']: _, ...nothing } = validArguments(tool);
    const text = await refusal(tool.name, nothing);
    expect(text).toContain('changes nothing');
    for (const argument of changes) expect(text).toContain(argument);
    expect(await refusal(tool.name, { ...nothing, dry_run: true })).toBe(text);
  });

  it.each([
    ['add_landing_page_to_campaign', 'landing_page_id'],
    ['add_offer_to_campaign', 'offer_id'],
  ] as const)('%s takes an existing record or a new one, exactly one of them', async (name, id) => {
    const fields = { name: 'Gym', url: 'https://example.com', active: true, source: 'Harbor', payout: 1 };
    for (const [field, value] of Object.entries(fields)) {
      if (!specified[name]?.wire[field]) continue;
      const text = await refusal(name, { campaign_id: 4, [id]: 9, [field]: value });
      expect(text).toContain(`${field} cannot be combined with ${id}`);
    }
    expect(await refusal(name, { campaign_id: 4 })).toContain(`Give ${id}`);
    expect(await refusal(name, { campaign_id: 4, name: 'Gym' })).toContain('missing: url');
    expect(await refusal(name, { campaign_id: 4, url: 'https://example.com' })).toContain('missing: name');
  });

  const dated = specifiedTools.filter(({ wire }) => wire['start_date']);

  it.each(dated)('$name refuses an end before the start', async (tool) => {
    const dates = { start_date: '2026-06-02', end_date: '2026-06-01' };
    const text = await refusal(tool.name, { ...validArguments(tool), ...dates });
    expect(text).toContain('end_date 2026-06-01 is before start_date 2026-06-02');
  });

  it.each(dated)('$name refuses a period together with dates', async (tool) => {
    for (const dates of [{ start_date: '2026-06-02' }, { end_date: '2026-06-01' }]) {
      const text = await refusal(tool.name, { ...validArguments(tool), period: 'today', ...dates });
      expect(text).toContain('period cannot be combined with start_date or end_date');
    }
  });
});

describe('a text or a list of the wrong length', () => {
  it.each<[tool: string, given: object, message: string]>([
    ['get_breakdown', { by: [] }, 'by must be a list of texts, at least 1 of them; got [].'],
    ['get_breakdown', { by: ['day', 'hour', 'os'] }, 'by must be a list of texts, at most 2 of them; got ['],
    ['get_breakdown', { by: [''] }, 'by must have no empty text; got "".'],
    [
      'make_changes',
      { writes: [] },
      'writes must be a list of objects with tool and arguments, at least 1 of them; got [].',
    ],
    ['undo_change', { changes: [''] }, 'changes must have no empty text; got "".'],
    ['query_report', { sql: '' }, 'sql must not be empty; got "".'],
    ['undo_change', { change_id: 'x'.repeat(51) }, 'change_id must be text of at most 50 characters; got "x'],
    ['reconcile_conversions', { rows: 'x' }, 'rows must be a list of objects; got "x".'],
  ])('of %s, given %o, is refused with the valid length', async (tool, given, message) => {
    expect(await refusal(tool, { ...given })).toContain(message);
  });
});

describe('a condition of where', () => {
  it.each<[where: unknown, message: string]>([
    [5, 'where must be a list of objects with column, op, value and values; got 5.'],
    [[[]], 'where[0] must be an object'],
    [[{}], 'where[0].column is missing'],
    [['Views > 5'], 'where[0] must be an object with column, op, value and values; got "Views > 5".'],
    [[{ op: '>' }], 'where[0].column is missing'],
    [
      [{ column: 'Views', op: '~' }],
      'where[0].op must be one of =, !=, <, <=, >, >=, contains, starts_with, empty, in; got "~".',
    ],
    [
      [{ column: 'a', op: 'empty' }, ...[{ column: 'a', op: '=', value: true }]],
      'where[1].value must be text; got true.',
    ],
    [
      [{ column: 'a', op: '=', is: 1 }],
      'There is no argument "is" in where[0]. The arguments are: column, op, value, values.',
    ],
  ])('%j is refused with the position of the mistake', async (where, message) => {
    expect(await refusal('list_campaigns', { where })).toContain(message);
  });
});

describe('a refusal', () => {
  it('names every mistake of a call at once', async () => {
    const text = await refusal('edit_campaign_page', { campaign_id: 0, share: 101, url: 'x' });
    for (const argument of ['campaign_id', 'page_id', 'share', 'url']) expect(text).toContain(argument);
  });

  it('names the argument that was probably meant', async () => {
    const text = await refusal('get_stats', { campaign: 1 });
    expect(text).toContain(
      'There is no argument "campaign"; did you mean campaign_id? The arguments are: campaign_id,',
    );
  });

  it('stays short even if the arguments are long', async () => {
    const long = 'x'.repeat(100_000);
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`argument${at}`, 1]));
    for (const given of [{ status: long }, { [long]: 1 }, many, { sort_by: long }, { columns: [long] }]) {
      expect((await refusal('list_campaigns', given)).length).toBeLessThan(2000);
      tracker.taken();
    }
  });

  it('shows arguments on one line, without invisible characters', async () => {
    const text = await refusal('list_campaigns', { status: 'a\u202e\u200b\u001b[31mb\n', 'x\u202ey': 1 });
    expect(text).not.toMatch(/[\u202e\u200b\u001b\n]/);
  });

  it('is the same for a dry run and a real call', async () => {
    for (const tool of writingTools) {
      const given = { ...validArguments(tool), nonsense: 1 };
      expect(await refusal(tool.name, { ...given, dry_run: true })).toBe(await refusal(tool.name, given));
    }
  });
});

it('every argument of every endpoint tool has invalid values in this file', () => {
  for (const { name, inputSchema } of listed) {
    if (!specified[name]) continue;
    for (const argument of Object.keys(inputSchema.properties ?? {})) {
      if (argument !== 'where') expect(kindOf(name, argument)).toBeTruthy();
    }
  }
});
