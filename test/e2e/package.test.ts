import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { npm as npmCommand } from '../../build/programs.js';
import { newFolder } from '../support/folders.ts';
import { startClient } from './support/clients.ts';
import { runCli, sharedSandbox } from './support/run-cli.ts';

/** On a busy machine npm takes minutes. */
const npmTimeout = 300_000;

const folder = await newFolder();
const home = join(folder, 'a home (ü) %20 #1');
await mkdir(home);

/** Runs npm with its own cache and without network. */
async function npm(...given: readonly string[]): Promise<string> {
  const [program, ...first] = npmCommand;
  const env = { ...process.env, npm_config_cache: join(folder, 'cache'), npm_config_update_notifier: 'false' };
  const options = { cwd: home, env, maxBuffer: 16_000_000 };
  return (await promisify(execFile)(program, [...first, ...given], options)).stdout;
}

// Building again would replace files that other tests use.
const packed = await npm('pack', process.cwd(), '--pack-destination', folder, '--ignore-scripts', '--json');
const tarball = join(folder, JSON.parse(packed)[0].filename);
await writeFile(join(home, 'package.json'), '{"private": true}');
await npm('install', tarball, '--offline', '--omit=optional', '--no-audit', '--no-fund');

/** A path in the installed package. */
const installed = (...parts: readonly string[]) => join(home, 'node_modules', 'tracker-mcp', ...parts);

test('the package has DuckDB as its only dependency, an optional one', async () => {
  const { dependencies, optionalDependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  expect({ dependencies, optionalDependencies: Object.keys(optionalDependencies) }).toEqual({
    optionalDependencies: ['@duckdb/node-api'],
  });
  const modules = await readdir(join(home, 'node_modules'));
  expect(modules.filter((name) => !name.startsWith('.'))).toEqual(['tracker-mcp']);
});

test('the package contains the program and its documents, no sources and no tests', async () => {
  const documents = ['CHANGELOG.md', 'LICENSE', 'README.md', 'docs', 'mcp.json.example'];
  expect((await readdir(installed())).sort()).toEqual([...documents, 'dist', 'package.json'].sort());
  expect((await readdir(installed('docs'))).sort()).toEqual(['config-file.md', 'config.schema.json']);
});

test('npx runs the tarball without a network', { timeout: npmTimeout }, async () => {
  const run = ['exec', '--yes', '--offline', '--omit=optional', `--package=${tarball}`, '--', 'tracker-mcp'];
  expect(await npm(...run, '--help')).toContain('tracker-mcp call get_stats --help');
});

test('an installed package lists its tools, and calls one', async () => {
  const cli = installed('dist', 'cli.js');
  const listed = await runCli(['tools', '--json'], { cli });
  expect(JSON.parse(listed.stdout)).not.toEqual([]);
  const called = await runCli(['call', 'list_campaigns'], { cli, environment: sharedSandbox() });
  expect({ ...called, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(JSON.parse(called.stdout)).toMatchObject({ tables: [{ name: 'campaigns' }] });
});

test('an installed package finds its view, and names the package that the sandbox needs', async () => {
  const { client } = await startClient(sharedSandbox(), { args: [installed('dist', 'cli.js')] });
  const { contents } = await client.readResource({ uri: 'ui://tracker-mcp/report' });
  expect(contents).toMatchObject([{ text: expect.stringContaining('<!doctype html>') }]);
  const { code, stderr } = await runCli(['call', 'list_campaigns', '--sandbox'], { cli: installed('dist', 'cli.js') });
  expect(code).toBe(1);
  expect(stderr).toContain('@duckdb/node-api');
});

describe('a tarball unpacked into an empty folder', async () => {
  const unpacked = await newFolder();
  await promisify(execFile)('tar', ['-xzf', basename(tarball)], { cwd: dirname(tarball) });
  await cp(join(dirname(tarball), 'package'), unpacked, { recursive: true });
  const cli = join(unpacked, 'dist', 'cli.js');
  const version = async () => JSON.parse(await readFile('package.json', 'utf8')).version;

  test('serves, and says which version runs', async () => {
    const { client, call } = await startClient(sharedSandbox(), { args: [cli], cwd: unpacked });
    expect(client.getServerVersion()).toMatchObject({ version: await version() });
    expect((await call('list_campaigns')).isError).toBeFalsy();
    expect((await runCli(['--version'], { cli })).stdout).toBe(`${await version()}\n`);
  });

  test('runs the demo on sample data, with its one optional dependency', { timeout: npmTimeout }, async () => {
    await mkdir(join(unpacked, 'node_modules'));
    await symlink(resolve('node_modules', '@duckdb'), join(unpacked, 'node_modules', '@duckdb'), 'junction');
    const { code, stdout } = await runCli(['demo'], { cli });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Home fitness') });
  });
});

test('a server starts from few files, because each costs Node as much as 20 kB of code', async () => {
  const dist = installed('dist');
  const loaded = new Set(['main.js', ...(await readdir(dist)).filter((name) => name.startsWith('serve-'))]);
  for (const name of loaded) {
    const code = await readFile(join(dist, name), 'utf8');
    for (const [, file = ''] of code.matchAll(/\b(?:from|import)"\.\/([\w-]+\.js)"/g)) loaded.add(file);
  }
  expect(loaded.size).toBeLessThan(20);
});

test('the licences of all bundled packages are included', async () => {
  const licenses = await readFile(installed('dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  for (const name of ['zod', 'undici', 'hono', 'commander', 'fast-xml-parser', '@modelcontextprotocol/sdk']) {
    expect(licenses).toMatch(new RegExp(`^${name}@\\d+\\.\\d+\\.\\d+ \\([\\w.-]+\\)$`, 'm'));
  }
  expect(licenses).toContain('Permission is hereby granted, free of charge');
});

test('the SBOM lists the bundled packages, and no development tools', { timeout: npmTimeout }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['build/packages/sbom.js'], { maxBuffer: 16_000_000 });
  const names = (JSON.parse(stdout).components as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['zod', 'undici', '@duckdb/node-api']));
  expect(names).not.toEqual(expect.arrayContaining(['vitest']));
});
