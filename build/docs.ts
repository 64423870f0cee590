import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { type Endpoint, endpoints } from '../src/api/endpoints.ts';
import { clientConfiguration } from '../src/commands/install/server-entry.ts';
import { topSettings, trackerSettings } from '../src/config/config-file.ts';
import { type Setting, settings } from '../src/config/settings.ts';
import { catalogue } from '../src/tools/catalogue.ts';
import type { Tool } from '../src/tools/define-tool.ts';
import { toJsonSchema } from '../src/tools/json-schema.ts';
import { benchInWords } from './bench-figures.ts';
import { registryEntry } from './packages/registry-entry.ts';

// Writes the parts of docs that are made from the program’s own data. With --check it only names the files that are not current.

const examplePath = '/path/to/tracker-mcp/dist/cli.js';

const sandboxExample = clientConfiguration(examplePath, { tracker: { TRACKER_SANDBOX: '1' } });

const generated: Readonly<Record<string, string>> = {
  'docs/clients.md': pageWith('docs/clients.md', 'client', `\`\`\`json\n${sandboxExample}\n\`\`\``),
  'docs/configuration.md': pageWith('docs/configuration.md', 'settings', settingTable(undefined)),
  'docs/sandbox.md': pageWith('docs/sandbox.md', 'bench', benchInWords()),
  'docs/serving.md': pageWith('docs/serving.md', 'http settings', settingTable('http')),
  'docs/tools.md': pageWith('docs/tools.md', 'tools', toolTable()),
  'mcp.json.example': `${exampleConfiguration()}\n`,
  'docs/config.schema.json': `${JSON.stringify(configSchema(), null, 2)}\n`,
  'tools.json': `${JSON.stringify(catalogue.map(describeForDirectory), null, 2)}\n`,
  'server.json': `${JSON.stringify(registryEntry(), null, 2)}\n`,
};

const readme = readFileSync('README.md', 'utf8');
for (const { name } of catalogue) {
  if (!readme.includes(`\`${name}\``)) throw new Error(`README.md has no line about the tool ${name}.`);
}

for (const [file, content] of Object.entries(generated)) {
  if (existsSync(file) && readFileSync(file, 'utf8') === content) continue;
  if (process.argv.includes('--check')) {
    console.error(`${file} is not current: npm run docs`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, content);
    console.log(`${file} written`);
  }
}

/** A page with new content between the marks of one part. */
function pageWith(page: string, part: string, content: string): string {
  const [start, end] = [`<!-- generated: ${part} -->`, `<!-- end: ${part} -->`];
  const [before, rest] = readFileSync(page, 'utf8').split(start);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${page} has no part ${start} … ${end}.`);
  return `${before}${start}\n\n${content}\n\n${end}${after}`;
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}

function toolTable(): string {
  const rows = catalogue.map((tool) => {
    const { required = [] } = toJsonSchema(tool.input(), 'input');
    const names = argumentsOf(tool).own.map((name) => `\`${name}\`${required.includes(name) ? '*' : ''}`);
    return [`\`${tool.name}\``, tool.access, names.join(', ')];
  });
  const shared = (isRead: boolean) => {
    const tools = catalogue.filter(({ access }) => (access === 'read') === isRead);
    const names = new Set(tools.flatMap((tool) => argumentsOf(tool).shared));
    return [...names].map((name) => `\`${name}\``).join(', ');
  };
  return [
    table(['Tool', 'Access', 'Arguments (* required)'], rows),
    `Tools that read tables also take ${shared(true)}. Tools that write also take ${shared(false)}.`,
  ].join('\n\n');
}

/** A row of tools.json: Docker's catalogue, and directories of its form, take it instead of starting the server. */
function describeForDirectory({ name, description, input }: Tool) {
  const { properties = {} } = toJsonSchema(input(), 'input');
  const named = Object.entries(properties).map(([name, { type, description: desc = '' }]) => ({ name, type, desc }));
  return { name, description, arguments: named };
}

/** The arguments of a tool’s endpoint, and those that similar tools share. */
function argumentsOf(tool: Tool): { own: readonly string[]; shared: readonly string[] } {
  const names = Object.keys(toJsonSchema(tool.input(), 'input').properties ?? {});
  const endpoint: Endpoint | undefined = endpoints.find(({ name }) => name === tool.name);
  if (!endpoint) return { own: names, shared: [] };
  const isOwn = (name: string) => name in endpoint.parameters || name === 'period';
  return { own: names.filter(isOwn), shared: names.filter((name) => !isOwn(name)) };
}

function settingTable(command: Setting['command']): string {
  const rows = settings
    .filter((setting) => setting.command === command)
    .map(({ flag, value, variable, description, fallback }) => [
      flag === undefined ? '' : `\`${value === undefined ? flag : `${flag} ${value}`}\``,
      `\`${variable}\``,
      fallback === '' ? '' : `\`${fallback}\``,
      description,
    ]);
  return table(['Flag', 'Variable', 'Default', 'Meaning'], rows);
}

/** Two servers: a tracker with every setting that has an example or a default, and the embedded one. */
function exampleConfiguration(): string {
  const values = settings.flatMap(({ variable, example, fallback, command }) => {
    const value = command === undefined ? (example ?? fallback) : '';
    return value === '' ? [] : [[variable, value] as const];
  });
  return clientConfiguration(examplePath, {
    tracker: Object.fromEntries(values),
    'tracker-sandbox': { TRACKER_SANDBOX: '1' },
  });
}

/** The JSON Schema of a configuration file, with which editors complete it. */
function configSchema(): unknown {
  const tracker = {
    type: 'object',
    description: 'One tracker: its location, its key, and its own settings.',
    properties: propertiesFor(trackerSettings),
    additionalProperties: false,
    oneOf: [
      { required: ['url'], anyOf: ['key_file', 'key_command', 'api_key'].map((name) => ({ required: [name] })) },
      { required: ['sandbox'], properties: { sandbox: { const: true } } },
    ],
  };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'tracker-mcp configuration',
    description: 'The trackers of a server. Settings at the top apply to every tracker that does not have its own.',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      trackers: {
        type: 'object',
        description: 'The trackers by name; calls give the name as tracker.',
        minProperties: 1,
        propertyNames: { pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$' },
        additionalProperties: tracker,
      },
      default: {
        type: 'string',
        description: 'The tracker of reads that name none. A write must always name one.',
      },
      ...propertiesFor(topSettings),
    },
    required: ['trackers'],
    additionalProperties: false,
  };
}

function propertiesFor(rows: typeof settings): Readonly<Record<string, unknown>> {
  // Keywords of zod that a file does not need.
  const omitted = ['$schema', 'about', 'default', 'isJsonText'];
  return Object.fromEntries(
    rows.map(({ nameInFile, schema, description, fallback }) => {
      const json = z.toJSONSchema(schema, { target: 'draft-7', io: 'output', unrepresentable: 'any' });
      const keywords = Object.entries(json).filter(([name]) => !omitted.includes(name));
      const suffix = fallback === '' ? '' : `; default ${fallback}`;
      return [nameInFile, { ...Object.fromEntries(keywords), description: inFileWords(description) + suffix }];
    }),
  );
}

/** In a file, lists are not separated by commas, and variables have other names. */
function inFileWords(description: string): string {
  return description
    .replace(/, separated by commas/, '')
    .replace(/TRACKER_[A-Z_]+/g, (name) => settings.find(({ variable }) => variable === name)?.nameInFile ?? name);
}
