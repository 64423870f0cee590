import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build, type Metafile } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** What each part of src may import: other parts, and packages. Everything else is a wall. */
const walls: Readonly<Record<string, { readonly parts: readonly string[]; readonly packages: readonly string[] }>> = {
  'api/probe.ts': { parts: [], packages: ['zod'] },
  'guard/probe.ts': { parts: ['api'], packages: ['zod', 'node:fs'] },
  'client/probe.ts': { parts: ['api'], packages: ['zod', 'node:fs', 'undici', 'fast-xml-parser'] },
  'client/decode/probe.ts': { parts: ['api'], packages: ['zod', 'node:fs', 'undici', 'fast-xml-parser'] },
  'analysis/probe.ts': { parts: ['api'], packages: ['zod'] },
  'analysis/sql-engine.ts': { parts: ['api'], packages: ['node:fs', '@duckdb/node-api'] },
  'tools/probe.ts': { parts: ['api', 'guard', 'client', 'analysis'], packages: ['zod'] },
  'tools/present/probe.ts': { parts: ['api', 'guard', 'client', 'analysis'], packages: ['zod'] },
  'mcp/probe.ts': {
    parts: ['api', 'guard', 'client', 'analysis', 'tools'],
    packages: ['zod', 'node:fs', '@modelcontextprotocol/sdk/server/index.js', 'hono'],
  },
  'sandbox/probe.ts': { parts: ['api'], packages: ['zod', 'node:fs', '@duckdb/node-api', 'hono'] },
  'sandbox/store/probe.ts': { parts: ['api'], packages: ['zod', 'node:fs', '@duckdb/node-api', 'hono'] },
  'commands/probe.ts': {
    parts: ['api', 'guard', 'client', 'analysis', 'tools', 'mcp', 'sandbox', 'config', 'version'],
    packages: ['zod', 'node:fs', 'commander'],
  },
  'views/probe.ts': { parts: ['api', 'tools'], packages: [] },
  'config.ts': { parts: ['api'], packages: ['zod', 'node:fs'] },
  'version.ts': { parts: [], packages: [] },
  'cli.ts': { parts: ['commands'], packages: [] },
};

const folders = ['analysis', 'api', 'client', 'commands', 'guard', 'mcp', 'sandbox', 'tools', 'views'];
const files = ['cli', 'config', 'version'];
const packages = [
  ...['zod', 'node:fs', 'undici', 'fast-xml-parser', '@modelcontextprotocol/sdk/server/index.js'],
  ...['@duckdb/node-api', 'hono', 'commander', 'a-package-of-tomorrow'],
];

/** Every import that a file could be tempted by, each with whether the walls let it through. */
function temptations(file: string): { readonly line: string; readonly isAllowed: boolean }[] {
  const here = dirname(file);
  const own = here === '.' ? file.replace('.ts', '') : here.split('/')[0];
  const allowed = walls[file] ?? { parts: [], packages: [] };
  const up = (target: string) => relative(here, target).replace(/^(?!\.)/, './');
  const others = [...folders, ...files].filter((part) => part !== own);
  const isPart = (part: string) => allowed.parts.includes(part);
  return [
    ...others.flatMap((part) => {
      const target = up(folders.includes(part) ? `${part}/inner/some.ts` : `${part}.ts`);
      return [
        { line: `import '${target}';`, isAllowed: isPart(part) },
        { line: `import type { Some } from '${target}';`, isAllowed: isPart(part) },
        { line: `export * from '${target}';`, isAllowed: isPart(part) },
        { line: `await import('${target}');`, isAllowed: isPart(part) },
      ];
    }),
    ...packages.map((name) => ({ line: `import '${name}';`, isAllowed: allowed.packages.includes(name) })),
  ];
}

let copy: string;
let complaints: readonly string[];

