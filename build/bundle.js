// Bundles the command line, a chunk for everything that is loaded only when it is needed, the process that runs queries, and
// the threads of the embedded tracker and of large answers.
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundledPackages, renderLicenses } from './packages/licenses.js';
import { buildView } from './view.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/** undici looks for HTTP/2 whenever it is loaded, and speaks it only if that is allowed. Node takes a while to load it. */
const withoutHttp2 = {
  name: 'without-http2',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:http2$/ }, ({ importer, path }) =>
      /[/\\]undici[/\\]lib[/\\]/.test(importer) ? { path, namespace: 'no-http2' } : undefined,
    );
    // What undici finds if Node was built without HTTP/2.
    onLoad({ filter: /^/, namespace: 'no-http2' }, () => ({ contents: 'export const constants = {};' }));
  },
};

/**
 * Node takes half a millisecond to find, read and link a file, and a start would need 44: one for what each set of commands shares.
 * What is loaded later imports all that a start needs, which then is one file.
 */
const oneStart = {
  name: 'one-start',
  setup: ({ onResolve, onLoad }) => {
    const start = resolve('src/commands/serve.ts');
    onResolve({ filter: /^\.\.?\// }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { path: resolve(resolveDir, path), pluginData: 'later' } : undefined,
    );
    onLoad({ filter: /\.ts$/ }, async ({ path, pluginData }) => {
      if (pluginData !== 'later' || path === start) return;
      const contents = `import ${JSON.stringify(start)};\n${await readFile(path, 'utf8')}`;
      return { contents, loader: 'ts', resolveDir: dirname(path) };
    });
  },
};
const { metafile, outputFiles } = await build({
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20.18',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // A native module stays where npm put it.
  external: ['@duckdb/node-api'],
  // Packages that come in both forms are taken as ES modules, of which only what is used gets into the bundle.
  mainFields: ['module', 'main'],
  plugins: [withoutHttp2, oneStart],
  alias: { '@modelcontextprotocol/server/_shims': './build/sdk-shims.js' },
  logLevel: 'warning',
  metafile: true,
  write: false,
  entryPoints: {
    cli: 'src/cli.ts',
    main: 'src/main.ts',
    'query-process': 'src/analysis/sql/child/process.ts',
    'query-memory-watch': 'src/analysis/sql/child/memory-watch.ts',
    'tracker-thread': 'src/commands/sandbox/run-tracker-thread.ts',
    'answer-thread': 'src/client/answer-reader.ts',
  },
  splitting: true,
  format: 'esm',
  // CommonJS packages inside the bundle ask for Node's own modules with require().
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
});
await mkdir('dist', { recursive: true });
for (const { path, text } of outputFiles) await writeFile(path, text);
const view = await buildView();
const packages = await bundledPackages([metafile, view.metafile]);
const beside = { 'view.html': view.page, 'THIRD-PARTY-LICENSES.txt': renderLicenses(packages) };
// Windows has no such mode, and takes the call for nothing.
await chmod('dist/cli.js', 0o755);
for (const [name, text] of Object.entries(beside)) await writeFile(join('dist', name), text);
await mkdir('node_modules/.cache/tracker-mcp', { recursive: true });
await writeFile('node_modules/.cache/tracker-mcp/bundled.json', JSON.stringify(packages.map(({ id }) => id)));

// Old files go last: a command that is just running finds its chunks until then.
const made = new Set([...Object.keys(metafile.outputs).map((name) => basename(name)), ...Object.keys(beside)]);
for (const name of await readdir('dist')) if (!made.has(name)) await rm(join('dist', name), { recursive: true });
