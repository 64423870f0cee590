import type { Command } from 'commander';
import { Guard } from '../guard/guard.ts';
import { catalogue } from '../tools/catalogue.ts';
import type { Tool } from '../tools/define-tool.ts';
import { toJsonSchema } from '../tools/json-schema.ts';
import { addSettings, configureShared, newCommand, reportFailures, settingsOf } from './command-line.ts';
import { refuseUnknownTools } from './open-trackers.ts';
import { print, printJson } from './process.ts';

export function makeCommand(): Command {
  const command = newCommand('tracker-mcp tools')
    .description('Lists the available tools: name, access and purpose.')
    .option('--json', 'print each tool with the schemas that a client gets')
    .action(({ json }: { json?: true }) =>
      reportFailures(async () => {
        const offers = await configureShared(settingsOf(command));
        for (const { tools } of offers) refuseUnknownTools(tools);
        const guards = offers.map(({ readOnly, tools }) => new Guard({ readOnly, tools, limits: {}, confirm: false }));
        const offered = catalogue.filter((tool) => guards.some((guard) => guard.offers(tool)));
        if (json) printJson(JSON.stringify(offered.map(describeTool), null, 2));
        else print(listTools(offered));
      }),
    );
  return addSettings(command).addHelpText('after', '\nExample:\n  tracker-mcp tools --read-only --json');
}

function listTools(tools: readonly Tool[]): string {
  const widest = Math.max(...tools.map(({ name }) => name.length));
  return tools.map(({ name, access, title }) => `${name.padEnd(widest)}  ${access.padEnd(6)}  ${title}`).join('\n');
}

function describeTool({ name, title, description, access, input, output }: Tool) {
  return {
    name,
    title,
    access,
    description,
    inputSchema: toJsonSchema(input(), 'input'),
    outputSchema: toJsonSchema(output(), 'output'),
  };
}
