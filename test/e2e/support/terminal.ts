import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { devNull } from 'node:os';
import { scriptPrograms } from '../../support/system.ts';
import { environmentOf } from './run-cli.ts';

/** Once the screen ends like `shown`, the person types `typed` and presses Enter. */
export type Step = readonly [shown: RegExp, typed: string];

/** Runs a command at a terminal, with the steps of a person. */
export type OnTerminal = (
  given: readonly string[],
  environment: Readonly<Record<string, string>>,
  steps?: readonly Step[],
  columns?: number,
) => Promise<{ readonly code: number | null; readonly shown: string }>;

const onTerminalOf =
  (program: string): OnTerminal =>
  (given, environment, steps = [], columns = 120) => {
    const words = [process.execPath, 'dist/cli.js', ...given].map((word) => `'${word}'`).join(' ');
    const child = spawn(program, ['-qec', `stty cols ${columns} && ${words}`, devNull], {
      env: environmentOf({ TERM: 'dumb', ...environment }),
    });
    let shown = '';
    let from = 0;
    const left = [...steps];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text.replaceAll('\r', '');
      const [next] = left;
      if (!next?.[0].test(withoutCodes(shown.slice(from)))) return;
      left.shift();
      from = shown.length;
      child.stdin.write(`${next[1]}\r`);
    });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, shown: withoutCodes(shown) }));
    });
  };

/** Removes colours and cursor movements. */
function withoutCodes(text: string): string {
  return text.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '');
}

/** Programs that provide a terminal, if the system has one. */
export const terminals: readonly OnTerminal[] = scriptPrograms.filter((path) => existsSync(path)).map(onTerminalOf);
