import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** An embedded tracker with sample data, as printed by `tracker-mcp sandbox --json`. */
    sandbox: { url: string; api_key: string };
    /** A database file with sample data, to copy: creating the data takes longer than most tests. */
    sampleData: string;
  }
}

/** Starts one embedded tracker for all test files, and keeps a copy of its initial data. */
export default async function shareSandbox({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'shared-sandbox-'));
  const [sampleData, shared] = [join(folder, 'sample.duckdb'), join(folder, 'shared.duckdb')];
  await end((await startSandbox(sampleData)).process);
  await copyFile(sampleData, shared);
  const sandbox = await startSandbox(shared);
  provide('sandbox', sandbox.address);
  provide('sampleData', sampleData);
  return async () => {
    await end(sandbox.process);
    await rm(folder, { recursive: true });
  };
}

async function startSandbox(file: string) {
  const started = spawn(process.execPath, ['dist/cli.js', 'sandbox', '--json', '--data', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(started.stdout), 'line');
  return { process: started, address: JSON.parse(line) as { url: string; api_key: string } };
}

async function end(started: ChildProcess): Promise<void> {
  const exited = once(started, 'exit');
  started.kill('SIGTERM');
  await exited;
}