/** Runs the project's own linter configuration over a tree that breaks every wall; one run serves all tests. */
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'house-'));
  const write = async (file: string, lines: readonly string[]) => {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await writeFile(join(copy, file), lines.join('\n'));
  };
  await copyFile('biome.json', join(copy, 'biome.json'));
  await copyFile('.gitignore', join(copy, '.gitignore'));
  for (const file of Object.keys(walls)) {
    await write(
      `src/${file}`,
      temptations(file).map(({ line }) => line),
    );
  }
  await write('src/tools/one.ts', ["import { other } from './other.ts';", 'export const one = () => other;']);
  await write('src/tools/other.ts', ["import { one } from './one.ts';", 'export const other = () => one;']);
  await write('test/some.test.ts', ["test.only('a', () => {});", "describe.skip('b', () => {});"]);
  const biome = resolve('node_modules/.bin/biome');
  const { stdout } = await promisify(execFile)(
    biome,
    ['lint', '--reporter=github', '--max-diagnostics=none', `--config-path=${copy}`, '.'],
    { cwd: copy, maxBuffer: 16_000_000 },
  ).catch((failed: { stdout: string }) => failed);
  complaints = stdout.split('\n').filter((line) => line.startsWith('::error'));
});

afterAll(() => rm(copy, { recursive: true, force: true }));

/** The lines of a file that break a rule. */
function linesWith(rule: string, file: string): number[] {
  return complaints.flatMap((complaint) => {
    const match = /title=([^,]+),file=([^,]+),line=(\d+)/.exec(complaint);
    return match?.[1] === `lint/${rule}` && match[2]?.endsWith(file) ? [Number(match[3])] : [];
  });
}

test.each(Object.keys(walls))('src/%s imports what stands below it, and nothing else', (file) => {
  const broken = new Set(linesWith('style/noRestrictedImports', `src/${file}`));
  const stopped = temptations(file).filter((_, index) => broken.has(index + 1));
  const shouldStop = temptations(file).filter(({ isAllowed }) => !isAllowed);
  expect(stopped.map(({ line }) => line)).toEqual(shouldStop.map(({ line }) => line));
});

test('every part of src has its walls', async () => {
  const parts = (await readdir('src')).map((name) => name.replace('.ts', ''));
  expect(parts.filter((part) => ![...folders, ...files].includes(part))).toEqual([]);
});

test('an import cycle is found', () => {
  expect(linesWith('suspicious/noImportCycles', 'src/tools/one.ts')).toEqual([1]);
});

test('a focused and a skipped test are found', () => {
  expect(linesWith('suspicious/noFocusedTests', 'test/some.test.ts')).toEqual([1]);
  expect(linesWith('suspicious/noSkippedTests', 'test/some.test.ts')).toEqual([2]);
});

test('no type is imported past the walls, where the linter does not look', async () => {
  const names = await readdir('src', { recursive: true });
  const walled = names.filter((name) => name.endsWith('.ts') && !name.startsWith('commands'));
  const texts = await Promise.all(walled.map((name) => readFile(join('src', name), 'utf8')));
  expect(walled.filter((_, index) => /import\([^)]*\)\.(?!then\b)/.test(texts[index] ?? ''))).toEqual([]);
});

/** The files that are read before a command's first line runs. */
function startPath({ outputs }: Metafile, entries: readonly string[]): string[] {
  const pending = Object.keys(outputs).filter((name) => entries.includes(outputs[name]?.entryPoint ?? ''));
  const loaded = new Set<string>();
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (loaded.has(name)) continue;
    loaded.add(name);
    const eager = outputs[name]?.imports.filter(({ kind, external }) => kind === 'import-statement' && !external) ?? [];
    pending.push(...eager.map(({ path }) => path));
  }
  return [...loaded].flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}));
}

test('a server answers its client before DuckDB, the sandbox, undici, XML or a web framework is loaded', async () => {
  const { metafile } = await build({
    entryPoints: ['src/cli.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    packages: 'bundle',
    external: ['@duckdb/node-api'],
    metafile: true,
    write: false,
  });
  const read = startPath(metafile, ['src/cli.ts', 'src/commands/serve.ts']);
  const partOf = (file: string) =>
    /node_modules\/([^/]+)/.exec(file)?.[1] ?? file.replace(/^(src\/(?:sandbox|views))\/.*/, '$1');
  const notNeeded =
    /^(src\/(sandbox|views)|src\/commands\/(call|check|demo|sandbox|tools)\.ts|undici|fast-xml-parser|hono|bowser|@hono|@duckdb)$/;
  expect(read).toContain('src/mcp/server.ts');
  expect([...new Set(read.map(partOf))].filter((part) => notNeeded.test(part))).toEqual([]);
});
