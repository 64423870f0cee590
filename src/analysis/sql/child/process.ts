import { constants, setPriority } from 'node:os';
import { fromOutside } from '../../../api/text/tracker-text.ts';
import { type Answer, interrupt, type Question, ready, type ToProcess } from '../messages.ts';
import { startMemoryWatch } from './start-memory-watch.ts';

/** The process that runs queries, and that can be killed with whatever it is doing. Its standard output is nobody's. */

/** Longer words of DuckDB are the query itself. */
const maxMessage = 4000;

const tell = (message: Answer | typeof ready) => process.send?.(message);

// Its parent is gone, or has no more use for it; leaving in order would wait for a function that runs.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

const setBusy = startMemoryWatch();
const { Database } = await import('./database.ts');
// Behind the thread that watches, which must come to its turn; ahead of the threads of the database, which need not.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const database = await Database.open();

process.on('message', async (message: ToProcess) => {
  if (message.ask === interrupt.ask) database.interrupt();
  else tell(await answer(message));
});
tell(ready);

async function answer(question: Question): Promise<Answer> {
  setBusy(true);
  try {
    return await database.answer(question);
  } catch (error) {
    return {
      is: 'failed',
      message: fromOutside((error instanceof Error ? error.message : String(error)).slice(0, maxMessage)),
    };
  } finally {
    setBusy(false);
  }
}
