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
  /** How its file is edited; JSON if absent. */
  readonly format?: 'toml';
  /** Its folder or file that is there once the program has run: any of them shows that it is found. */
  readonly traces: readonly PathOn[];
  /** The file that holds the servers; the first that is there, else the first. */
  readonly files: readonly PathOn[];
  /** The name that holds the servers in it. */
  readonly at: string;
  readonly entry: (entry: ServerEntry) => Readonly<Record<string, unknown>>;
}

type PathOn = (system: System) => string;

function join({ platform }: System, ...parts: readonly string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts);
}

const under =
  (folder: PathOn, ...parts: readonly string[]): PathOn =>
  (system) =>
    join(system, folder(system), ...parts);

const home: PathOn = (system) => system.home;

/** A folder below the home that a variable may name instead. */
const homeOr =
  (variable: string, ...parts: readonly string[]): PathOn =>
  (system) =>
    system.environment[variable] || join(system, system.home, ...parts);

/** Where programs of the XDG convention keep their settings. */
const xdg = homeOr('XDG_CONFIG_HOME', '.config');
const roaming = homeOr('APPDATA', 'AppData', 'Roaming');

/** Where programs with a window keep their settings. */
const desktop =
  (...parts: readonly string[]): PathOn =>
  (system) => {
    const folder = { win32: roaming, darwin: under(home, 'Library', 'Application Support') }[String(system.platform)];
    return join(system, (folder ?? xdg)(system), ...parts);
  };

/** Where this program keeps what is the user's own. */
export const ownFolder: PathOn = (system) =>
  join(system, (system.platform === 'win32' ? roaming : xdg)(system), 'tracker-mcp');

const usual: Client['entry'] = ({ command, args, env }) => ({ command, args, env });
const typed: Client['entry'] = (entry) => ({ type: 'stdio', ...usual(entry) });
const copilot: Client['entry'] = (entry) => ({ type: 'local', ...usual(entry), tools: ['*'] });
const opencode: Client['entry'] = ({ command, args, env }) => ({
  ...{ type: 'local', command: [command, ...args] },
  ...{ environment: env, enabled: true },
});

const claudeCode = homeOr('CLAUDE_CONFIG_DIR');
const codex = homeOr('CODEX_HOME', '.codex');
const gemini = under(homeOr('GEMINI_CLI_HOME'), '.gemini');
const copilotFolder = homeOr('COPILOT_HOME', '.copilot');
const windsurf = under(home, '.codeium', 'windsurf');
const opencodeFolder = under(xdg, 'opencode');

export const clients: readonly Client[] = [
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    traces: [desktop('Claude')],
    files: [desktop('Claude', 'claude_desktop_config.json')],
    at: 'mcpServers',
    entry: usual,
  },
  {
    id: 'claude-code',
    title: 'Claude Code',
    traces: [homeOr('CLAUDE_CONFIG_DIR', '.claude'), under(home, '.claude.json')],
    files: [under(claudeCode, '.claude.json')],
    at: 'mcpServers',
    entry: typed,
  },
  {
    id: 'cursor',
    title: 'Cursor',
    traces: [under(home, '.cursor')],
    files: [under(home, '.cursor', 'mcp.json')],
    at: 'mcpServers',
    entry: usual,
  },
  {
    id: 'vscode',
    title: 'VS Code',
    traces: [desktop('Code')],
    files: [desktop('Code', 'User', 'mcp.json')],
    at: 'servers',
    entry: typed,
  },
  {
    id: 'codex',
    title: 'Codex',
    format: 'toml',
    traces: [codex],
    files: [under(codex, 'config.toml')],
    at: 'mcp_servers',
    entry: usual,
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    traces: [gemini],
    files: [under(gemini, 'settings.json')],
    at: 'mcpServers',
    entry: usual,
  },
  {
    id: 'copilot',
    title: 'Copilot CLI',
    traces: [copilotFolder],
    files: [under(copilotFolder, 'mcp-config.json')],
    at: 'mcpServers',
    entry: copilot,
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    traces: [windsurf],
    files: [under(windsurf, 'mcp_config.json')],
    at: 'mcpServers',
    entry: usual,
  },
  {
    id: 'opencode',
    title: 'opencode',
    traces: [opencodeFolder],
    files: [under(opencodeFolder, 'opencode.json'), under(opencodeFolder, 'opencode.jsonc')],
    at: 'mcp',
    entry: opencode,
  },
];

/** The clients that are on this machine. */
export async function findClients(system: System): Promise<readonly Client[]> {
  const found = clients.map(async (client) =>
    (await firstThere(client.traces.map((path) => path(system)))) === undefined ? [] : [client],
  );
  return (await Promise.all(found)).flat();
}

/** The file that a client reads its servers from. */
export async function fileOf({ files }: Client, system: System): Promise<string> {
  const paths = files.map((path) => path(system));
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
