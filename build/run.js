// Runs a build script in TypeScript under every supported Node: node build/run.js FILE [arguments]
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const [node, , file = '', ...given] = process.argv;
// With the process ID, because two may run at a time.
const outfile = join(root, 'node_modules/.cache/tracker-mcp', `${basename(file, '.ts')}-${process.pid}.js`);
await build({
  entryPoints: [join(root, file)],
  absWorkingDir: root,
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  logLevel: 'warning',
});
process.argv = [node, outfile, ...given];
try {
  await import(pathToFileURL(outfile).href);
} finally {
  await rm(outfile);
}
