import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** A chat program on npm. */
export interface Program {
  /** Its name in `tracker-mcp install`. */
  readonly id: string;
  readonly command: string;
  readonly package: string;
  readonly version: string;
  /** The script of its package that installs the binary for this system. */
  readonly setUp?: string;
  /** Makes it trust its working directory and stay offline. */
  readonly environment: Readonly<Record<string, string>>;
  /** The variable for its settings folder. */
  readonly movedBy: string;
  /** How `mcp list` shows the server `tracker`, as connected if it starts servers. */
  readonly shows: RegExp;
  /** The same for a server over HTTP. */
  readonly showsRemote: RegExp;
  /** Whether `mcp list` starts the servers. */
  readonly connects: boolean;
}

export const programsFolder = resolve('node_modules/.cache/tracker-mcp/clients');

export const programs: readonly Program[] = [
  {
    ...{ id: 'claude-code', command: 'claude', package: '@anthropic-ai/claude-code', version: '2.1.330' },
    setUp: 'install.cjs',
    environment: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1' },
    ...{ movedBy: 'CLAUDE_CONFIG_DIR', shows: /^tracker: .* - ✔ Connected$/m, connects: true },
    showsRemote: /^tracker: .*\(HTTP\) - ✔ Connected$/m,
  },
  {
    ...{ id: 'codex', command: 'codex', package: '@openai/codex', version: '0.169.0' },
    environment: {},
    ...{ movedBy: 'CODEX_HOME', shows: /^tracker +\S.* enabled /m, connects: false },
    showsRemote: /^tracker +http\S.* enabled /m,
  },
  {
    ...{ id: 'gemini', command: 'gemini', package: '@google/gemini-cli', version: '0.61.0' },
    // In an untrusted folder it starts no server. It need not restart itself for more memory.
    environment: {
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_TELEMETRY_ENABLED: 'false',
    },
    ...{ movedBy: 'GEMINI_CLI_HOME', shows: /^✓ tracker: .* \(stdio\) - Connected$/m, connects: true },
    showsRemote: /^✓ tracker: .* \(http\) - Connected$/m,
  },
  {
    ...{ id: 'opencode', command: 'opencode', package: 'opencode-ai', version: '1.18.33' },
    setUp: 'postinstall.mjs',
    environment: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    ...{ movedBy: 'XDG_CONFIG_HOME', shows: /✓ +tracker +connected$/m, connects: true },
    showsRemote: /✓ +tracker +connected$/m,
  },
  {
    ...{ id: 'copilot', command: 'copilot', package: '@github/copilot', version: '1.0.102' },
    // It unpacks itself; a shared cache does that once.
    environment: { COPILOT_AUTO_UPDATE: 'false', COPILOT_CACHE_HOME: join(programsFolder, 'cache') },
    ...{ movedBy: 'COPILOT_HOME', shows: /^ {2}tracker \(local\)$/m, connects: false },
    showsRemote: /^ {2}tracker \(http\)$/m,
  },
];

export function programCalled(wanted: string): Program {
  const program = programs.find(({ command }) => command === wanted);
  if (!program) throw new TypeError(wanted);
  return program;
}

export function packageFolder(program: Program): string {
  return join(programsFolder, 'node_modules', program.package);
}

/** The command of a program: its binary, or Node and its script. */
export async function startOf(program: Program): Promise<readonly [file: string, ...given: string[]]> {
  const { bin } = JSON.parse(await readFile(join(packageFolder(program), 'package.json'), 'utf8'));
  const file = join(packageFolder(program), bin[program.command]);
  return file.endsWith('.exe') ? [file] : [process.execPath, file];
}
