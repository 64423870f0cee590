import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openTrail } from '../support/audit-trail.ts';
import { connect } from '../support/connect.ts';
import { newFolder } from '../support/folders.ts';
import { startForeignTracker } from '../support/foreign-tracker.ts';
import { plainAnswers, specifiedTools, validArguments } from '../support/specified.ts';

const key = `käy&<o>f'9the/"tests`;
const tracker = await startForeignTracker(plainAnswers);
const folder = await newFolder();
const log = join(folder, 'audit.jsonl');
const auditTrail = openTrail(log);
const { call, refusal, data } = await connect({ url: tracker.url, apiKey: key, policy: { auditTrail } });
beforeEach(() => {
  for (const [path, answer] of Object.entries(plainAnswers)) tracker.answer(path, answer);
});

const escapeUnits = (text: string) =>
  text.replace(/./g, (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
const inJson = JSON.stringify(key).slice(1, -1);
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const html = (text: string, quote: string) => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? quote);

/** Contents of a JSON string that read as the key, or show it. */
const written: Readonly<Record<string, string>> = {
  'as PHP writes it': inJson.replaceAll('ä', '\\u00e4').replaceAll('/', '\\/'),
  'in escapes': escapeUnits(key),
  'with the escapes of JSON_HEX_TAG': inJson.replace(/[&<>']/g, escapeUnits),
  'escaped for HTML': html(key, '&#039;'),
  'escaped for HTML in hexadecimal': html(key, '&#x27;'),
  'escaped for HTML 5': html(key, '&apos;'),
  'with characters without width in it': `${inJson.slice(0, 4)}\\u200b${inJson.slice(4)}`,
  'with the colours of a terminal in it': `${inJson.slice(0, 6)}\\u001b[31m${inJson.slice(6)}`,
  'cut by the end of a long cell': `${'x'.repeat(489)}${inJson.slice(0, 3)}\\u200b${inJson.slice(3)}`,
};
/** Any part of the key that is longer than a word. */
const shown = /äy&|y&<|9the|"tests|y&amp;|\\u00[eE]4y/;

describe.each(Object.entries(written))('a key %s is not in', (_, text) => {
  it('rows', async () => {
    tracker.answer('campaign/list', `[{"ID":"1","Note":"see ${text}"},{"ID":"2","Note":"n"}]`);
    const result = await call('list_campaigns');
    expect(result.isError).toBeFalsy();
    expect(JSON.stringify(result.structuredContent)).toContain('***');
    expect(JSON.stringify(result)).not.toMatch(shown);
  });

  it('the names of columns, and the errors that list them', async () => {
    tracker.answer('campaign/list', `[{"ID":"1","${text.slice(-120)}":"2"},{"ID":"2","${text.slice(-120)}":"3"}]`);
    expect(JSON.stringify(await call('list_campaigns'))).not.toMatch(shown);
    expect(await refusal('list_campaigns', { columns: ['Nothing'] })).not.toMatch(shown);
  });

  it('the fields of a lookup', async () => {
    tracker.answer('click/lookup', `{"Status":"OK","Groups":{"Geo":{"Country":"${text}","${text.slice(-120)}":"x"}}}`);
    const result = await call('lookup_subid', { subid: 'ab12cd34_1_00000345' });
    expect(result.isError).toBeFalsy();
    expect(JSON.stringify(result)).not.toMatch(shown);
  });

  it('errors, notices and the audit trail', async () => {
    tracker.answer('campaign/edit', `{"Status":"Error","Message":"Wrong: ${text.slice(-150)}"}`);
    expect(await refusal('edit_campaign', { campaign_id: 1, bid: 1 })).toContain('***');
    tracker.answer('campaign/edit', `{"Status":"OK","Warning":"for ${text.slice(-150)}"}`);
    expect(JSON.stringify(await call('edit_campaign', { campaign_id: 1, bid: 1 }))).not.toMatch(shown);
    expect(await readFile(log, 'utf8')).not.toMatch(shown);
  });
});

it('a key in XML is not in the rows', async () => {
  const rows = `<rows><row><ID>1</ID><Note>${html(key, '&#039;')}</Note></row><row><ID>2</ID><Note>${html(key, '&#x0027;')}</Note></row></rows>`;
  tracker.answer('campaign/list', rows);
  expect(JSON.stringify(await call('list_campaigns'))).not.toMatch(shown);
});

describe('a call with the key in an argument is refused, and the error names the argument without the key:', () => {
  it.each(specifiedTools)('$name', async (tool) => {
    const valid = validArguments(tool);
    for (const name of [...Object.keys(tool.wire), 'no_such_argument']) {
      const texts = [`n ${key}`, encodeURIComponent(key), `k\u200b${key.slice(1)}`];
      for (const value of [...texts, [{ deep: [key] }], { [key]: 1 }]) {
        const text = await refusal(tool.name, { ...valid, [name]: value });
        expect(text).toMatch(new RegExp(`not called: ${name} holds the API key of the tracker`));
        expect(text).not.toMatch(shown);
      }
    }
    expect(await refusal(tool.name, { ...valid, [key]: 1 })).toMatch(/not called: the name of an argument holds/);
    expect(tracker.taken()).toEqual([]);
  });

  it('a dry run, and a query', async () => {
    const given = { offer_id: 1, notes: `n ${key}`, dry_run: true };
    expect(await refusal('edit_offer', given)).toContain('notes holds the API key');
    expect(await refusal('query_report', { sql: `SELECT '${key}'` })).toContain('sql holds the API key');
  });

  it('and leaves nothing in the audit trail', async () => {
    const before = await readFile(log, 'utf8');
    await refusal('edit_offer', { offer_id: 1, notes: key });
    expect(await readFile(log, 'utf8')).toBe(before);
  });
});

it('the audit trail masks the key in the name of a client', async () => {
  const named = await connect({ url: tracker.url, apiKey: key, policy: { auditTrail }, name: `Agent ${key} 2` });
  tracker.answer('offer/edit', 'OK');
  await named.data('edit_offer', { offer_id: 1, notes: 'a note' });
  const logged = await readFile(log, 'utf8');
  expect(logged).toContain('"client":"Agent *** 2"');
  for (const text of [key, inJson]) expect(logged).not.toContain(text);
});

it('a key as short as a word is neither masked nor refused', async () => {
  const short = await connect({ url: tracker.url, apiKey: 'Solo' });
  tracker.answer('offer/edit', 'OK');
  expect(await short.data('edit_offer', { offer_id: 1, notes: 'Solo' })).toMatchObject({ sent: { notes: 'Solo' } });
});

it('data without the key is unchanged', async () => {
  expect(JSON.stringify(await data('list_campaigns'))).not.toContain('***');
});
