import { build, type Metafile } from 'esbuild';
import { expect, test } from 'vitest';

/** The files that are loaded before a command's first line runs. */
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

test('a server answers its client before DuckDB, the sandbox, undici, the reading of answers, XML, statistics, traces, Redis, a web framework, Ajv or a file of trackers is loaded', async () => {
  const { metafile } = await build({
    entryPoints: ['src/main.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    packages: 'bundle',
    external: ['@duckdb/node-api'],
    alias: { '@modelcontextprotocol/server/_shims': './build/sdk-shims.js' },
    metafile: true,
    write: false,
  });
  const read = startPath(metafile, ['src/main.ts', 'src/commands/serve.ts']);
  const partOf = (file: string) =>
    /node_modules\/([^/]+)/.exec(file)?.[1] ?? file.replace(/^(src\/(?:redis|sandbox|views))\/.*/, '$1');
  const notNeeded =
    /^(ajv|src\/(redis|sandbox|views)|src\/commands\/(call|check|demo|sandbox|tools)\.ts|jsonc-parser|undici|fast-xml-parser|hono|bowser|@hono|@redis|@duckdb|@opentelemetry|@stdlib)$/;
  expect(read).toContain('src/mcp/server.ts');
  expect(read).not.toContain('src/client/decode/decode.ts');
  expect([...new Set(read.map(partOf))].filter((part) => notNeeded.test(part))).toEqual([]);
  // `import { z }` keeps all of zod in the bundle, including its languages.
  expect(read.filter((file) => /zod\/v4\/locales\/(?!en\.)/.test(file))).toEqual([]);
  const connecting = startPath(metafile, ['src/client/http/connections.ts']);
  expect(connecting).toContain('node_modules/undici/lib/dispatcher/agent.js');
  // The first call waits for these.
  expect(connecting.filter((file) => /undici\/lib\/(mock|cache|web\/(fetch\/index|cookies))/.test(file))).toEqual([]);
});
