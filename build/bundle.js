// Bundles the command line, a chunk for everything that is loaded only when it is needed, and the thread for large answers.
import { chmod, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { buildView } from './view.js';

const { metafile } = await build({
  entryPoints: {
    cli: 'src/cli.ts',
    'answer-thread': 'src/client/answer-thread.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.18',
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: false,
  legalComments: 'none',
  // A native module stays where npm put it.
  external: ['@duckdb/node-api'],
  // CommonJS packages inside the bundle ask for Node's own modules with require().
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
  metafile: true,
});
await chmod('dist/cli.js', 0o755);
await writeFile('dist/view.html', await buildView());

// Old files go last: a command that is just running finds its chunks until then.
const made = new Set([...Object.keys(metafile.outputs).map((name) => basename(name)), 'view.html']);
for (const name of await readdir('dist')) if (!made.has(name)) await rm(join('dist', name), { recursive: true });
