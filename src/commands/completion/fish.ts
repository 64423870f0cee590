import { type Flag, type Place, stepsOf } from './words.ts';

/** The script for fish, with descriptions. */
export function fishScript(places: readonly Place[]): string {
  const steps = stepsOf(places).join(' ');
  return `function __tracker_mcp_at
  set -l at ''
  for word in (commandline -opc)[2..]
    if contains -- "$at $word" ${steps}
      set at (string trim -- "$at $word")
    end
  end
  test "$at" = "$argv[1]"
end
complete -c tracker-mcp -f
${places.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, words, flags }: Place): string[] {
  const start = `complete -c tracker-mcp -n "__tracker_mcp_at '${path}'"`;
  return [
    ...words.map(({ name, description }) => `${start} -a ${name} -d '${description}'`),
    ...flags.map((flag) => `${start} ${nameOf(flag)} -d '${flag.description}'${valuesOf(flag)}`),
  ];
}

function nameOf({ name }: Flag): string {
  return name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
}

function valuesOf({ takesValue, values }: Flag): string {
  if (values.length > 0) return ` -x -a '${values.join(' ')}'`;
  return takesValue ? ' -r -F' : '';
}
