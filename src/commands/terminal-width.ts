/** Where output goes to a file, or a terminal does not say, lines of this width are read well. */
const usualWidth = 120;

/** The columns that output may take. Some terminals say 0 for "unknown". */
export function terminalWidth(): number {
  return process.stdout.columns || usualWidth;
}
