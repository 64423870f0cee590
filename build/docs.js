// Brings the generated parts of the documentation up to date; `npm run docs -- --check` fails where they are not.
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const outfile = 'node_modules/.cache/tracker-mcp/docs.js';
await build({
  entryPoints: ['build/docs.ts'],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  logLevel: 'warning',
});
await import(pathToFileURL(outfile).href);
