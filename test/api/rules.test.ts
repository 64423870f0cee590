import { expect, test } from 'vitest';
import { findBrokenRule, type Rule } from '../../src/api/rules.ts';

const label = (argument: string) => `<${argument}>`;
const someOf: Rule = { kind: 'some-of', arguments: ['name', 'url', 'active'] };
const existingOrNew: Rule = {
  kind: 'existing-or-new',
  existing: 'id',
  needed: ['name', 'url'],
  onlyNew: ['name', 'url', 'active'],
};
const inOrder: Rule = { kind: 'in-order', first: 'start', last: 'end' };

test('an edit has to change something', () => {
  expect(findBrokenRule([someOf], { id: 4 }, label)).toBe(
    'This changes nothing. Give at least one of <name>, <url> or <active>.',
  );
  expect(findBrokenRule([someOf], { active: false }, label)).toBeUndefined();
  expect(findBrokenRule([someOf], { name: '' }, label)).toBeUndefined();
});

test('an existing record is given by its ID alone, a new one by its fields', () => {
  expect(findBrokenRule([existingOrNew], { id: 4 }, label)).toBeUndefined();
  expect(findBrokenRule([existingOrNew], { name: 'x', url: 'y' }, label)).toBeUndefined();
  expect(findBrokenRule([existingOrNew], { id: 4, name: 'x', active: true }, label)).toBe(
    '<name> and <active> cannot stand beside <id>: they describe a new record. ' +
      'Leave them out to add the existing one, or leave <id> out to add a new one.',
  );
  expect(findBrokenRule([existingOrNew], { name: 'x' }, label)).toBe(
    'Give <id> to add an existing record, or <name> and <url> to add a new one; missing: <url>.',
  );
});

test('a period ends on or after its first day', () => {
  expect(findBrokenRule([inOrder], { start: '2026-11-02', end: '2026-11-01' }, label)).toBe(
    '<end> 2026-11-01 is before <start> 2026-11-02. Swap them.',
  );
  expect(findBrokenRule([inOrder], { start: '2026-11-01', end: '2026-11-01' }, label)).toBeUndefined();
  expect(findBrokenRule([inOrder], { end: '2026-11-01' }, label)).toBeUndefined();
});

test('the first broken rule is named', () => {
  const given = { start: '2026-11-02', end: '2026-11-01' };
  expect(findBrokenRule([inOrder, someOf], given, label)).toMatch(/^<end>/);
  expect(findBrokenRule([someOf, inOrder], given, label)).toMatch(/^This changes nothing/);
});
