import { Failure } from '../../api/failure.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox.ts';

/**
 * Loads and starts the embedded tracker; nothing of it is loaded before.
 *
 * @throws Failure where its database is not installed, the port cannot be used, or the file cannot be opened
 */
export async function startEmbeddedTracker(options: SandboxOptions): Promise<Sandbox> {
  const { startSandbox } = await import('../../sandbox/sandbox.ts').catch((error: unknown) => {
    throw isMissingDatabase(error)
      ? new Failure('The embedded tracker needs DuckDB, which is not installed.', 'Run: npm install @duckdb/node-api')
      : error;
  });
  return startSandbox(options);
}

/** npm leaves out an optional dependency that has no build for the machine, without a word. */
function isMissingDatabase(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    /MODULE_NOT_FOUND/.test(String(error.code)) &&
    /duckdb/.test(error.message)
  );
}
