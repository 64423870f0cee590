import { createInterface } from 'node:readline';
import { createInterface as createQuestions } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Ask } from '../../guard/write.ts';

/** What a person is asked on the terminal. Questions go to stderr, so that stdout holds the output alone. */

/** Whether there is a person to ask: in a pipe there is none. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** One line that a person types, without the space around it; empty if the signal or the person ends the question. */
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

/** Whether a person says yes. An empty line means the answer in capitals: [y/N] or [Y/n]. */
export async function askYes(question: string, byDefault: 'yes' | 'no' = 'no', signal?: AbortSignal): Promise<boolean> {
  const answer = await askLine(`${question} ${byDefault === 'yes' ? '[Y/n]' : '[y/N]'} `, signal);
  return answer === '' ? byDefault === 'yes' : /^y(es)?$/i.test(answer);
}

/** Asks about a write, until the signal ends it. */
export const askOnTerminal =
  (signal: AbortSignal): Ask =>
  async (question) => {
    if (!canAsk()) return 'unavailable';
    return (await askYes(`${question}\nSend this to the tracker?`, 'no', signal)) ? 'yes' : 'no';
  };

/**
 * A secret: typed by the person at the terminal, which does not show it, or else what standard input holds.
 *
 * @returns undefined if nothing was typed, or Ctrl+C
 */
export async function askSecret(question: string): Promise<string | undefined> {
  const typed = process.stdin.isTTY ? await typeUnseen(question) : await text(process.stdin);
  return typed.trim() || undefined;
}

function typeUnseen(question: string): Promise<string> {
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
    // Only now does the terminal show nothing of what is typed, or pasted at once.
    process.stderr.write(question);
  });
}
