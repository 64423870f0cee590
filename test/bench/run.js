// Runs the bench, or the parts that are named: `npm run bench -- traffic`. With --save, the figures of the documentation are written.
// It is TypeScript, which Node 20 does not read, so it is bundled first.
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const outdir = resolve('node_modules/.cache/tracker-mcp-bench');
await build({
  entryPoints: ['bench', 'canned-tracker', 'http', 'traffic', 'traffic-process', 'account', 'visits-tracker'].map(
    (name) => `test/bench/${name}.ts`,
  ),
  outdir,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.18',
});
const named = process.argv.slice(2).filter((given) => !given.startsWith('--'));
const parts = named.length > 0 ? named : ['bench', 'http', 'traffic', 'account'];
for (const part of parts) await import(pathToFileURL(join(outdir, `${part}.js`)).href);
