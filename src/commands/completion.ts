import { Argument, type Command, type Option } from 'commander';
import { settings } from '../config/settings.ts';
import { catalogue } from '../tools/catalogue.ts';
import { toJsonSchema } from '../tools/json-schema.ts';
import { attributeOf, guarded, newCommand } from './command-line.ts';
import { commandLinePath, quoted } from './process.ts';

/** Gives a command of the program by its name, with its options; undefined if there is none. */
type Load = (name: string) => Promise<Command | undefined>;

interface Offer {
  readonly name: string;
  readonly description: string;
}

/** What each shell runs to ask this program what can stand at the cursor. */
const shells: Readonly<Record<string, (ask: string) => string>> = {
  bash: (ask) => `_tracker_mcp() {
  local IFS=$'\\n' offered
  offered="$(${ask} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)"
  COMPREPLY=($(compgen -W "$offered" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tracker_mcp tracker-mcp
`,
  zsh: (ask) => `#compdef tracker-mcp
_tracker_mcp() {
  local -a offered
  offered=("\${(@f)$(${ask} "\${(@)words[2,CURRENT]}" 2>/dev/null | sed 's/:/\\\\:/g; s/\\t/:/')}")
  if [ -n "$offered[1]" ]; then _describe 'tracker-mcp' offered; else _files; fi
}
if [ "$funcstack[1]" = "_tracker_mcp" ]; then _tracker_mcp "$@"; else compdef _tracker_mcp tracker-mcp; fi
`,
  fish: (ask) => `complete -c tracker-mcp -a '(${ask.replaceAll("'", "\\'")} (commandline -opc)[2..] (commandline -ct))'
`,
};

const notes = `
Put one of these into the file that your shell reads when it starts:
  bash  eval "$(tracker-mcp completion bash)"        in ~/.bashrc
  zsh   eval "$(tracker-mcp completion zsh)"         in ~/.zshrc, behind compinit
  fish  tracker-mcp completion fish | source         in ~/.config/fish/config.fish

Example:
  tracker-mcp completion bash`;

/** `tracker-mcp completion`: the script that has a shell complete commands, tools, their arguments and the values of those. */
export function makeCommand(): Command {
  return newCommand('tracker-mcp completion')
    .description('Prints the completion script of a shell, with commands, tools, arguments and values.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .addHelpText('after', notes)
    .action((shell: string) =>
      guarded(async () => {
        const ask = [process.execPath, commandLinePath(), 'complete', '--'].map(quoted).join(' ');
        process.stdout.write(shells[shell]?.(ask) ?? '');
      }),
    );
}

/** Prints what can replace the last word, a line each, for those scripts. */
export async function printOffers(root: Command, load: Load, words: readonly string[]): Promise<void> {
  const offers = await offersFor(root, load, words);
  process.stdout.write(offers.map(({ name, description }) => `${name}\t${firstLine(description)}\n`).join(''));
}

async function offersFor(root: Command, load: Load, words: readonly string[]): Promise<readonly Offer[]> {
  const current = words.at(-1) ?? '';
  const ahead = words.slice(0, -1).filter((word) => word !== '=');
  let command = root;
  for (const word of ahead) {
    const below = command.commands.find((one) => one.name() === word);
    if (below) command = command === root ? ((await load(word)) ?? below) : below;
  }
  const help = command.createHelp();
  const options = help.visibleOptions(command);
  const last = ahead.at(-1) ?? '';
  const asked = options.find(({ short, long }) => short === last || long === last);
  const values = asked ? valuesOf(asked, command.name()) : [];
  if (values.length > 0) {
    // In a list by comma the next item is completed.
    const [earlier = ''] = /^.*,/.exec(current) ?? [];
    return values.map((value) => ({ name: earlier + value, description: asked?.description ?? '' }));
  }
  // What may be any text is completed as the name of a file.
  if (asked?.required) return [];
  const below = help.visibleCommands(command);
  const fixed = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((name) => ({ name, description })),
  );
  return [
    ...below.map((one) => ({ name: one.name(), description: one.summary() || one.description() })),
    ...fixed,
    // An argument of a tool stands ahead of its spelling with dashes.
    ...options.map(({ short, long, description }) => ({
      name: (short?.startsWith('--') ? short : long) ?? '',
      description,
    })),
  ];
}

/** The values that an option may have: its own choices, those of a setting, or those of the tool's argument; none if any. */
function valuesOf(option: Option, command: string): readonly string[] {
  const name = option.attributeName();
  const setting = settings.find(({ key }) => attributeOf(key) === name);
  if (setting) return setting.choices;
  const tool = catalogue.find((one) => one.name === command);
  const schema = tool && toJsonSchema(tool.input, 'input').properties?.[name];
  if (schema?.type === 'boolean') return ['true', 'false'];
  return option.argChoices ?? (schema?.enum ?? schema?.items?.enum ?? []).map(String);
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/ \[.*\]$/, '').slice(0, 80);
}
