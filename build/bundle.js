// Bundles the command line: one entry, and a chunk for everything that is loaded only when it is needed.
import { chmod, rm } from 'node:fs/promises';
import { build } from 'esbuild';

await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: ['src/cli.ts'],
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
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
  logLevel: 'warning',
});
await chmod('dist/cli.js', 0o755);
