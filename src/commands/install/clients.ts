import { existsSync } from 'node:fs';
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
  /** The files that may hold the servers. */
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

/**
 * @param names of its files in the folder
 * @param own what is not as with most of them
 */
function client(
  id: string,
  title: string,
  folder: PathOn,
  names: readonly string[],
  own: Partial<Client> = {},
): Client {
  const files = names.map((name) => under(folder, name));
  return { id, title, traces: [folder], files, at: 'mcpServers', entry: usual, ...own };
}

export const clients: readonly Client[] = [
  client('claude-desktop', 'Claude Desktop', desktop('Claude'), ['claude_desktop_config.json']),
  client('claude-code', 'Claude Code', homeOr('CLAUDE_CONFIG_DIR'), ['.claude.json'], {
    traces: [homeOr('CLAUDE_CONFIG_DIR', '.claude'), under(home, '.claude.json')],
    entry: typed,
  }),
  client('cursor', 'Cursor', under(home, '.cursor'), ['mcp.json']),
  client('vscode', 'VS Code', desktop('Code'), ['User/mcp.json'], { at: 'servers', entry: typed }),
  client('codex', 'Codex', homeOr('CODEX_HOME', '.codex'), ['config.toml'], { format: 'toml', at: 'mcp_servers' }),
  client('gemini', 'Gemini CLI', under(homeOr('GEMINI_CLI_HOME'), '.gemini'), ['settings.json']),
  client('copilot', 'Copilot CLI', homeOr('COPILOT_HOME', '.copilot'), ['mcp-config.json'], { entry: copilot }),
  client('windsurf', 'Windsurf', under(home, '.codeium', 'windsurf'), ['mcp_config.json']),
  client('opencode', 'opencode', under(xdg, 'opencode'), ['opencode.json', 'opencode.jsonc'], {
    at: 'mcp',
    entry: opencode,
  }),
];

/** The clients that are on this machine. */
export function findClients(system: System): readonly Client[] {
  return clients.filter(({ traces }) => traces.some((path) => existsSync(path(system))));
}

/** The file that a client reads its servers from: the first that is there, else the first. */
export function fileOf({ files }: Client, system: System): string {
  const paths = files.map((path) => path(system));
  return paths.find((path) => existsSync(path)) ?? paths[0] ?? '';
}
