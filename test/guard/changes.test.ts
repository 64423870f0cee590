import { expect, it } from 'vitest';
import { type Change, type ChangeJournal, Changes } from '../../src/guard/changes.ts';

const hidden = 'x\u202e\u200b\u001b[31my';
const hostile: Change = {
  ...{ id: `ab${hidden}`, time: `2026-01-01T00:00:00Z${hidden}`, tool: hidden, client: hidden },
  ...{ undoes: hidden, approved: { proposal: hidden, approver: hidden }, undoneBy: undefined },
  steps: [{ tool: hidden, arguments: { [hidden]: hidden }, before: { [hidden]: 1 }, outcome: 'ok', id: hidden }],
};

function journalOf(changes: readonly unknown[]): ChangeJournal {
  return {
    requireReachable: () => undefined,
    read: async () => changes as readonly Change[],
    announce: async () => undefined,
    settle: async () => undefined,
    take: async () => ({ giveBack: () => undefined }),
    reserve: async () => () => undefined,
  };
}

it('changes of other replicas are cleaned, except the values that an undo sets again', async () => {
  const { changes, gaps } = await new Changes(undefined, journalOf([hostile])).read();
  expect(gaps).toEqual([]);
  expect(changes).toEqual([
    {
      ...{ id: 'abxy', time: '2026-01-01T00:00:00Zxy', tool: 'xy', client: 'xy', undoes: 'xy', undoneBy: undefined },
      approved: { proposal: 'xy', approver: 'xy' },
      steps: [{ tool: 'xy', arguments: { xy: hidden }, before: { xy: 1 }, outcome: 'ok', id: 'xy' }],
    },
  ]);
});

it('invalid entries of the journal are skipped and counted', async () => {
  const journal = journalOf([
    { ...hostile, steps: 'none' },
    null,
    { ...hostile, undoes: undefined, approved: undefined },
  ]);
  const { changes, gaps } = await new Changes(undefined, journal).read();
  expect(changes).toHaveLength(1);
  expect(gaps).toEqual([{ code: 'replicas-unreadable', count: 2 }]);
});
