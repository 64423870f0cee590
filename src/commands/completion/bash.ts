import { type Place, stepsOf } from './words.ts';

/** The script for bash, from 3.2 on, which macOS has. */
export function bashScript(places: readonly Place[]): string {
  const values = places.flatMap(({ path, flags }) => {
    const open = flags.filter(({ takesValue, values }) => takesValue && values.length === 0);
    return [
      ...flags
        .filter(({ values }) => values.length > 0)
        .map(({ name, values }) => `    '${path} ${name}') words='${values.join(' ')}' ;;`),
      // What may be any text is completed as the name of a file.
      ...(open.length === 0 ? [] : [`    ${open.map(({ name }) => `'${path} ${name}'`).join('|')}) return ;;`]),
    ];
  });
  const words = places.map(
    ({ path, words, flags }) => `      '${path}') words='${[...words, ...flags].map(({ name }) => name).join(' ')}' ;;`,
  );
  return `_tracker_mcp() {
  local at='' words='' index current="\${COMP_WORDS[COMP_CWORD]}"
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$at \${COMP_WORDS[index]}" in
      ${stepsOf(places).join('|')}) at="\${at:+$at }\${COMP_WORDS[index]}" ;;
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
    *) case "$at" in
${words.join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tracker_mcp tracker-mcp
`;
}
