import { createInterface } from 'node:readline/promises';
import type { Ask } from '../../guard/question.ts';

/** Asks the person at the terminal, until the signal ends it; in a pipe there is nobody to ask. */
export const askOnTerminal =
  (signal: AbortSignal): Ask =>
  async (question) => {
    if (!process.stdin.isTTY || !process.stderr.isTTY) return 'unavailable';
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    try {
      const answer = await terminal.question(`${question}\nSend this to the tracker? [y/N] `, { signal });
      return /^y(es)?$/i.test(answer.trim()) ? 'yes' : 'no';
    } catch (error) {
      if (signal.aborted) return 'no';
      throw error;
    } finally {
      terminal.close();
    }
  };
