// Bundles the command line, a chunk for each part that is loaded on demand, the process that runs queries, and the thread of
// large answers.
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildView } from './view.js';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/** undici always loads HTTP/2, which is slow to load, and uses it only if that is allowed. */
const withoutHttp2 = {
  name: 'without-http2',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:http2$/ }, ({ importer, path }) =>
      /[/\\]undici[/\\]lib[/\\]/.test(importer) ? { path, namespace: 'no-http2' } : undefined,
    );
    // As if Node had been built without HTTP/2.
    onLoad({ filter: /^/, namespace: 'no-http2' }, () => ({ contents: 'export const constants = {};' }));
  },
};

/** Each part that the start loads later. */
const later = new Set();
for (const name of await readdir('src', { recursive: true })) {
  if (!name.endsWith('.ts')) continue;
  const file = resolve('src', name);
  for (const [, path] of (await readFile(file, 'utf8')).matchAll(/\bimport\('(\.[^']+)'\)/g))
    later.add(resolve(dirname(file), path));
}
later.delete(resolve('src/main.ts'));

/**
 * DuckDB is a native module, which must remain where npm put it. It is required, since Node would read each of its 180 files twice to
 * import it.
 */
const requiredDuckDb = {
  name: 'required-duckdb',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^@duckdb\/node-api$/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, external: true } : { path, namespace: 'required' },
    );
    onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
    }));
  },
};

/**
 * Puts all that the server needs at its start into one file: Node takes half a millisecond to find, read and link each, and there would
 * be 44. For that, each part that is loaded later imports the start, and the parts of the decoder import the decoder.
 */
const oneStart = {
  name: 'one-start',
  setup: ({ onLoad }) => {
    const start = resolve('src/commands/serve.ts');
    const decoder = resolve('src/client/decode/decode.ts');
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (!later.has(path) || path === start) return;
      const before = dirname(path) === dirname(decoder) && path !== decoder ? [start, decoder] : [start];
      const imports = before.map((file) => `import ${JSON.stringify(file)};\n`).join('');
      const contents = imports + (await readFile(path, 'utf8'));
      return { contents, loader: 'ts', resolveDir: dirname(path) };
    });
  },
};

const options = {
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20.18',
  minify: true,
  legalComments: 'none',
  // From an ES module, only what is used gets into the bundle.
  mainFields: ['module', 'main'],
  alias: { '@modelcontextprotocol/server/_shims': './build/sdk-shims.js' },
  logLevel: 'warning',
  metafile: true,
  write: false,
  splitting: true,
  format: 'esm',
  // CommonJS packages in the bundle call require() for Node's own modules.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
};

/** What other processes and threads load has no use for the start, and would divide it into pieces if they shared any. */
const builds = await Promise.all([
  build({
    ...options,
    plugins: [withoutHttp2, requiredDuckDb, oneStart],
    entryPoints: { cli: 'src/cli.ts', main: 'src/main.ts' },
  }),
  build({
    ...options,
    plugins: [requiredDuckDb],
    entryPoints: {
      'query-process': 'src/analysis/sql/child/process.ts',
      'query-memory-watch': 'src/analysis/sql/child/memory-watch.ts',
      'answer-thread': 'src/client/answer-reader.ts',
    },
  }),
]);
const metafiles = builds.map(({ metafile }) => metafile);
await mkdir('dist', { recursive: true });
for (const { path, text } of builds.flatMap(({ outputFiles }) => outputFiles)) await writeFile(path, text);
await chmod('dist/cli.js', 0o755);
const view = await buildView();
const packages = await bundledPackages([...metafiles, view.metafile]);
const extra = { 'view.html': view.page, 'THIRD-PARTY-LICENSES.txt': renderLicenses(packages) };
for (const [name, text] of Object.entries(extra)) await writeFile(join('dist', name), text);
await mkdir('node_modules/.cache/tracker-mcp', { recursive: true });
await writeFile('node_modules/.cache/tracker-mcp/bundled.json', JSON.stringify(packages.map(({ id }) => id)));

// Old files are removed last, because a running command may still load its chunks.
const outputs = metafiles.flatMap((metafile) => Object.keys(metafile.outputs));
const made = new Set([...outputs.map((name) => basename(name)), ...Object.keys(extra)]);
for (const name of await readdir('dist')) if (!made.has(name)) await rm(join('dist', name), { recursive: true });

/** The packages that esbuild took into the bundle. Throws if one has no licence, because it could not be distributed. */
async function bundledPackages(metafiles) {
  const folders = metafiles
    .flatMap(({ inputs }) => Object.keys(inputs))
    .flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []);
  const packages = await Promise.all([...new Set(folders)].map(readPackage));
  const byId = new Map(packages.map((one) => [one.id, one]));
  return [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

async function readPackage(folder) {
  const { name, version, license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${name} ${version} names no licence.`);
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const holder = typeof author === 'string' ? author : author?.name;
  const text = texts.map((part) => part.replaceAll('\r\n', '\n').trim()).join('\n\n');
  return { id: `${name}@${version}`, license, text: text || `Copyright ${holder ?? `the authors of ${name}`}` };
}

/** All licences in one text; packages with the same licence share it. */
function renderLicenses(packages) {
  const byText = new Map();
  for (const one of packages) byText.set(one.text, [...(byText.get(one.text) ?? []), one]);
  const parts = [...byText].map(([text, sharing]) =>
    [...sharing.map(({ id, license }) => `${id} (${license})`), '', text].join('\n'),
  );
  return `${['dist/ holds these packages, bundled.', ...parts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
