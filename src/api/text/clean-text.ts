const plain = /^[\x20-\x7e]*$/;

/** Whole terminal sequences, so that no `[31m` is left over. */
const terminalSequence = /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g;

const lineBreak = /\r\n|[\t\n\r\v\f\u0085\u2028\u2029]/g;

/**
 * Control, bidirectional and zero-width characters, fillers and selectors that show nothing. Arabic number signs are format
 * characters too, but visible. The first group is kept: joiners inside an emoji, one selector right after a character that can
 * be an emoji, whole keycaps, and the tag letters of a flag. They are too few to hide words in.
 */
const invisible =
  /((?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})|(?<=[\p{Emoji}--[0-9#*]])[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)|\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f})|[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]--[\u0600-\u0605\u06dd\u070f\u08e2]]/gv;

/**
 * Makes untrusted text safe for agents and terminals: on one line, without invisible characters or half surrogate pairs.
 */
export function cleanText(text: string): string {
  if (plain.test(text)) return text;
  return text.toWellFormed().replace(terminalSequence, '').replace(lineBreak, ' ').replace(invisible, '$1');
}

/** The first character that `cleanText` removes or replaces, such as `U+202E`; undefined if it changes nothing. */
export function firstHiddenCharacter(text: string): string | undefined {
  const clean = cleanText(text);
  if (clean === text) return undefined;
  let index = 0;
  while (text[index] === clean[index]) index += 1;
  const hex = text.codePointAt(index)?.toString(16).toUpperCase().padStart(4, '0');
  return `U+${hex}`;
}

/** Longer than any name that a person gave to a column. */
export const maxNameLength = 200;

/** Clean, short, distinct names: of two that look the same, the second is "name (2)". */
export function cleanNames(names: readonly string[]): string[] {
  const short = names.map((name) => cleanText(name).slice(0, maxNameLength).toWellFormed());
  return distinctNames(short, (name, count) => `${name} (${count})`);
}

/** Numbers each name that came before, even if the names include such a number already. */
export function distinctNames(names: readonly string[], numbered: (name: string, count: number) => string): string[] {
  if (new Set(names).size === names.length) return [...names];
  const counts = new Map<string, number>();
  const used = new Set<string>();
  return names.map((name) => {
    let count = (counts.get(name) ?? 0) + 1;
    let distinct = count === 1 ? name : numbered(name, count);
    while (used.has(distinct)) {
      count += 1;
      distinct = numbered(name, count);
    }
    counts.set(name, count);
    used.add(distinct);
    return distinct;
  });
}
