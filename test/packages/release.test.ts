import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { newFolder } from '../support/folders.ts';

const run = promisify(execFile);
const script = resolve('build/release.js');
const folder = await newFolder();

const today = /\d{4}-\d{2}-\d{2}/;
const changelog = `# Changelog

## [Unreleased]

### Added

- A thing.

## [0.0.9] - 2026-01-01

- An older thing.
`;

let repository: string;

const git = async (...given: readonly string[]) => (await run('git', given, { cwd: repository })).stdout.trim();
const read = (file: string) => readFile(join(repository, file), 'utf8');
const write = (file: string, text: string) => writeFile(join(repository, file), text);

/** A file of checks, outside of the repository. */
async function check(code: string): Promise<string> {
  const file = join(folder, 'check.js');
  await writeFile(file, code);
  return file;
}

/** Makes a release, by default with checks that pass. */
async function release(...given: readonly string[]) {
  const checks = given.includes('--checks') ? [] : ['--checks', await check('')];
  try {
    const { stdout, stderr } = await run(process.execPath, [script, ...given, ...checks], { cwd: repository });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

/** A repository with the files that a release writes; each test has a copy. */
const begun = join(folder, 'begun');
beforeAll(async () => {
  repository = begun;
  await mkdir(begun);
  for (const file of ['package.json', 'package-lock.json', 'server.json']) await cp(file, join(repository, file));
  await write('CHANGELOG.md', changelog);
  await mkdir(join(repository, 'docs'));
  await write('docs/bench.json', '{"load":1}');
  await git('init', '--quiet', '--initial-branch', 'main');
  const identity = { 'user.name': 'A', 'user.email': 'a@example.com', 'core.autocrlf': 'false' };
  for (const setting of Object.entries(identity)) await git('config', ...setting);
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'Begin');
});
beforeEach(async () => {
  repository = await mkdtemp(join(folder, 'repository-'));
  await cp(begun, repository, { recursive: true });
});

test('a release writes one version everywhere, dates the changelog, commits and tags', async () => {
  const before = JSON.parse(await read('package.json')).version as string;
  const [major, minor] = before.split('.').map(Number);
  const version = `${major}.${(minor ?? 0) + 1}.0`;
  const { code, output } = await release('minor');
  expect([code, output]).toEqual([0, expect.stringContaining(`${before} -> ${version}`)]);
  const lock = JSON.parse(await read('package-lock.json'));
  const entry = JSON.parse(await read('server.json'));
  expect([
    JSON.parse(await read('package.json')).version,
    lock.version,
    lock.packages[''].version,
    entry.version,
    ...entry.packages.map((listed: { version: string }) => listed.version),
  ]).toEqual(Array(5).fill(version));
  expect((await read('CHANGELOG.md')).replace(today, 'TODAY')).toBe(
    changelog.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - TODAY\n`),
  );
  expect(await git('status', '--porcelain')).toBe('');
  expect(await git('log', '--format=%s', '--max-count=1')).toBe(`Release ${version}`);
  expect(await git('describe', '--exact-match')).toBe(`v${version}`);
  expect(await git('tag', '--list', '--format=%(contents)', `v${version}`)).toContain('### Added\n\n- A thing.');
});

test('a release changes only the version in JSON files', async () => {
  await release('patch');
  const changed = (await git('diff', '--unified=0', 'HEAD~1', '--', '*.json')).split('\n');
  const lines = changed.filter((line) => /^[-+](?![-+])/.test(line));
  expect(lines.filter((line) => !/^[-+]\s+"version": "[\d.]+",?$/.test(line))).toEqual([]);
  expect(lines).toHaveLength(10);
});

test('each step increases its number, and those after it become 0', async () => {
  await write('package.json', (await read('package.json')).replace(/"version": "[^"]+"/, '"version": "1.2.3"'));
  await git('commit', '--all', '--quiet', '--message', 'Count');
  for (const [step, version] of Object.entries({ patch: '1.2.4', minor: '1.3.0', major: '2.0.0' })) {
    expect((await release(step, '--dry-run')).output).toContain(`1.2.3 -> ${version},`);
  }
});

test('a dry run shows the section and writes nothing', async () => {
  const { code, output } = await release('minor', '--dry-run', '--checks', await check('process.exit(3)'));
  expect([code, output]).toEqual([0, expect.stringContaining('- A thing.')]);
  expect(await git('status', '--porcelain')).toBe('');
  expect(await git('tag')).toBe('');
  expect(await git('rev-list', '--count', 'HEAD')).toBe('1');
});

test('a second release needs figures that were measured after the first', async () => {
  expect((await release('minor')).code).toBe(0);
  const released = await read('CHANGELOG.md');
  await write('CHANGELOG.md', released.replace('## [Unreleased]\n', '## [Unreleased]\n\n- Another.\n'));
  await git('commit', '--all', '--quiet', '--message', 'Add another');
  const { code, output } = await release('minor');
  expect([code, output]).toEqual([1, expect.stringContaining('npm run bench -- --save')]);
  await write('docs/bench.json', '{"load":2}');
  await git('commit', '--all', '--quiet', '--message', 'Measure');
  expect((await release('minor')).code).toBe(0);
  expect((await git('tag')).split('\n')).toHaveLength(2);
});

async function emptyChangelog(): Promise<void> {
  await write('CHANGELOG.md', changelog.replace('### Added\n\n- A thing.\n', ''));
  await git('commit', '--all', '--quiet', '--message', 'Empty');
}

async function expectNoRelease(given: readonly string[], reason: string): Promise<void> {
  const commits = await git('rev-list', '--count', 'HEAD');
  const { code, output } = await release(...given);
  expect([code, output]).toEqual([1, expect.stringContaining(reason)]);
  expect([await git('rev-list', '--count', 'HEAD'), await git('tag')]).toEqual([commits, '']);
}

test.each([
  ['fail', 'process.exit(3)', 'failed; nothing was written'],
  ['leave a file', "require('node:fs').writeFileSync('left', '')", 'left'],
])('checks that %s: no release is made', async (_, code, reason) => {
  await expectNoRelease(['minor', '--checks', await check(code)], reason);
});

test.each([
  ['an uncommitted file', ['minor'], () => write('new', ''), 'new'],
  ['another branch', ['minor'], () => git('switch', '--quiet', '--create', 'other'), 'this is other'],
  ['an unknown step', ['big'], async () => {}, 'major|minor|patch'],
  ['an unknown option', ['minor', '--dry'], async () => {}, '--dry'],
  ['no step', [], async () => {}, 'major|minor|patch'],
  ['nothing unreleased', ['minor'], emptyChangelog, 'unreleased'],
] as const)('%s: no release is made', async (_, given, prepare, reason) => {
  await prepare();
  await expectNoRelease(given, reason);
});
