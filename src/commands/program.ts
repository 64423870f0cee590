import type { Command } from 'commander';
import { ownValue } from '../api/text/json.ts';
import { didYouMean } from '../api/text/names.ts';
import { version } from '../version.ts';
import { addSettings, configure, newCommand, reportFailures, settingsOf, takeSettings } from './command-line.ts';
import { endWithoutOutput } from './process.ts';

type Load = () => Promise<{ readonly makeCommand: () => Command }>;

/** Each command is loaded when it is called, so the stdio server starts fast. */
const commands: Readonly<Record<string, readonly [summary: string, load: Load]>> = {
  call: ['call one tool: prints a table, or JSON into a pipe', () => import('./call.ts')],
  reconcile: ['compare a network’s statement with the conversions', () => import('./reconcile.ts')],
  tools: ['list the tools', () => import('./tools.ts')],
  check: ['test the URL, TLS, the key and the API, line by line', () => import('./check.ts')],
  review: ['report what needs attention, for cron and workflows', () => import('./review/review.ts')],
  audit: ['print the audit trail, and the writes whose outcome is unknown', () => import('./audit.ts')],
  approve: ['list the writes that wait for a person, and decide one', () => import('./approve.ts')],
  approver: [
    'add, list and remove approvers',
    () => import('./secrets.ts').then(({ approverCommand: makeCommand }) => ({ makeCommand })),
  ],
  http: ['serve a team over HTTP', () => import('./http.ts')],
  token: [
    'add, list and remove bearer tokens of that server',
    () => import('./secrets.ts').then(({ tokenCommand: makeCommand }) => ({ makeCommand })),
  ],
  sandbox: ['run the embedded tracker as a service', () => import('./sandbox/sandbox.ts')],
  install: [
    'add the server to Claude Desktop, Claude Code, Cursor, VS Code and others',
    () => import('./install/install.ts').then(({ installCommand: makeCommand }) => ({ makeCommand })),
  ],
  uninstall: [
    'remove the entry',
    () => import('./install/install.ts').then(({ uninstallCommand: makeCommand }) => ({ makeCommand })),
  ],
  completion: ['print the completion script of a shell: bash, zsh or fish', () => import('./completion.ts')],
  demo: ['watch a real MCP client do six jobs on sample data', () => import('./demo.ts')],
};

const examples = `
Examples:
  tracker-mcp --sandbox
  tracker-mcp install
  tracker-mcp call get_stats --help`;

/** The command line: the stdio server without a command, and the other commands. */
export function program(): Command {
  process.stdout.on('error', endWithoutOutput);
  const root = newCommand('tracker-mcp', { subcommandTerm: (command) => command.name() })
    .usage('[settings] [command]')
    .description(
      'An MCP server for an ad-campaign tracker. Without a command it serves over standard input and output.',
    )
    .version(version)
    .enablePositionalOptions()
    .allowExcessArguments()
    .action(async () => {
      const [unknown] = root.args;
      if (unknown !== undefined) refuseUnknown(root, unknown);
      const { serve } = await import('./serve.ts');
      // A server without a client still finishes the calls under way.
      process.stdout.off('error', endWithoutOutput);
      await reportFailures(async () =>
        serve(await configure(settingsOf(root), process.env, { mayLackTracker: !process.stdin.isTTY })),
      );
    });
  addSettings(root).addHelpText('after', examples);
  addHelp(root);
  addStub(root, 'complete', true, async (words) => {
    const { printCompletions } = await import('./completion.ts');
    await printCompletions(root, async (name) => (await ownValue(commands, name)?.[1]())?.makeCommand(), words);
  });
  for (const [name, [summary, load]] of Object.entries(commands)) {
    const stub = addStub(root, name, false, async (words) => {
      const command = (await load()).makeCommand();
      command.hook('preAction', (made, acting) => takeSettings(made, acting, settingsOf(root)));
      await command.parseAsync(words, { from: 'user' });
    });
    stub.description(summary);
  }
  return root;
}

/** Adds a command that passes all its words on. */
function addStub(root: Command, name: string, hidden: boolean, act: (words: string[]) => Promise<void>): Command {
  return root
    .command(name, { hidden })
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .passThroughOptions()
    .action((_options: unknown, stub: Command) => act(stub.args));
}

/** `tracker-mcp help call get_stats` is `tracker-mcp call get_stats --help`. */
function addHelp(root: Command): void {
  root
    .command('help')
    .description('show the help of a command')
    .argument('[command...]', 'the command, and a tool after call')
    .action(async (words: readonly string[]) => {
      const [name] = words;
      if (name !== undefined && name !== 'help' && !Object.hasOwn(commands, name)) refuseUnknown(root, name);
      await program().parseAsync([...words.filter((word) => word !== 'help'), '--help'], { from: 'user' });
    });
}

function refuseUnknown(root: Command, name: string): never {
  const names = [...Object.keys(commands), 'help'];
  return root.error(
    `error: unknown command '${name}'${didYouMean(name, names)} The commands are: ${names.join(', ')}.`,
  );
}
