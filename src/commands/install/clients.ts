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
  readonly traces: readonly string[];
  /** The files that may hold the servers. */
  readonly files: readonly [string, ...string[]];
  /** The name that holds the servers in it. */
  readonly at: string;
  readonly entry: (entry: ServerEntry) => Readonly<Record<string, unknown>>;
}

const usual: Client['entry'] = ({ command, args, env }) => ({ command, args, env });
const typed: Client['entry'] = (entry) => ({ type: 'stdio', ...usual(entry) });
const copilot: Client['entry'] = (entry) => ({ type: 'local', ...usual(entry), tools: ['*'] });
const opencode: Client['entry'] = ({ command, args, env }) => ({
  ...{ type: 'local', command: [command, ...args] },
  ...{ environment: env, enabled: true },
});

/** Every client that is known, as it would be on a machine. */
export function clientsOn(system: System): readonly Client[] {
  const { join, under, roaming, xdg } = foldersOf(system);
  const home = (...parts: readonly string[]) => join(system.home, ...parts);
  /** Where programs with a window keep their settings. */
  const desktop = { win32: roaming, darwin: home('Library', 'Application Support') }[String(system.platform)];
  const window = (...parts: readonly string[]) => join(desktop ?? xdg, ...parts);
  /** With most of them the folder of its file shows a client. */
  const client = (id: string, title: string, file: string, own: Partial<Client> = {}): Client => ({
    ...{ id, title, traces: [join(file, '..')], files: [file], at: 'mcpServers', entry: usual },
    ...own,
  });
  return [
    client('claude-desktop', 'Claude Desktop', window('Claude', 'claude_desktop_config.json')),
    client('claude-code', 'Claude Code', join(under('CLAUDE_CONFIG_DIR'), '.claude.json'), {
      traces: [under('CLAUDE_CONFIG_DIR', '.claude'), home('.claude.json')],
      entry: typed,
    }),
    client('cursor', 'Cursor', home('.cursor', 'mcp.json')),
    client('vscode', 'VS Code', window('Code', 'User', 'mcp.json'), {
      ...{ traces: [window('Code')], at: 'servers', entry: typed },
    }),
    client('codex', 'Codex', join(under('CODEX_HOME', '.codex'), 'config.toml'), { format: 'toml', at: 'mcp_servers' }),
    client('gemini', 'Gemini CLI', join(under('GEMINI_CLI_HOME'), '.gemini', 'settings.json')),
    client('copilot', 'Copilot CLI', join(under('COPILOT_HOME', '.copilot'), 'mcp-config.json'), { entry: copilot }),
    client('windsurf', 'Windsurf', home('.codeium', 'windsurf', 'mcp_config.json')),
    client('opencode', 'opencode', join(xdg, 'opencode', 'opencode.json'), {
      files: [join(xdg, 'opencode', 'opencode.json'), join(xdg, 'opencode', 'opencode.jsonc')],
      ...{ at: 'mcp', entry: opencode },
    }),
  ];
}

/** Where this program keeps what is the user's own. */
export function ownFolder(system: System): string {
  const { join, roaming, xdg } = foldersOf(system);
  return join(system.platform === 'win32' ? roaming : xdg, 'tracker-mcp');
}

function foldersOf({ platform, home, environment }: System) {
  const { join } = platform === 'win32' ? win32 : posix;
  /** A folder below the home that a variable may name instead. */
  const under = (variable: string, ...parts: readonly string[]) => environment[variable] || join(home, ...parts);
  return { join, under, roaming: under('APPDATA', 'AppData', 'Roaming'), xdg: under('XDG_CONFIG_HOME', '.config') };
}

export function isFound({ traces }: Client): boolean {
  return traces.some((path) => existsSync(path));
}

/** The file that a client reads its servers from: the first that is there, else the first. */
export function fileOf({ files }: Client): string {
  return files.find((path) => existsSync(path)) ?? files[0];
}
