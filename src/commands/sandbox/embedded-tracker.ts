import { Failure } from '../../api/failure.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox.ts';

/**
 * Loads and starts the embedded tracker. DuckDB works in threads of its own, so that a server can answer its client in the meantime.
 *
 * @throws Failure if DuckDB is not installed, the port cannot be used, or the file cannot be opened
 */
export async function startEmbeddedTracker(options: SandboxOptions): Promise<Sandbox> {
  const { startSandbox } = await import('../../sandbox/sandbox.ts').catch((error: unknown) => {
    throw isMissingDatabase(error)
      ? new Failure('The embedded tracker needs DuckDB, which is not installed.', 'Run: npm install @duckdb/node-api')
      : error;
  });
  return startSandbox(options);
}

/** npm silently skips an optional dependency that has no build for the machine. */
function isMissingDatabase(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    /MODULE_NOT_FOUND/.test(String(error.code)) &&
    /duckdb/.test(error.message)
  );
}
