import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type Endpoint, endpoints } from '../src/api/endpoints.ts';
import { clientConfiguration } from '../src/commands/install/server-entry.ts';
import { type Setting, settings } from '../src/config/settings.ts';
import { catalogue } from '../src/tools/catalogue.ts';
import type { Tool } from '../src/tools/define-tool.ts';
import { toJsonSchema } from '../src/tools/json-schema.ts';
import { benchInWords } from './bench-figures.ts';
import { configSchema } from './config-schema.ts';
import { registryEntry } from './packages/registry-entry.ts';

/** What is documented here comes from the data that the program runs on, so it cannot say something else. */

const examplePath = '/path/to/tracker-mcp/dist/cli.js';

const parts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/clients.md': {
    client: `\`\`\`json\n${clientConfiguration(examplePath, { tracker: { TRACKER_SANDBOX: '1' } })}\n\`\`\``,
  },
  'docs/configuration.md': { settings: settingTable(undefined) },
  'docs/sandbox.md': { bench: benchInWords() },
  'docs/serving.md': { 'http settings': settingTable('http') },
  'docs/tools.md': { tools: toolTable() },
};

const generated: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(parts).map(([page, contents]) => [
      page,
      Object.entries(contents).reduce(
        (text, [part, content]) => replacePart(page, text, part, content),
        readFileSync(page, 'utf8'),
      ),
    ]),
  ),
  'mcp.json.example': `${exampleConfiguration()}\n`,
  'docs/config.schema.json': `${JSON.stringify(configSchema(), null, 2)}\n`,
  'server.json': `${JSON.stringify(registryEntry(), null, 2)}\n`,
};

const readme = readFileSync('README.md', 'utf8');
for (const { name } of catalogue) {
  if (!readme.includes(`\`${name}\``)) throw new Error(`README.md has no line about the tool ${name}.`);
}

// With --check, only says which files are not current.
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

function toolTable(): string {
  const rows = catalogue.map((tool) => {
    const { required = [] } = toJsonSchema(tool.input, 'input');
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

/** A tool's arguments: those that are about its endpoint, and those that tools of its kind have in common. */
function argumentsOf(tool: Tool): { own: readonly string[]; shared: readonly string[] } {
  const names = Object.keys(toJsonSchema(tool.input, 'input').properties ?? {});
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
    if (command !== undefined) return [];
    const value = example ?? fallback;
    return value === '' ? [] : [[variable, value] as const];
  });
  return clientConfiguration(examplePath, {
    tracker: Object.fromEntries(values),
    'tracker-sandbox': { TRACKER_SANDBOX: '1' },
  });
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n');
}

function replacePart(page: string, text: string, part: string, content: string): string {
  const [start, end] = [`<!-- generated: ${part} -->`, `<!-- end: ${part} -->`];
  const [before, rest] = text.split(start);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${page} has no part ${start} … ${end}.`);
  return `${before}${start}\n\n${content}\n\n${end}${after}`;
}
