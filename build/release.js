// Makes a release of the repository in the current folder: node build/release.js minor|patch|major [--dry-run] [--checks FILE]
// The tree has to be clean and the checks, a file for Node, have to pass; then the version, the changelog, a commit and a tag are written.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const branch = 'main';

/** What each step adds one to; what stands behind it begins at 0 again. */
const steps = { major: 0, minor: 1, patch: 2 };

/** The files that hold the version, and where. package.json is where all else reads it. */
const versioned = [
  { file: 'package.json', set: (content, version) => ({ ...content, version }) },
  {
    file: 'package-lock.json',
    set: ({ packages, ...content }, version) => ({
      ...content,
      version,
      packages: { ...packages, '': { ...packages[''], version } },
    }),
  },
  {
    file: 'server.json',
    set: (content, version) => ({
      ...content,
      version,
      packages: content.packages.map((one) => ({ ...one, version })),
    }),
  },
];

/** What the bench measured, which the README quotes. */
const figures = 'docs/bench.json';

/** What happens outside of the repository stays with a person. */
const afterwards = [
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
    throw new Refusal(`say which step to take: npm run release -- ${Object.keys(steps).join('|')} [--dry-run]`);
  }
  return { step, isDryRun: values['dry-run'], checks: values.checks ?? 'build/check.js' };
}

function release({ step, isDryRun, checks }) {
  refuseUnclean();
  const { version: current } = readJson('package.json');
  refuseOldFigures(current);
  const version = nextVersion(current, step);
  const tag = `v${version}`;
  if (git('tag', '--list', tag) !== '') throw new Refusal(`the tag ${tag} is there already.`);
  const { section, changelog } = moveUnreleased(readFileSync('CHANGELOG.md', 'utf8'), version);
  const files = ['CHANGELOG.md', ...versioned.map(({ file }) => file)];
  console.log(`${current} -> ${version}, in ${files.join(', ')}\n\n${section}\n`);
  if (isDryRun) {
    console.log(
      `Nothing was written. Without --dry-run ${checks} runs first; then a commit and the tag ${tag} are made.`,
    );
    return;
  }
  const { status } = spawnSync(process.execPath, [checks, '--chat-programs'], { stdio: 'inherit' });
  if (status !== 0) throw new Refusal(`${checks} failed; nothing was written.`);
  refuseUnclean();
  writeFileSync('CHANGELOG.md', changelog);
  for (const { file, set } of versioned) {
    writeFileSync(file, `${JSON.stringify(set(readJson(file), version), null, 2)}\n`);
  }
  git('add', ...files);
  git('commit', '--quiet', '--message', `Release ${version}`);
  // Its headings begin with what git takes for a comment.
  git('tag', '--annotate', tag, '--cleanup', 'verbatim', '--message', section);
  console.log([`${tag} is made here. What is left:`, ...afterwards].join('\n- '));
}

function refuseUnclean() {
  const here = git('branch', '--show-current');
  if (here !== branch) throw new Refusal(`releases are made on ${branch}, and this is ${here || 'no branch'}.`);
  const changed = git('status', '--porcelain');
  if (changed !== '') throw new Refusal(`commit or remove what is not committed:\n${changed}`);
}

/** The README says what the version that is released was measured at. */
function refuseOldFigures(current) {
  const last = `v${current}`;
  const since = git('tag', '--list', last) === '' ? 'HEAD' : `${last}..HEAD`;
  if (git('log', since, '--format=%h', '--', figures) !== '') return;
  throw new Refusal(`${figures} is not of this version: npm run bench -- --save, then npm run docs, and commit both.`);
}

function nextVersion(current, step) {
  const numbers = /^(\d+)\.(\d+)\.(\d+)$/.exec(current)?.slice(1).map(Number);
  if (!numbers) throw new Refusal(`package.json has the version ${current}, which is no X.Y.Z.`);
  return numbers
    .map((number, index) => (index < steps[step] ? number : index === steps[step] ? number + 1 : 0))
    .join('.');
}

/** Gives what is unreleased the version and the date of today, in UTC, and leaves an empty section for what comes. */
function moveUnreleased(text, version) {
  const heading = '## [Unreleased]\n';
  const [before, rest] = text.replaceAll('\r\n', '\n').split(heading);
  if (rest === undefined) throw new Refusal('CHANGELOG.md has no section [Unreleased].');
  const next = rest.search(/^## /m);
  const end = next === -1 ? rest.length : next;
  const content = rest.slice(0, end).trim();
  if (content === '') throw new Refusal('CHANGELOG.md says of nothing that it is unreleased.');
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
