import { createInterface } from 'node:readline';
import { createInterface as createQuestions } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Ask } from '../../guard/write.ts';

/** Questions to the person at the terminal. They go to stderr, because stdout is for the output. */

/** Whether there is a person to ask, and not a pipe. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** One trimmed line that a person types; empty if the signal or the person ends the question. */
export async function askLine(question: string, signal?: AbortSignal): Promise<string> {
  const terminal = createQuestions({ input: process.stdin, output: process.stderr });
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());
  const close = () => terminal.close();
  signal?.addEventListener('abort', close, { once: true });
  try {
    return (await terminal.question(question, { signal: closed.signal })).trim();
  } catch (error) {
    if (closed.signal.aborted) return '';
    throw error;
  } finally {
    signal?.removeEventListener('abort', close);
    close();
  }
}

/** Asks for a yes. An empty line is the default answer, in capitals: [y/N] or [Y/n]. */
export async function askYes(question: string, byDefault: 'yes' | 'no' = 'no', signal?: AbortSignal): Promise<boolean> {
  const answer = await askLine(`${question} ${byDefault === 'yes' ? '[Y/n]' : '[y/N]'} `, signal);
  return answer === '' ? byDefault === 'yes' : /^y(es)?$/i.test(answer);
}

/** Asks about writes, until the signal ends the question. */
export const askOnTerminal =
  (signal: AbortSignal): Ask =>
  async (question) => {
    if (!canAsk()) return 'unavailable';
    return (await askYes(`${question}\nSend this to the tracker?`, 'no', signal)) ? 'yes' : 'no';
  };

/**
 * Asks for a secret, which the terminal does not show. Without a terminal it reads standard input.
 *
 * @returns undefined if it is empty, or after Ctrl+C
 */
export async function askSecret(question: string): Promise<string | undefined> {
  const typed = process.stdin.isTTY ? await askHidden(question) : await text(process.stdin);
  return typed.trim() || undefined;
}

function askHidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  return new Promise((resolve) => {
    terminal.once('SIGINT', () => terminal.close());
    terminal.once('close', () => {
      process.stderr.write('\n');
      resolve('');
    });
    terminal.question('', (typed) => {
      resolve(typed);
      terminal.close();
    });
    // Shown last, because only now the terminal hides what is typed or pasted.
    process.stderr.write(question);
  });
}
