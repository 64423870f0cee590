import { access } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import type { ServerEntry } from './server-entry.ts';

/** The machine that clients are looked for on. */
export interface System {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** A chat program, and where and how it keeps its MCP servers. */
export interface Client {
  readonly id: string;
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** Its folder or file that is there once the program has run: any of them shows that it is found. */
  readonly traces: (system: System) => readonly string[];
  /** The file that holds the servers; the first that is there, else the first. */
  readonly files: (system: System) => readonly string[];
  /** The names that lead to the servers in it. */
  readonly at: readonly string[];
  readonly entry: (entry: ServerEntry) => Readonly<Record<string, unknown>>;
}

const usual: Client['entry'] = ({ command, args, env }) => ({ command, args, env });
const typed: Client['entry'] = (entry) => ({ type: 'stdio', ...usual(entry) });

function join({ platform }: System, ...parts: readonly string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts);
}

/** Where programs with a window keep their settings. */
function applicationFolder(system: System, name: string): string {
  const { platform, home, environment } = system;
  if (platform === 'win32')
    return join(system, environment['APPDATA'] || join(system, home, 'AppData', 'Roaming'), name);
  if (platform === 'darwin') return join(system, home, 'Library', 'Application Support', name);
  return join(system, configFolder(system), name);
}

/** Where programs of the XDG convention keep their settings. */
function configFolder(system: System): string {
  return system.environment['XDG_CONFIG_HOME'] || join(system, system.home, '.config');
}

/** A folder below the home that a variable may name instead. */
function homeFolder(system: System, name: string, variable: string): string {
  return system.environment[variable] || join(system, system.home, name);
}

/** Gemini CLI keeps its folder in the home, or in what a variable takes for it. */
function geminiFolder(system: System): string {
  return join(system, system.environment['GEMINI_CLI_HOME'] || system.home, '.gemini');
}

export const clients: readonly Client[] = [
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    format: 'json',
    traces: (system) => [applicationFolder(system, 'Claude')],
    files: (system) => [join(system, applicationFolder(system, 'Claude'), 'claude_desktop_config.json')],
    at: ['mcpServers'],
    entry: usual,
  },
  {
    id: 'claude-code',
    title: 'Claude Code',
    format: 'json',
    traces: (system) => [homeFolder(system, '.claude', 'CLAUDE_CONFIG_DIR'), join(system, system.home, '.claude.json')],
    files: (system) => [join(system, system.environment['CLAUDE_CONFIG_DIR'] || system.home, '.claude.json')],
    at: ['mcpServers'],
    entry: typed,
  },
  {
    id: 'cursor',
    title: 'Cursor',
    format: 'json',
    traces: (system) => [join(system, system.home, '.cursor')],
    files: (system) => [join(system, system.home, '.cursor', 'mcp.json')],
    at: ['mcpServers'],
    entry: usual,
  },
  {
    id: 'vscode',
    title: 'VS Code',
    format: 'json',
    traces: (system) => [applicationFolder(system, 'Code')],
    files: (system) => [join(system, applicationFolder(system, 'Code'), 'User', 'mcp.json')],
    at: ['servers'],
    entry: typed,
  },
  {
    id: 'codex',
    title: 'Codex',
    format: 'toml',
    traces: (system) => [homeFolder(system, '.codex', 'CODEX_HOME')],
    files: (system) => [join(system, homeFolder(system, '.codex', 'CODEX_HOME'), 'config.toml')],
    at: ['mcp_servers'],
    entry: usual,
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    format: 'json',
    traces: (system) => [geminiFolder(system)],
    files: (system) => [join(system, geminiFolder(system), 'settings.json')],
    at: ['mcpServers'],
    entry: usual,
  },
  {
    id: 'copilot',
    title: 'Copilot CLI',
    format: 'json',
    traces: (system) => [homeFolder(system, '.copilot', 'COPILOT_HOME')],
    files: (system) => [join(system, homeFolder(system, '.copilot', 'COPILOT_HOME'), 'mcp-config.json')],
    at: ['mcpServers'],
    entry: (entry) => ({ type: 'local', ...usual(entry), tools: ['*'] }),
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    format: 'json',
    traces: (system) => [join(system, system.home, '.codeium', 'windsurf')],
    files: (system) => [join(system, system.home, '.codeium', 'windsurf', 'mcp_config.json')],
    at: ['mcpServers'],
    entry: usual,
  },
  {
    id: 'opencode',
    title: 'opencode',
    format: 'json',
    traces: (system) => [join(system, configFolder(system), 'opencode')],
    files: (system) =>
      ['opencode.json', 'opencode.jsonc'].map((name) => join(system, configFolder(system), 'opencode', name)),
    at: ['mcp'],
    entry: ({ command, args, env }) => ({
      type: 'local',
      command: [command, ...args],
      environment: env,
      enabled: true,
    }),
  },
];

/** The clients that are on this machine. */
export async function findClients(system: System): Promise<readonly Client[]> {
  const found = clients.map(async (client) =>
    (await firstThere(client.traces(system))) === undefined ? [] : [client],
  );
  return (await Promise.all(found)).flat();
}

/** The file that a client reads its servers from. */
export async function fileOf({ files }: Client, system: System): Promise<string> {
  const paths = files(system);
  return (await firstThere(paths)) ?? paths[0] ?? '';
}

async function firstThere(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}
