import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';

/**
 * A secret: typed by the person at the terminal, which does not show it, or else what standard input holds.
 *
 * @returns undefined where nothing was typed, or Ctrl+C
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
