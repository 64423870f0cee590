import type { Command } from 'commander';
import { nearestName } from '../api/text/names.ts';
import { version } from '../version.ts';
import { addSettings, configure, guarded, newCommand, settingsOf, takeSettings } from './command-line.ts';
import { endWithoutOutput } from './process.ts';

/** Each command is loaded when it is called, so that a server that only serves starts fast. */
const commands: Readonly<Record<string, readonly [summary: string, load: () => Promise<() => Command>]>> = {
  call: ['call one tool: a table for a person, JSON into a pipe', async () => (await import('./call.ts')).callCommand],
  reconcile: [
    'set a network’s statement against the conversions',
    async () => (await import('./reconcile.ts')).reconcileCommand,
  ],
  tools: ['list the tools', async () => (await import('./tools.ts')).toolsCommand],
  check: [
    'check the URL, TLS, the key and the API, line by line',
    async () => (await import('./check.ts')).checkCommand,
  ],
  review: [
    'look over all campaigns for what needs a person, for cron and workflows',
    async () => (await import('./review/review.ts')).reviewCommand,
  ],
  audit: [
    'print the audit trail, and the writes whose outcome is unknown',
    async () => (await import('./audit.ts')).auditCommand,
  ],
  approve: [
    'list the writes that wait for a person, and decide about one',
    async () => (await import('./approve.ts')).approveCommand,
  ],
  approver: ['make, list and remove those who may approve', async () => (await import('./secrets.ts')).approverCommand],
  http: ['serve a team over HTTP', async () => (await import('./http.ts')).httpCommand],
  token: [
    'make, list and remove the bearer tokens of that server',
    async () => (await import('./secrets.ts')).tokenCommand,
  ],
  sandbox: ['run the embedded tracker as a service', async () => (await import('./sandbox/sandbox.ts')).sandboxCommand],
  install: [
    'enter the server into Claude Desktop, Claude Code, Cursor, VS Code and others',
    async () => (await import('./install/install.ts')).installCommand,
  ],
  uninstall: ['take the entry out again', async () => (await import('./install/install.ts')).uninstallCommand],
  completion: [
    'print the completion script of a shell: bash, zsh or fish',
    async () => (await import('./completion.ts')).completionCommand,
  ],
  demo: [
    'see four jobs done through a real MCP client, on sample data',
    async () => (await import('./demo.ts')).demoCommand,
  ],
};

const examples = `
Examples:
  tracker-mcp --sandbox
  tracker-mcp install
  tracker-mcp call get_stats --help`;

/** The command line: the stdio server without a command, and the other commands. */
export function program(): Command {
  process.stdout.on('error', endWithoutOutput);
  const root = newCommand('tracker-mcp')
    .usage('[settings] [command]')
    .description(
      'An MCP server for an ad-campaign tracker. Without a command it serves over standard input and output.',
    )
    .version(version)
    .enablePositionalOptions()
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .allowExcessArguments()
    .action(async () => {
      const [unknown] = root.args;
      if (unknown !== undefined) refuseUnknown(root, unknown);
      const { serve } = await import('./serve.ts');
      // A server whose client is gone may have calls under way, which it finishes.
      process.stdout.off('error', endWithoutOutput);
      await guarded(async () => serve(await configure(settingsOf(root))));
    });
  addSettings(root).addHelpText('after', examples);
  addHelp(root);
  addComplete(root);
  for (const [name, [summary, load]] of Object.entries(commands)) {
    root
      .command(name)
      .description(summary)
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .passThroughOptions()
      .action(async (_options: unknown, stub: Command) => {
        const command = (await load())();
        command.hook('preAction', (made, acting) => takeSettings(made, acting, settingsOf(root)));
        await command.parseAsync(stub.args, { from: 'user' });
      });
  }
  return root;
}

/** `tracker-mcp help call get_stats` is `tracker-mcp call get_stats --help`. */
function addHelp(root: Command): void {
  root
    .command('help')
    .description('show the help of a command')
    .argument('[command...]', 'the command, and a tool after call')
    .action(async (words: readonly string[]) => {
      const [name] = words;
      if (name !== undefined && name !== 'help' && !(name in commands)) refuseUnknown(root, name);
      await program().parseAsync([...words.filter((word) => word !== 'help'), '--help'], { from: 'user' });
    });
}

/** What completion scripts ask: hidden, since a person has no use for it. */
function addComplete(root: Command): void {
  root
    .command('complete', { hidden: true })
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .passThroughOptions()
    .action(async (_options: unknown, stub: Command) => {
      const { printOffers } = await import('./completion.ts');
      await printOffers(root, async (name) => (await commands[name]?.[1]())?.(), stub.args);
    });
}

function refuseUnknown(root: Command, name: string): never {
  const names = [...Object.keys(commands), 'help'];
  const meant = nearestName(name, names);
  return root.error(
    `error: unknown command '${name}'${meant === undefined ? '.' : `; did you mean ${meant}?`} The commands are: ${names.join(', ')}.`,
  );
}
