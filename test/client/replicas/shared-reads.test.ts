import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { OwnBreakers } from '../../../src/client/circuit.ts';
import type { AnswerStore } from '../../../src/client/replicas/replicated-answers.ts';
import type { Replicas } from '../../../src/client/tracker-client.ts';
import { clientOf, startTracker, works } from '../http-tracker.ts';

/** What replicas share, where another one writes whenever a test says so, and where the generation is told when it says so. */
function replicasOf() {
  const state = { generation: 'first', told: Promise.resolve(), asked: [] as string[] };
  const answers: AnswerStore = {
    generation: async () => {
      state.asked.push('generation');
      const { generation, told } = state;
      await told;
      return generation;
    },
    find: async () => undefined,
    keep: async () => undefined,
    clear: async () => undefined,
  };
  const own = new OwnBreakers();
  const breakers: Replicas['breakers'] = {
    begin: (path) => {
      state.asked.push('circuit');
      return own.begin(path);
    },
  };
  return { state, replicas: { answers, breakers, turns: { take: async () => () => undefined } } };
}

it('a read asks whether somebody wrote ahead of all else, and what else it asks does not wait for that', async () => {
  const tracker = await startTracker(works);
  const { state, replicas } = replicasOf();
  let tell = () => {};
  state.told = new Promise((resolve) => {
    tell = resolve;
  });
  const client = clientOf(tracker.url, { replicas });
  const reading = client.read('list_campaigns', {});
  while (state.asked.length < 2) await sleep(1);
  expect(state.asked).toEqual(['generation', 'circuit']);
  tell();
  await reading;
  expect(tracker.requests).toHaveLength(1);
});

it('identical reads share a request within a generation, and none that was sent before another replica wrote', async () => {
  const answers: (() => void)[] = [];
  const tracker = await startTracker(async (response, request, socket) => {
    await new Promise<void>((resolve) => answers.push(resolve));
    return works(response, request, socket);
  });
  const { state, replicas } = replicasOf();
  const client = clientOf(tracker.url, { replicas });
  const read = () => client.read('list_campaigns', {});
  const before = [read(), read(), read()];
  while (answers.length < 1) await sleep(1);
  state.generation = 'second';
  const after = [read(), read(), read()];
  while (answers.length < 2) await sleep(1);
  for (const answer of answers) answer();
  await Promise.all([...before, ...after]);
  expect(tracker.requests).toHaveLength(2);
});
