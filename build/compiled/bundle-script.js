// Bundles the program as one script, in a function that src/cli.ts calls, and what it seldom needs as another.
import { writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { withSharedShapes } from './shared-shapes.js';

/** See bundle-script.d.ts. */
export const scriptFiles = ['program.cjs', 'program-seldom.cjs'];
const [programFile, seldomFile] = scriptFiles;

/** What a server for one client never loads. The script is read whole at each start, so this stands in another. */
const seldom = [
  '@decimalturn/toml-patch',
  '@modelcontextprotocol/sdk/client/index.js',
  '@modelcontextprotocol/sdk/client/stdio.js',
  '@redis/client',
  'undici/index.js',
];

/** Has each of these loaded from the other script, when it is needed. */
const withoutSeldom = {
  name: 'without-seldom',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^[@\w]/ }, ({ path }) => (seldom.includes(path) ? { path, namespace: 'seldom' } : undefined));
    onLoad({ filter: /^/, namespace: 'seldom' }, ({ path }) => ({
      contents: `module.exports = require('./${seldomFile}')[${JSON.stringify(path)}]();`,
    }));
  },
};

/** See bundle-script.d.ts. */
export async function bundleScript(common) {
  const script = { ...common, format: 'cjs', minifyIdentifiers: true };
  const program = await build({
    ...script,
    entryPoints: ['src/main.ts'],
    external: [...common.external, `./${seldomFile}`],
    plugins: [...common.plugins, withoutSeldom],
    banner: {
      js: '(function (require, __filename) {const module = {}, __url = require("url").pathToFileURL(__filename).href;',
    },
    footer: { js: '})' },
    define: { 'import.meta.url': '__url' },
    // A script that V8 takes from what it compiled can import nothing.
    supported: { 'dynamic-import': false },
  });
  const contents = seldom.map((name) => `exports[${JSON.stringify(name)}] = () => require(${JSON.stringify(name)});`);
  const beside = await build({ ...script, stdin: { contents: contents.join('\n'), resolveDir: '.' } });
  await writeFile(`dist/${programFile}`, inAscii(withSharedShapes(program.outputFiles[0].text)));
  await writeFile(`dist/${seldomFile}`, withSharedShapes(beside.outputFiles[0].text));
}

/** What is left of other characters stands in regular expressions, which read an escape as the character. */
function inAscii(script) {
  return script.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
