// Measures how often comparisons of pages are right: `npm run calibrate`, or `npm run calibrate -- 1000 lognormal` for as many
// campaigns a setting in place of 300, of the settings with that word in their names. All of them take some minutes.
// Node 20 does not read TypeScript, so it is bundled first.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const outfile = resolve('node_modules/.cache/tracker-mcp-calibrate/calibrate.js');
await build({
  entryPoints: ['test/calibrate/calibrate.ts'],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.18',
});
await import(pathToFileURL(outfile));
