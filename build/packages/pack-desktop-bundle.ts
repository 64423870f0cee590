import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packExtension } from '@anthropic-ai/mcpb';
import manifest from '../../package.json' with { type: 'json' };
import { catalogue } from '../../src/tools/catalogue.ts';
import { type FormField, formFields, type Kind } from './registry-entry.ts';

/** What a person is not asked, since the bundle has no DuckDB in it, or keeps the key itself. */
const notAsked: Readonly<Record<string, string>> = {
  sandbox: 'the embedded tracker needs DuckDB',
  apiKeyFile: 'the desktop program keeps the key where the system keeps secrets',
  keyCommand: 'the desktop program keeps the key where the system keeps secrets',
  config: 'the program requires a URL and a key, beside which a file of trackers is refused',
};

/** Without them no call works, so the program asks for them before it starts the server. */
const required: ReadonlySet<string> = new Set(['url', 'apiKey']);

/** Tools that are listed only where DuckDB is. */
const needDatabase: ReadonlySet<string> = new Set(['query_report']);

const types: Readonly<Record<Kind, string>> = { text: 'string', number: 'number', switch: 'boolean', file: 'file' };

const longDescription = `Reads reports, compares offers, changes rotations and follows single visitors of an ad-campaign tracker, through its HTTP API. Every write passes the limits that are set here.

One bundle is for every system, so DuckDB, which has a build for each, is not in it: the tool query_report and the embedded tracker with sample data are missing here. They come with the npm package.`;

/** manifest.json of the bundle, in the oldest version of its format that has all that is said here. */
function desktopManifest() {
  const { name, version, description, homepage, bugs, repository, keywords, license, engines } = manifest;
  const fields = formFields().filter(({ key }) => !(key in notAsked));
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
    tools: catalogue
      .filter((tool) => !needDatabase.has(tool.name))
      .map((tool) => ({ name: tool.name, description: tool.title })),
    // Settings decide which of them are listed.
    tools_generated: true,
    prompts_generated: true,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines.node } },
    user_config: Object.fromEntries(fields.map((field) => [nameOf(field.key), describeField(field)])),
  };
}

/** What a setting is called in a bundle: api_key for apiKey. */
function nameOf(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function describeField({ key, kind, description, isSecret, fallback }: FormField) {
  return {
    type: types[kind],
    title: titleOf(key),
    description: `${description}${fallback === '' ? '' : ` (default: ${fallback})`}`,
    required: required.has(key),
    ...(isSecret ? { sensitive: true } : {}),
    // A switch that nobody touches is off; every other value is left to the server.
    ...(kind === 'switch' ? { default: false } : {}),
  };
}

/** How people write what would be lower case in a name. */
const abbreviations: Readonly<Record<string, string>> = { url: 'URL', api: 'API' };

function titleOf(key: string): string {
  const text = nameOf(key)
    .split('_')
    .map((word) => abbreviations[word] ?? word)
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Packs what is built into release/tracker-mcp-VERSION.mcpb, or into the file that is named, and checks its manifest. */

const { name, version, type, imports } = manifest;
const [target = join('release', `${name}-${version}.mcpb`)] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'desktop-bundle-'));
try {
  await cp('dist', join(folder, 'dist'), { recursive: true });
  await cp('LICENSE', join(folder, 'LICENSE'));
  // What Node looks up when it runs the files of dist.
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
