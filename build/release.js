// Makes a release of the repository in the current folder: node build/release.js minor|patch|major [--dry-run] [--checks FILE]
// The tree has to be clean and the checks, a file for Node, have to pass. Then it writes the version and changelog, commits and tags.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const branch = 'main';

/** The index of the number that each step increases; those after it become 0. */
const steps = { major: 0, minor: 1, patch: 2 };

/** The objects with a version, by file. */
const versioned = {
  'package.json': (content) => [content],
  'package-lock.json': (content) => [content, content.packages['']],
  'server.json': (content) => [content, ...content.packages],
};

/** The figures of the bench, which the docs quote. */
const figures = 'docs/bench.json';

/** Steps outside of the repository, for a person. */
const remainingSteps = [
  'git push --follow-tags',
  'npm publish',
  'npm run bundle:mcpb, and npm run --silent sbom > release/sbom.json: both belong to the release',
  'mcp-publisher publish, which enters server.json into the registry',
];

class Refusal extends Error {}

try {
  release(readArguments());
} catch (error) {
  if (!(error instanceof Refusal) && !error.code?.startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}

function readArguments() {
  const options = { 'dry-run': { type: 'boolean', default: false }, checks: { type: 'string' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [step = ''] = positionals;
  if (positionals.length !== 1 || !Object.hasOwn(steps, step)) {
    throw new Refusal(`name one step: npm run release -- ${Object.keys(steps).join('|')} [--dry-run]`);
  }
  return { step, isDryRun: values['dry-run'], checks: values.checks ?? 'build/check.js' };
}

function release({ step, isDryRun, checks }) {
  checkTree();
  const { version: current } = readJson('package.json');
  checkFigures(current);
  const version = nextVersion(current, step);
  const tag = `v${version}`;
  if (git('tag', '--list', tag) !== '') throw new Refusal(`there is a tag ${tag} already.`);
  const { section, changelog } = dateUnreleased(readFileSync('CHANGELOG.md', 'utf8'), version);
  const files = ['CHANGELOG.md', ...Object.keys(versioned)];
  console.log(`${current} -> ${version}, in ${files.join(', ')}\n\n${section}\n`);
  if (isDryRun) {
    console.log(
      `Nothing was written. Without --dry-run ${checks} runs first; then a commit and the tag ${tag} are made.`,
    );
    return;
  }
  const { status } = spawnSync(process.execPath, [checks, '--days', '--chat-programs'], { stdio: 'inherit' });
  if (status !== 0) throw new Refusal(`${checks} failed; nothing was written.`);
  checkTree();
  writeFileSync('CHANGELOG.md', changelog);
  for (const [file, objectsIn] of Object.entries(versioned)) {
    const content = readJson(file);
    for (const object of objectsIn(content)) object.version = version;
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  }
  git('add', ...files);
  git('commit', '--quiet', '--message', `Release ${version}`);
  // Verbatim, because git would remove its headings as comments.
  git('tag', '--annotate', tag, '--cleanup', 'verbatim', '--message', section);
  console.log([`${tag} is made here. Remaining steps:`, ...remainingSteps].join('\n- '));
}

function checkTree() {
  const current = git('branch', '--show-current');
  if (current !== branch) throw new Refusal(`releases are made on ${branch}, and this is ${current || 'no branch'}.`);
  const changed = git('status', '--porcelain');
  if (changed !== '') throw new Refusal(`commit or remove what is not committed:\n${changed}`);
}

/** The docs quote figures of the released version, so the bench must have run since the last one. */
function checkFigures(current) {
  const last = `v${current}`;
  const since = git('tag', '--list', last) === '' ? 'HEAD' : `${last}..HEAD`;
  if (git('log', since, '--format=%h', '--', figures) !== '') return;
  throw new Refusal(`${figures} is not of this version: npm run bench -- --save, then npm run docs, and commit both.`);
}

function nextVersion(current, step) {
  const numbers = /^(\d+)\.(\d+)\.(\d+)$/.exec(current)?.slice(1).map(Number);
  if (!numbers) throw new Refusal(`package.json has the version ${current}, which is not X.Y.Z.`);
  const index = steps[step];
  return [...numbers.slice(0, index), numbers[index] + 1, 0, 0].slice(0, 3).join('.');
}

/** Puts the unreleased changes under the version and the day in UTC, below an empty section for the next changes. */
function dateUnreleased(text, version) {
  const heading = '## [Unreleased]\n';
  const [before, rest] = text.replaceAll('\r\n', '\n').split(heading);
  if (rest === undefined) throw new Refusal('CHANGELOG.md has no section [Unreleased].');
  const next = rest.search(/^## /m);
  const end = next === -1 ? rest.length : next;
  const content = rest.slice(0, end).trim();
  if (content === '') throw new Refusal('CHANGELOG.md has nothing unreleased.');
  const section = `## [${version}] - ${new Date().toISOString().slice(0, 10)}\n\n${content}`;
  const older = rest.slice(end);
  return { section, changelog: `${before}${heading}\n${section}\n${older === '' ? '' : `\n${older}`}` };
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function git(...given) {
  return execFileSync('git', given, { encoding: 'utf8' }).trim();
}
