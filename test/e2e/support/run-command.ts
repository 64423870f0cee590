import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { closeAfterTests } from '../../support/closing.ts';
import { type CliOptions, type Ended, environmentOf } from './run-cli.ts';

/**
 * Runs a command of the built program to its end, in a thread that has loaded the program once: starting a process costs more
 * than most commands. Tests about a process (signals, pipes, start environment, home directory) use `runCli`.
 */
export async function runCommand(
  given: readonly string[],
  { environment = {}, input = '', cli = 'dist/cli.js' }: CliOptions = {},
): Promise<Ended> {
  const run = last.then(async () => {
    thread ??= startThread();
    thread.postMessage({ cli, given, input, environment: environmentOf(environment) });
    const [ended] = await once(thread, 'message');
    return ended as Ended;
  });
  last = run.catch(() => undefined);
  return run;
}

/** Commands run one after another: they share the thread's environment and standard streams. */
let last: Promise<unknown> = Promise.resolve();
let thread: Worker | undefined;

function startThread(): Worker {
  const started = new Worker(new URL('command-thread.js', import.meta.url), { env: {}, stdin: true });
  // A defect ends the thread and the current run; the next run gets a new thread.
  started.on('error', () => {
    thread = undefined;
  });
  closeAfterTests(() => {
    thread = undefined;
    return started.terminate();
  });
  return started;
}
