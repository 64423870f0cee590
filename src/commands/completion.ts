import { Argument, type Command, type Option } from 'commander';
import { settings } from '../config/settings.ts';
import { catalogue } from '../tools/catalogue.ts';
import { toJsonSchema } from '../tools/json-schema.ts';
import { attributeOf, newCommand, reportFailures } from './command-line.ts';
import { commandLinePath, quoted } from './process.ts';

interface Completion {
  readonly name: string;
  readonly description: string;
}

/** The script of each shell, which asks this program for completions. */
const scripts: Readonly<Record<string, (ask: string) => string>> = {
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
  zsh   eval "$(tracker-mcp completion zsh)"         in ~/.zshrc, after compinit
  fish  tracker-mcp completion fish | source         in ~/.config/fish/config.fish

Example:
  tracker-mcp completion bash`;

export function makeCommand(): Command {
  return newCommand('tracker-mcp completion')
    .description('Prints the completion script of a shell, with commands, tools, arguments and values.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .addHelpText('after', notes)
    .action((shell: string) =>
      reportFailures(async () => {
        const ask = [process.execPath, commandLinePath(), 'complete', '--'].map(quoted).join(' ');
        process.stdout.write(scripts[shell]?.(ask) ?? '');
      }),
    );
}

/**
 * Prints the completions of the last word for those scripts, one per line. If there are none, the shell completes file names.
 *
 * @param load makes a command of the program; undefined if it has no command of that name
 */
export async function printCompletions(
  root: Command,
  load: (name: string) => Promise<Command | undefined>,
  words: readonly string[],
): Promise<void> {
  const earlier = words.slice(0, -1).filter((word) => word !== '=');
  let command = root;
  for (const word of earlier) {
    const child = command.commands.find((one) => one.name() === word);
    if (child) command = command === root ? ((await load(word)) ?? child) : child;
  }
  const lines = completionsIn(command, earlier.at(-1) ?? '', words.at(-1) ?? '').map(({ name, description }) => {
    const [summary = ''] = description.split('\n');
    return `${name}\t${summary.replace(/ \[[^[\]]*\]$/, '').slice(0, 80)}\n`;
  });
  process.stdout.write(lines.join(''));
}

function completionsIn(command: Command, previous: string, current: string): Completion[] {
  const help = command.createHelp();
  const options = help.visibleOptions(command);
  const option = options.find(({ short, long }) => short === previous || long === previous);
  const values = option ? valuesOf(option, command.name()) : [];
  if (option && (values.length > 0 || option.required)) {
    // In a list, the item after the last comma is completed.
    const [start = ''] = /^.*,/.exec(current) ?? [];
    return values.map((value) => ({ name: start + value, description: option.description }));
  }
  return [
    ...help
      .visibleCommands(command)
      .map((one) => ({ name: one.name(), description: one.summary() || one.description() })),
    ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
      argChoices.map((name) => ({ name, description })),
    ),
    ...options.map(({ long, description }) => ({ name: long ?? '', description })),
  ];
}

/** The values of an option, if it is a setting, an argument of a tool or has choices. Empty if it takes any text. */
function valuesOf(option: Option, command: string): readonly string[] {
  const name = option.attributeName();
  const setting = settings.find(({ key }) => attributeOf(key) === name);
  if (setting) return setting.choices;
  const tool = catalogue.find((one) => one.name === command);
  const schema = tool && toJsonSchema(tool.input(), 'input').properties?.[name];
  if (schema?.type === 'boolean') return ['true', 'false'];
  return option.argChoices ?? (schema?.enum ?? schema?.items?.enum ?? []).map(String);
}
