import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** An embedded tracker with sample data, as `tracker-mcp sandbox --json` tells of it. */
    sandbox: { url: string; api_key: string };
  }
}

/** Starts one embedded tracker as a process for all the test files. */
export default async function shareSandbox({ provide }: TestProject): Promise<() => Promise<void>> {
  const sandbox = spawn(process.execPath, ['dist/cli.js', 'sandbox', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(sandbox.stdout), 'line');
  provide('sandbox', JSON.parse(line));
  return async () => {
    const exited = once(sandbox, 'exit');
    sandbox.kill('SIGTERM');
    await exited;
  };
}
