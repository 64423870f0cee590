import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { allTools } from '../../src/tools/catalogue.ts';
import { checkArguments } from '../../src/tools/check-arguments.ts';
import { type Tool, wholeAnswer } from '../../src/tools/define-tool.ts';
import { apiKey, connect } from '../support/connect.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers, specifiedTools, validArguments } from '../support/specified.ts';

type Given = Readonly<Record<string, unknown>>;

/** What the last call handed to its tool, checked. */
let taken: unknown;
const tools = allTools.map(
  ({ needs: _, ...tool }): Tool => ({
    ...tool,
    call: async (given) => {
      taken = checkArguments(tool, given);
      return wholeAnswer({ notices: [] }, ['taken']);
    },
  }),
);
const { call, refusal } = await connect({ tools });

async function takenBy(tool: string, given: Given): Promise<unknown> {
  taken = undefined;
  const result = await call(tool, given);
  expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false);
  return taken;
}

/** Values of which at least one is valid for each argument; those with characters that hosts encode come first. */
const candidates = [
  'https://net.example/c?o=7&aff=1&sub={!subid!}',
  `"Fit" & <'slim'>`,
  ...['>=', '2026-06-01', 'Europe/Berlin', 'ab12cd34_7_00000345', 3, true],
];

function inner(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return inner(schema.def.innerType);
  return schema instanceof z.ZodPipe ? inner(schema.def.out) : schema;
}

function sampleOf(outer: z.core.$ZodType, name: string): unknown {
  const schema = inner(outer);
  if (schema instanceof z.ZodArray) return [sampleOf(schema.element, name)];
  if (schema instanceof z.ZodObject) {
    // A share and a percentage exclude each other.
    const fields = Object.entries(schema.shape).filter(([field]) => field !== 'percent');
    return Object.fromEntries(fields.map(([field, one]) => [field, sampleOf(one, field)]));
  }
  if (schema instanceof z.ZodEnum) return schema.options[0];
  // A URL is the first candidate of every text.
  const own = name === 'url' ? candidates : candidates.slice(1);
  const object = { 'Sub "ID"': 'ab12cd34_7_00000345', Sale: 'A & B' };
  return [...own, object].find((value) => z.safeParse(schema, value).success);
}

const optional = (schema: z.core.$ZodType) => schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;

/** Each tool, with a value for each argument and the arguments that it needs. */
const walk = allTools.map(({ name, input }) => {
  const entries = Object.entries(input().shape) as [string, z.core.$ZodType][];
  const all: Given = Object.fromEntries(entries.map(([argument, schema]) => [argument, sampleOf(schema, argument)]));
  const needed: Given = Object.fromEntries(
    entries.filter(([, schema]) => !optional(schema)).map(([argument]) => [argument, all[argument]]),
  );
  return { name, input, all, needed, arguments: entries };
});

const named = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' } as const;

/** The ways in which hosts write a character as an entity. */
const encodings: Readonly<Record<string, (character: keyof typeof named) => string>> = {
  'by name': (character) => named[character],
  'by number': (character) => `&#${character.charCodeAt(0)};`,
  'by hexadecimal number': (character) => `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`,
};

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [change(name), mapTexts(field, change)]));
}

