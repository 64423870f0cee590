import { type System, userFolders } from '../user-folders.ts';
import type { RemoteServer } from './remote-server.ts';
import type { ServerEntry } from './server-entry.ts';

/** A chat program, and where and how it keeps its MCP servers. */
export interface Client {
  readonly id: string;
  readonly title: string;
  /** JSON if absent. */
  readonly format?: 'toml';
  /** Folders or files that the client makes when it runs. If one exists, the client is installed. */
  readonly traces: readonly string[];
  /** The files that may hold the servers. The client reads the first that exists, or makes the first. */
  readonly files: readonly [string, ...string[]];
  /** The property of the file that holds the servers. */
  readonly at: string;
  readonly entry: (entry: ServerEntry) => Readonly<Record<string, unknown>>;
  /** The entry of a server over HTTP. */
  readonly remoteEntry: (server: RemoteServer) => Readonly<Record<string, unknown>>;
  /** Why a server over HTTP cannot be entered, and how to add it. */
  readonly noRemote?: string;
  /** What a person has to do in the client before it starts a server. */
  readonly needs?: string;
}

const typed: Client['entry'] = (entry) => ({ type: 'stdio', ...entry });

/** The entry of a server over HTTP; one without a token has no headers. */
const remote =
  (url: string, headers = 'headers', more: object = {}): Client['remoteEntry'] =>
  (server) => ({
    ...more,
    [url]: server.url,
    ...(Object.keys(server.headers).length === 0 ? {} : { [headers]: server.headers }),
  });
const typedRemote = remote('url', 'headers', { type: 'http' });

/** All clients, with the paths that they have on a system. */
export function clientsOn(system: System): readonly Client[] {
  const { join, under, config } = userFolders(system);
  const home = (...parts: readonly string[]) => join(system.home, ...parts);
  /** Where desktop programs keep their settings. */
  const desktop = system.platform === 'darwin' ? home('Library', 'Application Support') : config;
  const xdg = under('XDG_CONFIG_HOME', '.config');
  /** Most clients are installed if the folder of their file exists. */
  const client = (id: string, title: string, file: string, details: Partial<Client> = {}): Client => ({
    ...{ id, title, traces: [join(file, '..')], files: [file], at: 'mcpServers', entry: (entry) => ({ ...entry }) },
    remoteEntry: remote('url'),
    ...details,
  });
  return [
    client('claude-desktop', 'Claude Desktop', join(desktop, 'Claude', 'claude_desktop_config.json'), {
      noRemote: 'it takes servers over HTTP only in its settings, under Connectors, where people sign in by OAuth.',
    }),
    client('claude-code', 'Claude Code', join(under('CLAUDE_CONFIG_DIR'), '.claude.json'), {
      traces: [under('CLAUDE_CONFIG_DIR', '.claude'), home('.claude.json')],
      ...{ entry: typed, remoteEntry: typedRemote },
    }),
    client('cursor', 'Cursor', home('.cursor', 'mcp.json')),
    client('vscode', 'VS Code', join(desktop, 'Code', 'User', 'mcp.json'), {
      ...{ traces: [join(desktop, 'Code')], at: 'servers', entry: typed, remoteEntry: typedRemote },
    }),
    client('codex', 'Codex', join(under('CODEX_HOME', '.codex'), 'config.toml'), {
      ...{ format: 'toml', at: 'mcp_servers', remoteEntry: remote('url', 'http_headers') },
    }),
    client('gemini', 'Gemini CLI', join(under('GEMINI_CLI_HOME'), '.gemini', 'settings.json'), {
      remoteEntry: remote('httpUrl'),
      needs:
        'It starts servers only in folders that you trust: type /permissions trust in the folder where you use it.',
    }),
    client('copilot', 'Copilot CLI', join(under('COPILOT_HOME', '.copilot'), 'mcp-config.json'), {
      entry: (entry) => ({ type: 'local', ...entry, tools: ['*'] }),
      remoteEntry: remote('url', 'headers', { type: 'http', tools: ['*'] }),
    }),
    client('windsurf', 'Windsurf', home('.codeium', 'windsurf', 'mcp_config.json'), {
      remoteEntry: remote('serverUrl'),
    }),
    client('opencode', 'opencode', join(xdg, 'opencode', 'opencode.json'), {
      files: [join(xdg, 'opencode', 'opencode.json'), join(xdg, 'opencode', 'opencode.jsonc')],
      at: 'mcp',
      entry: ({ command, args, env: environment }) => ({
        ...{ type: 'local', command: [command, ...args], environment, enabled: true },
      }),
      remoteEntry: remote('url', 'headers', { type: 'remote', enabled: true }),
    }),
  ];
}
