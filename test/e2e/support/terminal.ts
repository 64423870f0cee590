import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { devNull } from 'node:os';
import { scriptPrograms } from '../../support/system.ts';
import { ownEnvironment } from './run-cli.ts';

/** What a person does: once the screen ends like this, they type that and press Enter. */
export type Step = readonly [shown: RegExp, typed: string];

/** Runs a command as a person at a terminal does, who does one step after the other. */
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
      env: { ...ownEnvironment, TERM: 'dumb', ...environment },
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

/** A text without the colours and moves of the cursor in it. */
function withoutCodes(text: string): string {
  return text.replace(/\x1b\[[\d;?]*[A-Za-z]/g, '');
}

/** Ways to have a terminal: that of Linux, if the system has it. */
export const terminals: readonly OnTerminal[] = scriptPrograms.filter((path) => existsSync(path)).map(onTerminalOf);