describe.each(walk)('$name', ({ name, all, needed, arguments: entries }) => {
  it('takes every argument of the walk', async () => {
    expect(await takenBy(name, all)).toEqual(
      expect.objectContaining(Object.fromEntries(Object.keys(all).map((key) => [key, expect.anything()]))),
    );
  });

  it.each(Object.entries(encodings))('takes every text with its entities %s decoded', async (_, encode) => {
    const encoded = mapTexts(all, (text) => text.replace(/[&<>"']/g, (one) => encode(one as keyof typeof named)));
    expect(await takenBy(name, encoded as Given)).toEqual(await takenBy(name, all));
  });

  it('takes null and an empty text for each optional argument as left out', async () => {
    for (const [argument, schema] of entries.filter(([, one]) => optional(one))) {
      const without = await takenBy(name, needed);
      expect(await takenBy(name, { ...needed, [argument]: null })).toEqual(without);
      const isMeaning = argument === 'notes';
      expect(z.safeParse(schema, '').success, argument).toBe(isMeaning);
      const expected = isMeaning ? { ...(without as Given), notes: '' } : without;
      expect(await takenBy(name, { ...needed, [argument]: '' }), argument).toEqual(expected);
    }
  });

  it('takes an empty list or object as left out where an argument is an optional list or object', async () => {
    for (const [argument] of entries.filter(([, one]) => optional(one) && !z.safeParse(one, []).success)) {
      if (typeof all[argument] !== 'object') continue;
      const without = await takenBy(name, needed);
      for (const empty of [[], {}, '[]', ' { } ', 'null'])
        expect(await takenBy(name, { ...needed, [argument]: empty }), argument).toEqual(without);
    }
  });

  it('refuses null and an empty text for each argument that it needs', async () => {
    for (const argument of Object.keys(needed)) {
      for (const value of [null, '']) {
        expect(await refusal(name, { ...needed, [argument]: value })).toContain(`${name} was not called: ${argument} `);
      }
    }
  });

  it.each(['offer,campaign', 'offer, campaign', "['offer', 'campaign']", '[offer, campaign]'])(
    'takes a list of known words as %s',
    async (reports) => {
      expect(await takenBy('get_stats', { campaign_id: 1, reports })).toMatchObject({ reports: ['offer', 'campaign'] });
      expect(await refusal('get_stats', { campaign_id: 1, reports: `${reports},sales` })).toContain('reports');
    },
  );

  it('takes each list as JSON text, encoded or not, and as its only item', async () => {
    for (const [argument] of entries.filter(([, schema]) => inner(schema) instanceof z.ZodArray)) {
      const list = all[argument] as readonly unknown[];
      const expected = await takenBy(name, { ...needed, [argument]: list });
      const text = JSON.stringify(list);
      const forms = [
        text,
        ` ${text}\n`,
        JSON.stringify(list, null, 2),
        text.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
        list[0],
        ...(/["'\\]/.test(text.replaceAll('"', '')) || text.includes('{') ? [] : [text.replaceAll('"', "'")]),
      ];
      if (typeof list[0] === 'object') forms.push(JSON.stringify(list[0]), [JSON.stringify(list[0])]);
      for (const form of forms)
        expect(await takenBy(name, { ...needed, [argument]: form }), argument).toEqual(expected);
    }
  });

  it('ignores what hosts add, and refuses a misspelt name', async () => {
    const added = {
      toolCallId: 'call_1',
      sessionId: 's',
      wait_for_previous: false,
      security_context: { agent_fingerprint: {} },
      security_risk: 'LOW',
      random_string: 'x',
      _meta: {},
      action: 'sendMessage',
      chatInput: 'hi &amp; bye',
      tool: name,
    };
    expect(await takenBy(name, { ...all, ...added })).toEqual(await takenBy(name, all));
    for (const wrong of ['campaing_id', 'toolCallID', 'tool_call_id', 'session_id', '__proto__x']) {
      expect(await refusal(name, { ...needed, [wrong]: null })).toContain(JSON.stringify(wrong));
    }
  });
});

describe('an entity', () => {
  const named = async (text: string) =>
    ((await takenBy('add_offer', { name: text, url: 'https://a.example' })) as Given)['name'];
  const url = async (text: string) => ((await takenBy('add_offer', { name: 'x', url: text })) as Given)['url'];

  it.each([
    ['A &amp;amp; B', 'A &amp; B'],
    ['A &nosuch; B', 'A &nosuch; B'],
    ['5 &lt 6', '5 &lt 6'],
    ['Caf&eacute; &euro;5 &#8364;5 &NotEqualTilde;', 'Café €5 €5 ≂̸'],
  ])('in %j is decoded once, and only if it is whole', async (text, expected) => {
    expect(await named(text)).toBe(expected);
  });

  it.each([
    ['https://a.example/?a=1&copy=2&lt=3&amp;b=4', 'https://a.example/?a=1&copy=2&lt=3&b=4'],
    ['https://a.example/?q=%26amp%3B&#38;r=&num;', 'https://a.example/?q=%26amp%3B&r=#'],
  ])('in the URL %j is one only with a semicolon', async (text, expected) => {
    expect(await url(text)).toBe(expected);
  });

  it('that makes an invisible character is refused like the character', async () => {
    for (const text of ['A&#8203;B', 'A&#x202E;B', 'A&NewLine;B', 'A&#0;B&#8;']) {
      expect(await refusal('add_offer', { name: text, url: 'https://a.example' })).toContain('name must not contain');
    }
  });

  it('in the only text of a JSON list is decoded once, like any other', async () => {
    const columns = async (given: unknown) =>
      ((await takenBy('list_campaigns', { columns: given })) as Given)['columns'];
    expect(await columns('["A &amp;amp; B"]')).toEqual(['A &amp; B']);
    expect(await columns('[&quot;A &amp;amp; B&quot;]')).toEqual(['A &amp; B']);
    expect(await columns('["\\u0026lt;"]')).toEqual(['<']);
  });

  it('in a statement is decoded unless the statement has quotation marks or tags of its own', async () => {
    const statement = async (text: string) =>
      ((await takenBy('reconcile_conversions', { statement: text })) as Given)['statement'];
    expect(await statement('id,offer\n1,&quot;A &amp; B&quot;')).toBe('id,offer\n1,"A & B"');
    expect(await statement('id,offer\n1,"A &quot;B&quot;"')).toBe('id,offer\n1,"A &quot;B&quot;"');
  });
});

describe('a list of IDs', () => {
  const lists = [
    ['diagnose_subid', 'subids'],
    ['get_overview', 'campaign_ids'],
    ['review_account', 'campaign_ids'],
  ] as const;

  it('is each list of the walk whose items are IDs', () => {
    const found = walk.flatMap(({ name, arguments: entries }) =>
      entries.flatMap(([argument, schema]) =>
        inner(schema) instanceof z.ZodArray && /ids$/.test(argument) ? [[name, argument]] : [],
      ),
    );
    expect(found.sort()).toEqual([...lists].sort());
  });

  it.each(lists)('of %s refuses a comma inside a number, with both meanings', async (tool, argument) => {
    const wrong = {
      '82,292': ['82292', '82 and 292'],
      '1,234,567': ['1234567', '1, 234 and 567'],
      ' 56,050 ': ['56050', '56 and 050'],
      '56&#44;050': ['56050', '56 and 050'],
      '1234,567': ['1234567', '1234 and 567'],
    };
    for (const [text, meanings] of Object.entries(wrong)) {
      for (const given of [text, [text], ['7', text], JSON.stringify([text])]) {
        const message = await refusal(tool, { [argument]: given });
        for (const part of [argument, 'comma inside a number', ...meanings]) expect(message).toContain(part);
      }
    }
  });

  it('is refused in few words, however long it is', async () => {
    for (const text of [Array(100_000).fill('123').join(','), `${'1'.repeat(100_000)},234`]) {
      expect((await refusal('diagnose_subid', { subids: text })).length).toBeLessThan(700);
    }
  });

  it('stays one if nothing in it is open', async () => {
    expect(await takenBy('diagnose_subid', { subids: ['56', 50, 'ab_1_00000056,ab_1_050'] })).toEqual({
      subids: ['56', '50', 'ab_1_00000056,ab_1_050'],
    });
    expect(await takenBy('diagnose_subid', { subids: '[56, 501]' })).toEqual({ subids: ['56', '501'] });
    expect(await takenBy('get_overview', { campaign_ids: '["56","501"]' })).toMatchObject({ campaign_ids: [56, 501] });
  });
});

it('text that only looks like JSON is an item, and JSON that is too deep is none', async () => {
  const columns = async (given: unknown) => ((await takenBy('list_campaigns', { columns: given })) as Given)['columns'];
  expect(await columns('[Views')).toEqual(['[Views']);
  expect(await columns('Views, Clicks')).toEqual(['Views, Clicks']);
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  expect(await refusal('list_campaigns', { where: deep })).toContain('where must be a list of objects');
});

describe('a list of IDs as one text', () => {
  const [one, two] = ['ab12cd34_7_00000345', 'ab12cd34_7_00000346'];

  it.each([`${one},${two}`, `${one}; ${two}`, `${one}\n${two}`, `${one} ${two}`])(
    'may be one text of whole subIDs: %j',
    async (subids) => {
      expect(await takenBy('diagnose_subid', { subids })).toMatchObject({ subids: [one, two] });
    },
  );

  it('may be one text of numbers that no mark of thousands can join', async () => {
    expect(await takenBy('diagnose_subid', { subids: '1,56' })).toMatchObject({ subids: ['1', '56'] });
    expect(await refusal('diagnose_subid', { subids: '56,050' })).toContain('has a comma inside a number');
  });
});

describe('a text', () => {
  it.each([
    ['JSON', '\\u0026'],
    ['HTML', '&amp;amp;'],
    ['HTML', '&#38;#38;'],
    ['Markdown', '\\&'],
  ])('with an escape of %s in a URL is refused: %s', async (form, written) => {
    const given = { name: 'x', url: `https://net.example/c?o=7${written}aff=1`, payout: 1, dry_run: true };
    const message = new RegExp(`url must not contain an escape of ${form}: \\S+ is written &`);
    expect(await refusal('add_offer', given)).toMatch(message);
  });

  it.each([
    ['https://net.example/c\\', 'a backslash'],
    ['https://net.example/c</url>', 'a closing tag'],
    ['https://net.example/c**', 'a mark of Markdown'],
    ['https://net.example/very-lo…', 'a part that was cut'],
  ])('with a rest of its markup is refused as a URL: %s', async (url, what) => {
    expect(await refusal('add_offer', { name: 'x', url, payout: 1, dry_run: true })).toContain(what);
  });

  it('that is empty is no value of a condition that takes none', async () => {
    const where = [{ column: 'Keyword', op: 'empty', value: '' }];
    expect(await takenBy('list_visitors', { campaign_id: 1, where })).toMatchObject({ where: [{ op: 'empty' }] });
  });
});

describe('through to the tracker', () => {
  const rows = [
    { Name: 'A & B', Views: '10' },
    { Name: 'C', Views: '3' },
  ];

  it.each(specifiedTools.filter(({ wire }) => wire['url']))('the URL of $name is written decoded', async (tool) => {
    const tracker = await startForeignTracker(plainAnswers);
    const { data } = await connect({ url: tracker.url });
    const { [tool.companions?.unless ?? '']: _, ...valid } = validArguments(tool);
    const given = { ...valid, name: 'Fit &amp; slim', url: 'https://net.example/c?o=7&amp;aff=1&#38;sub={!subid!}' };
    await data(tool.name, given);
    const { sent } = tracker.writes().at(-1) ?? {};
    expect(sent).toMatchObject({ url: 'https://net.example/c?o=7&aff=1&sub={!subid!}', name: 'Fit & slim' });
  });

  it('a campaign is found, a row compared and a query run with decoded text', async () => {
    const tracker = await startForeignTracker({
      'campaign/list': JSON.stringify(rows.map((row, at) => ({ ID: at + 1, ...row }))),
      stats: '{"offer":[{"Name":"One","Views":"3"}]}',
    });
    const { data } = await connect({ url: tracker.url });
    const where = { column: 'Name', op: '=', value: 'A &amp; B' };
    expect(await data('list_campaigns', { where })).toMatchObject({ tables: [{ total_rows: 1 }] });
    expect(await data('list_campaigns', { where: { column: 'Views', op: '&gt;=', value: 3 } })).toMatchObject({
      tables: [{ total_rows: 2 }],
    });
    const sql = 'SELECT &quot;Name&quot; FROM campaigns WHERE &quot;Views&quot; &lt; 5';
    expect(await data('query_report', { sql })).toMatchObject({ tables: [{ rows: [['C']] }] });
    await data('get_stats', { campaign_id: 'a &amp; b' });
    expect(tracker.taken().at(-1)?.sent).toMatchObject({ camp: '1' });
  });

  it('an answer says that entities were decoded, and only then', async () => {
    const tracker = await startForeignTracker({ 'campaign/list': '[{"ID":"1","Name":"A &amp; B"}]' });
    const { data } = await connect({ url: tracker.url });
    const find = (value: string) => data('list_campaigns', { where: { column: 'Name', op: '=', value } });
    expect(JSON.stringify(await find('A &amp; B'))).toMatch(
      /"total_rows":0.*text that itself holds &amp; is asked for as &amp;amp;/,
    );
    expect(await find('A &amp;amp; B')).toMatchObject({ tables: [{ total_rows: 1 }] });
    expect(JSON.stringify(await find('A & B; C'))).not.toContain('entities');
  });

  it('a key that is written in entities or as JSON is refused like the key', async () => {
    const { refusal } = await connect();
    const encoded = [...apiKey].map((one) => `&#${one.charCodeAt(0)};`).join('');
    for (const columns of [encoded, [encoded], JSON.stringify([apiKey])]) {
      expect(await refusal('list_campaigns', { columns })).toContain('columns holds the API key');
    }
  });

  it('a tracker that is null or empty is none', async () => {
    const [one, other] = await Promise.all([startForeignTracker(plainAnswers), startForeignTracker(plainAnswers)]);
    const { data } = await connect({
      trackers: { one: { url: one.url }, other: { url: other.url } },
      byDefault: 'one',
    });
    for (const tracker of [null, '']) await data('list_campaigns', { tracker });
    expect([one.taken().length, other.taken().length]).toEqual([2, 0]);
  });
});
