import { createInterface } from 'node:readline';
import { createInterface as createQuestions } from 'node:readline/promises';
import { addAbortSignal, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Deadline, within } from '../../api/deadline.ts';
import { Failure } from '../../api/failure.ts';
import type { Ask } from '../../guard/write.ts';

/** Questions to the person at the terminal. They go to stderr, because stdout is for the output. */

/** Whether there is a person to ask, and not a pipe. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** One trimmed line that a person types; undefined if the signal or the person ends the question. */
export async function askLine(question: string, signal?: AbortSignal): Promise<string | undefined> {
  const terminal = createQuestions({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());
  const close = () => terminal.close();
  signal?.addEventListener('abort', close, { once: true });
  try {
    return (await terminal.question(question, { signal: closed.signal })).trim();
  } catch (error) {
    if (closed.signal.aborted) return undefined;
    throw error;
  } finally {
    signal?.removeEventListener('abort', close);
    close();
  }
}

/**
 * Asks for a yes or no until it gets one. An empty line is the default answer, in capitals: [y/N] or [Y/n].
 *
 * @returns undefined if the signal or the person ends the question
 */
export async function askYes(
  question: string,
  byDefault: 'yes' | 'no' = 'no',
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  const choice = byDefault === 'yes' ? '[Y/n]' : '[y/N]';
  // Anything else is asked again: a no may switch off what protects.
  for (let asked = `${question} ${choice} `; ; asked = `y or n? ${choice} `) {
    const answer = await askLine(asked, signal);
    if (answer === undefined) return undefined;
    if (answer === '') return byDefault === 'yes';
    if (/^(y(es)?|no?)$/i.test(answer)) return /^y/i.test(answer);
  }
}

/**
 * Asks about writes, until the signal ends the question. Without a yes it throws a Failure, for the one who just said no.
 *
 * @param tracker where they would go
 */
export const askOnTerminal =
  (signal: AbortSignal, tracker = 'the tracker'): Ask =>
  async (question) => {
    if (!canAsk()) return 'unavailable';
    if (await askYes(`${question}\nSend this to ${tracker}?`, 'no', signal)) return 'yes';
    throw new Failure('Nothing was sent.');
  };

/** How long a pipe may take to give a secret. */
export const maxPipeMs = 10_000;

/**
 * Asks for a secret, which the terminal does not show. A person may take their time; without a terminal it reads standard input.
 *
 * @returns empty if nothing was typed or a pipe does not end in time; undefined if the person ends the question
 */
export async function askSecret(question: string): Promise<string | undefined> {
  return (process.stdin.isTTY ? await askHidden(question) : await within(maxPipeMs, readPipe))?.trim();
}

async function readPipe(deadline: Deadline): Promise<string> {
  try {
    return await text(addAbortSignal(deadline.signal, process.stdin));
  } catch (error) {
    if (deadline.hasTimedOut) return '';
    throw error;
  }
}

function askHidden(question: string): Promise<string | undefined> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  return new Promise((resolve) => {
    terminal.once('SIGINT', () => terminal.close());
    terminal.once('close', () => {
      process.stderr.write('\n');
      resolve(undefined);
    });
    terminal.question('', (typed) => {
      resolve(typed);
      terminal.close();
    });
    // Shown last, because only now the terminal hides what is typed or pasted.
    process.stderr.write(question);
  });
}
