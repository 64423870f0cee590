const cells = 30;

/**
 * A progress bar on stderr, where that is a terminal.
 *
 * @param label what is under way
 * @returns what to call as it goes; undefined where nobody would see it
 */
export function progressBar(label: string): ((done: number, total: number) => void) | undefined {
  if (!process.stderr.isTTY) return undefined;
  return (done, total) => {
    const filled = Math.round((done / total) * cells);
    const bar = '#'.repeat(filled) + '-'.repeat(cells - filled);
    process.stderr.write(done < total ? `\r${label} [${bar}] ${done}/${total}` : '\r\x1b[K');
  };
}
