// Takes the pictures of docs/images: `npm run screenshots`. It needs a browser, as the browser tests do.
// Node 20 does not read TypeScript, so it is bundled first.
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

process.chdir(fileURLToPath(new URL('../../..', import.meta.url)));
const outfile = resolve('node_modules/.cache/tracker-mcp/screenshots.js');
await build({
  entryPoints: ['test/browser/screenshots/take.ts'],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.18',
});
await import(pathToFileURL(outfile));
