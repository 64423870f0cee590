import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { fromTracker, quoted, shown, shownNames } from '../../../src/api/text/tracker-text.ts';
import { attack, dangerIn } from '../../support/strangers.ts';

const source = fileURLToPath(new URL('../../../src/', import.meta.url));

/** Files that may read raw texts of the tracker, to compare and compute. */
const readers = [
  /^api\/(table|vocabulary|yes-no|text\/tracker-text)\.ts$/,
  /^client\//,
  /^analysis\//,
  // They find rows, columns, reports and campaigns by name or ID.
  /^tools\/(account-review|campaigns|check-tracking|diagnose-many|diagnose-subid|find-visits|list-changes|name-lists|page-reports|partial-reports|recent-tables|review-choice|review-findings|reviewed-visits|shared-values|tokens)\.ts$/,
  // They put names into notes, whose words quote them.
  /^tools\/(notices|query-report|resolve-names|make-changes|review-money|review-placements|review-tracking|tracked-account|present\/(lookup|tables))\.ts$/,
  // They make tables of the tracker's texts again, which leave through the same functions.
  /^tools\/(account|outcomes)\//,
  /^tools\/(compare\/(compare-pages|find-reversal|read-pages|try-shares)|explain\/(count-spans|read-span-visits)|reconcile\/(read-sides|reconcile-conversions))\.ts$/,
  // An undo sends original values back; answers show them through cleanValues.
  /^tools\/rotation\//,
  /^tools\/present\/(view|where|cells)\.ts$/,
  /^mcp\/resources\.ts$/,
  // It reads the embedded tracker alone.
  /^commands\/sandbox\/reports\.ts$/,
];

test('only files that compare or compute read raw texts of the tracker', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const using = files.filter((file) => /\braw(?:Text|Cell)\b/.test(readFileSync(source + file, 'utf8')));
  expect(using.length).toBeGreaterThan(5);
  const names = using.map((file) => file.replaceAll('\\', '/'));
  expect(names.filter((file) => !readers.some((reader) => reader.test(file)))).toEqual([]);
});

test('the compiler rejects a text of the tracker in a string or template', () => {
  const text = fromTracker('words');
  // @ts-expect-error it is no string
  const asString: string = text;
  // @ts-expect-error it does not go into a template
  const inTemplate = `${text}`;
  expect([asString, inTemplate]).toEqual(['words', 'words']);
});

describe('a text of the tracker', () => {
  const text = fromTracker(attack(600_000));

  it('is clean and bounded when it is shown', () => {
    expect(dangerIn(shown(text))).toBeUndefined();
    expect(shown(text)).toHaveLength(501);
    expect(shown(text, 50)).toHaveLength(51);
    expect(shown(fromTracker('plain'))).toBe('plain');
  });

  it('shows an ellipsis if only its start was read', () => {
    expect(shown(fromTracker('\u200b'.repeat(30_000)))).toBe('…');
    expect(shown(fromTracker(`a${'\u200b'.repeat(30_000)}b`))).toBe('a…');
  });

  it('cannot end a quotation', () => {
    expect(quoted(fromTracker('a” and “b'))).toBe("“a' and 'b”");
    expect(dangerIn(quoted(text))).toBeUndefined();
  });

  it('that is JSON is clean after parsing', () => {
    const nested = shown(fromTracker(JSON.stringify([{ 'a\u001b[31m': 'b\u001b[31m\u0007\nc' }])));
    expect(JSON.parse(nested)).toEqual([{ a: 'b c' }]);
  });

  it('that is a name is made distinct', () => {
    const names = shownNames([fromTracker('a\u200b'), fromTracker('a'), text]);
    expect(names).toEqual(['a', 'a (2)', expect.stringMatching(/^RED.{190,200}$/)]);
  });
});
