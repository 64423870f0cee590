import { type Place, stepsOf } from './words.ts';

/** The script for zsh, with descriptions. */
export function zshScript(places: readonly Place[]): string {
  const values = places.flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue, values }) => takesValue || values.length > 0)
      .map(({ name, values }) =>
        values.length > 0
          ? `    '${path} ${name}') compadd -- ${values.join(' ')}; return ;;`
          : `    '${path} ${name}') _files; return ;;`,
      ),
  );
  const words = places.map(({ path, words, flags }) => {
    const lines = [...words, ...flags].map(({ name, description }) => `      '${name}:${description}'`);
    return [`    '${path}') found=(`, ...lines, '    ) ;;'].join('\n');
  });
  return `#compdef tracker-mcp
_tracker_mcp() {
  local at='' index
  local -a found
  for ((index = 2; index < CURRENT; index++)); do
    case "$at \${words[index]}" in
      ${stepsOf(places).join('|')}) at="\${at:+$at }\${words[index]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$at" in
${words.join('\n')}
  esac
  _describe 'tracker-mcp' found
}
if [ "$funcstack[1]" = "_tracker_mcp" ]; then _tracker_mcp "$@"; else compdef _tracker_mcp tracker-mcp; fi
`;
}
