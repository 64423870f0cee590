// Runs the bench, which is TypeScript: Node 20 does not read it, so it is bundled first.
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const outdir = resolve('node_modules/.cache/tracker-mcp-bench');
await build({
  entryPoints: ['bench', 'canned-tracker', 'traffic', 'traffic-process'].map((name) => `test/bench/${name}.ts`),
  outdir,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.18',
});
for (const part of ['bench.js', 'traffic.js']) await import(pathToFileURL(join(outdir, part)).href);
