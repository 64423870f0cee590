import type { Command } from 'commander';
import { nearestName } from '../api/text/names.ts';
import { version } from '../version.ts';
import { addSettings, configure, guarded, newCommand, settingsOf, takeSettings } from './command-line.ts';
import { endWithoutOutput } from './process.ts';

/** Loads what makes a command. */
type Load = () => Promise<{ readonly makeCommand: () => Command }>;

/** Each command is loaded when it is called, so that a server that only serves starts fast. */
const commands: Readonly<Record<string, readonly [summary: string, load: Load]>> = {
  call: ['call one tool: a table for a person, JSON into a pipe', () => import('./call.ts')],
  reconcile: ['set a network’s statement against the conversions', () => import('./reconcile.ts')],
  tools: ['list the tools', () => import('./tools.ts')],
  check: ['check the URL, TLS, the key and the API, line by line', () => import('./check.ts')],
  review: [
    'look over all campaigns for what needs a person, for cron and workflows',
    () => import('./review/review.ts'),
  ],
  audit: ['print the audit trail, and the writes whose outcome is unknown', () => import('./audit.ts')],
  approve: ['list the writes that wait for a person, and decide about one', () => import('./approve.ts')],
  approver: [
    'make, list and remove those who may approve',
    () => import('./secrets.ts').then(({ approverCommand: makeCommand }) => ({ makeCommand })),
  ],
  http: ['serve a team over HTTP', () => import('./http.ts')],
  token: [
    'make, list and remove the bearer tokens of that server',
    () => import('./secrets.ts').then(({ tokenCommand: makeCommand }) => ({ makeCommand })),
  ],
  sandbox: ['run the embedded tracker as a service', () => import('./sandbox/sandbox.ts')],
  install: [
    'enter the server into Claude Desktop, Claude Code, Cursor, VS Code and others',
    () => import('./install/install.ts').then(({ installCommand: makeCommand }) => ({ makeCommand })),
  ],
  uninstall: [
    'take the entry out again',
    () => import('./install/install.ts').then(({ uninstallCommand: makeCommand }) => ({ makeCommand })),
  ],
  completion: ['print the completion script of a shell: bash, zsh or fish', () => import('./completion.ts')],
  demo: ['see six jobs done through a real MCP client, on sample data', () => import('./demo.ts')],
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
        const command = (await load()).makeCommand();
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
      await printOffers(root, async (name) => (await commands[name]?.[1]())?.makeCommand(), stub.args);
    });
}

function refuseUnknown(root: Command, name: string): never {
  const names = [...Object.keys(commands), 'help'];
  const meant = nearestName(name, names);
  return root.error(
    `error: unknown command '${name}'${meant === undefined ? '.' : `; did you mean ${meant}?`} The commands are: ${names.join(', ')}.`,
  );
}
