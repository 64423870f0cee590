import { Argument, type Command } from 'commander';
import { guarded, newCommand } from '../command-line.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { type CommandLine, readWords } from './words.ts';
import { zshScript } from './zsh.ts';

const shells = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

const notes = `
Put one of these into the file that your shell reads when it starts:
  bash  eval "$(tracker-mcp completion bash)"        in ~/.bashrc
  zsh   eval "$(tracker-mcp completion zsh)"         in ~/.zshrc, behind compinit
  fish  tracker-mcp completion fish | source         in ~/.config/fish/config.fish

Example:
  tracker-mcp completion bash`;

/**
 * `tracker-mcp completion`: a script that completes commands, tools, their arguments and the values of those.
 *
 * @param load gives the whole command line, from which the script is made
 */
export function completionCommand(load: () => Promise<CommandLine>): Command {
  return newCommand('tracker-mcp completion')
    .description('Prints the completion script of a shell, with commands, tools, arguments and values.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .addHelpText('after', notes)
    .action((shell: keyof typeof shells) =>
      guarded(async () => {
        process.stdout.write(shells[shell](readWords(await load())));
      }),
    );
}
