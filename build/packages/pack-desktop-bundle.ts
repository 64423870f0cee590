import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packExtension } from '@anthropic-ai/mcpb';
import manifest from '../../package.json' with { type: 'json' };
import { catalogue } from '../../src/tools/catalogue.ts';
import { privacyUrl } from '../../src/version.ts';
import { type FormField, formFields, type Kind } from './registry-entry.ts';

/**
 * Settings that the form leaves out: the embedded tracker needs DuckDB, which is not in the bundle; the desktop program keeps the key
 * where the system keeps secrets; and a file of trackers is refused next to a URL and a key.
 */
const omitted: readonly string[] = ['sandbox', 'apiKeyFile', 'keyCommand', 'config'];

/** Not required by the form: without both the server lists its tools, and each call says what is missing. */
const neededForCalls: readonly string[] = ['url', 'apiKey'];

const types: Readonly<Record<Kind, string>> = { text: 'string', number: 'number', switch: 'boolean', file: 'file' };

const longDescription = `Reads reports, compares offers, changes rotations and follows single visitors of an ad-campaign tracker, through its HTTP API. Every write passes the limits that are set here. Without a URL and an API key it lists its tools, and each call says what to set.

One bundle is for every system, so DuckDB, which has a build for each, is not in it: the tool query_report and the embedded tracker with sample data are missing here. They come with the npm package.`;

/** manifest.json of the bundle, in the oldest version of its format that has all these fields. */
function desktopManifest() {
  const { name, version, description, homepage, bugs, repository, keywords, license, engines } = manifest;
  const fields = formFields().filter(({ key }) => !omitted.includes(key));
  return {
    manifest_version: '0.2',
    name,
    display_name: 'Ad-campaign tracker',
    version,
    description,
    long_description: longDescription,
    author: { name: `${name} contributors` },
    repository: { type: repository.type, url: repository.url },
    homepage,
    documentation: homepage,
    support: bugs,
    license,
    icon: 'icon.png',
    privacy_policies: [privacyUrl],
    keywords,
    server: {
      type: 'node',
      entry_point: 'dist/cli.js',
      mcp_config: {
        command: 'node',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the desktop program fills it in.
        args: ['${__dirname}/dist/cli.js'],
        env: Object.fromEntries(fields.map(({ key, variable }) => [variable, `\${user_config.${nameOf(key)}}`])),
      },
    },
    // query_report needs DuckDB.
    tools: catalogue
      .filter(({ name }) => name !== 'query_report')
      .map((tool) => ({ name: tool.name, description: tool.title })),
    // Settings decide which tools the server lists.
    tools_generated: true,
    prompts_generated: true,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines.node } },
    user_config: Object.fromEntries(fields.map((field) => [nameOf(field.key), describeField(field)])),
  };
}

/** api_key for apiKey. */
function nameOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function describeField({ key, kind, description, isSecret, fallback }: FormField) {
  const needed = neededForCalls.includes(key) ? ' (needed for every call)' : '';
  return {
    type: types[kind],
    title: titleOf(key),
    description: `${description}${fallback === '' ? needed : ` (default: ${fallback})`}`,
    required: false,
    ...(isSecret && { sensitive: true }),
    // The server has the defaults, but a switch needs a position.
    ...(kind === 'switch' && { default: false }),
  };
}

function titleOf(key: string): string {
  const text = nameOf(key)
    .replaceAll('_', ' ')
    .replace(/\b(url|api)\b/g, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// Packs dist into release/tracker-mcp-VERSION.mcpb, or into the given file, and checks the manifest.

const { name, version, type, imports } = manifest;
const [target = join('release', `${name}-${version}.mcpb`)] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'desktop-bundle-'));
try {
  await cp('dist', join(folder, 'dist'), { recursive: true });
  await cp('LICENSE', join(folder, 'LICENSE'));
  await cp('docs/images/icon.png', join(folder, 'icon.png'));
  // Node looks these up when it runs the files of dist.
  await writeJson('package.json', { name, version, type, imports });
  await writeJson('manifest.json', desktopManifest());
  await mkdir(resolve(target, '..'), { recursive: true });
  if (!(await packExtension({ extensionPath: folder, outputPath: target, silent: true }))) process.exitCode = 1;
  else console.log(target);
} finally {
  await rm(folder, { recursive: true });
}

function writeJson(file: string, content: unknown): Promise<void> {
  return writeFile(join(folder, file), `${JSON.stringify(content, null, 2)}\n`);
}
