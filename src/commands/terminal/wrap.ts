import widthOf from 'fast-string-width';

/**
 * Breaks a text between its words, so that no word and no number is cut by the edge of the terminal. A word that is wider
 * than a line stays whole.
 *
 * @param indent what stands ahead of each line but the first
 */
export function wrap(text: string, width: number, indent = ''): string {
  const lines: string[] = [];
  const [start = ''] = /^ */.exec(text) ?? [];
  let line = start;
  for (const word of text.slice(start.length).split(' ')) {
    const longer = line === start && lines.length === 0 ? start + word : `${line} ${word}`;
    if (line.trim() !== '' && widthOf(longer) > width) {
      lines.push(line);
      line = indent + word;
    } else line = longer;
  }
  return [...lines, line].join('\n');
}

/** JSON that a narrow terminal can break between its objects. */
export function breakableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('},{', '}, {');
}
