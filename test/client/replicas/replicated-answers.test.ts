import { expect, it } from 'vitest';
import { type Reply, Table } from '../../../src/api/table.ts';
import { fromTracker } from '../../../src/api/text/tracker-text.ts';
import { KeptReadings } from '../../../src/client/kept/kept-readings.ts';
import { type AnswerStore, ReplicatedAnswers } from '../../../src/client/replicas/replicated-answers.ts';
import { packAnswer, unpackAnswer } from '../../../src/client/replicas/stored-answer.ts';
import { toPlainReply } from '../../support/tables.ts';

const cells = [
  ['1', null, '007'],
  ['ü', '\u{1f600}', '"\n'],
];
const rows = (count: number) => Array.from({ length: count }, (_, row) => [`row ${row}`, 'x'.repeat(90)]);
const tables = (...list: readonly Table[]): Reply => ({ kind: 'tables', tables: list, notices: ['One.'] });

/** What replicas share, in this process. */
function storeOf() {
  const kept = new Map<string, { bytes: Uint8Array; at: number }>();
  let count = 0;
  const store: AnswerStore = {
    generation: async () => String(count),
    find: async (question) => kept.get(question),
    keep: async (question, answer, generation) => {
      if (generation === String(count)) kept.set(question, answer);
    },
    clear: async () => {
      count += 1;
      kept.clear();
    },
  };
  return { kept, replica: () => new ReplicatedAnswers(store, new KeptReadings()) };
}

it.each<[string, Reply]>([
  ['tables', tables(Table.fromColumns('some', ['a', 'b'], cells), Table.fromRows('none', ['a'], []))],
  ['a large table', tables(Table.fromRows('large', ['a', 'b'], rows(1000)))],
  ['groups', { kind: 'groups', groups: [{ name: fromTracker('g'), fields: [[fromTracker('f'), null]] }], notices: [] }],
])('%s come back from other replicas as they were', async (_, reply) => {
  const back = await unpackAnswer(await packAnswer({ reply, shape: 'rows' }));
  expect(back?.shape).toBe('rows');
  expect(back && toPlainReply(back.reply)).toEqual(toPlainReply(reply));
});

it('bytes that are no answer are none', async () => {
  const packed = await packAnswer({ reply: tables(Table.fromRows('large', ['a', 'b'], rows(1000))), shape: 'rows' });
  for (const bytes of [packed.subarray(0, 100), Buffer.from('{"shape":1}'), Buffer.from(''), Buffer.from('null')]) {
    expect(await unpackAnswer(bytes)).toBeUndefined();
  }
});

it('an answer over 4 MB stays with the replica that read it, which goes on cutting pages from it until somebody writes', async () => {
  const { kept, replica } = storeOf();
  const [one, other] = [replica(), replica()];
  const reply = tables(Table.fromRows('large', ['a', 'b'], rows(50_000)));
  await one.keep('large', { reply, shape: 'rows' }, await one.generation);
  await one.keep(
    'small',
    { reply: tables(Table.fromColumns('some', ['a', 'b'], cells)), shape: 'rows' },
    await one.generation,
  );
  expect([...kept.keys()]).toEqual(['small']);
  expect(await one.find('large')).toBeDefined();
  expect(await other.find('large')).toBeUndefined();
  expect(await other.find('small')).toBeDefined();
  await other.clear();
  expect(await one.find('large')).toBeUndefined();
});
