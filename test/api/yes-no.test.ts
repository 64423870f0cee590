import { describe, expect, it, test } from 'vitest';
import { type Cell, fromTracker } from '../../src/api/text/tracker-text.ts';
import { activeState, isSurelyActive, yesOrNo } from '../../src/api/yes-no.ts';

const cellOf = (text: string | null): Cell => (text === null ? null : fromTracker(text));

test('yes and no are read in any letter case, and no other words', () => {
  for (const text of ['1', 'Yes', 'TRUE', 'on ', 'y', 'Ja', 'sí', '✓', 't'])
    expect(yesOrNo(cellOf(text)), text).toBe(true);
  for (const text of ['0', 'No', 'false', ' off', 'N', 'Nein', 'não', '✗', 'f'])
    expect(yesOrNo(cellOf(text)), text).toBe(false);
  for (const text of [null, '', '2', 'maybe', 'active']) expect(yesOrNo(cellOf(text)), String(text)).toBeUndefined();
});

describe('whether something is active', () => {
  it.each<[inactive: string | null, active: string | null, expected: boolean | undefined]>([
    [null, null, undefined],
    [null, '1', true],
    [null, 'Running', true],
    [null, 'paused', false],
    ['0', null, true],
    ['yes', null, false],
    ['inactive', null, false],
    ['active', null, true],
    ['0', '1', true],
    ['0', 'stopped', false],
    ['1', '1', false],
    [null, 'archived', undefined],
    ['?', 'on', true],
  ])('is read from the fields inactive %s and active %s: %s', (inactive, active, expected) => {
    expect(activeState({ inactive: cellOf(inactive), active: cellOf(active) })).toBe(expected);
  });

  it('is false for an unknown word, if the caller must be sure', () => {
    expect(isSurelyActive({ inactive: null, active: cellOf('archived') })).toBe(false);
    expect(isSurelyActive({ inactive: null, active: cellOf('on') })).toBe(true);
    expect(isSurelyActive({ inactive: null, active: null })).toBeUndefined();
  });
});
