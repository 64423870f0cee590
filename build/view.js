// Makes the page that hosts with MCP Apps show. Script and style are inline, and its policy allows nothing else.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const views = new URL('../src/views/', import.meta.url);

export async function buildView() {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  const [{ text: script, metafile }, { text: style }, template] = await Promise.all([
    bundle('main.ts', { format: 'esm', define: { packageVersion: JSON.stringify(version) } }),
    bundle('report.css', {}),
    readFile(new URL('report.html', views), 'utf8'),
  ]);
  const inlined = {
    '%POLICY%': policyFor(script),
    '<link rel="stylesheet" href="report.css" />': `<style>${style}</style>`,
    '<script type="module" src="main.ts"></script>': `<script type="module">${script}</script>`,
  };
  const page = Object.entries(inlined).reduce((whole, [mark, part]) => {
    if (!whole.includes(mark)) throw new Error(`report.html has no ${mark}`);
    // A function, because dollar signs are special in a replacement text.
    return whole.replace(mark, () => part);
  }, template);
  return { page, metafile };
}

/** Only this script runs, no text becomes markup, and there is no network. */
function policyFor(script) {
  const hash = createHash('sha256').update(script).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

async function bundle(file, options) {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL(file, views))],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    legalComments: 'none',
    target: ['chrome123', 'safari17.5', 'firefox120'],
    // They all have it; else expressions that are unused here would stay.
    supported: { 'regexp-set-notation': true, 'regexp-unicode-property-escapes': true },
    logLevel: 'warning',
    ...options,
  });
  return { text: outputFiles[0].text.trim(), metafile };
}
