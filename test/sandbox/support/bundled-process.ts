import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles a TypeScript file of a test, because Node cannot run it. `start` runs it on a database file. */
export async function bundleProgram(entry: URL, folder: string) {
  const program = join(folder, 'program.cjs');
  await build({
    ...{ entryPoints: [fileURLToPath(entry)], bundle: true, platform: 'node', format: 'cjs' },
    ...{ external: ['@duckdb/node-api'], outfile: program, logLevel: 'error' },
  });
  const modules = fileURLToPath(new URL('../../../node_modules', import.meta.url));
  const env = { ...process.env, NODE_PATH: modules };
  return {
    start: (file: string) => spawn(process.execPath, [program, file], { env, stdio: ['ignore', 'pipe', 'inherit'] }),
  };
}
