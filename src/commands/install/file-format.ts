/** A kind of file that servers are entered into. What is not about the entry stays as it is, comments and spacing too. */
export interface FileFormat {
  /** @throws Error where the text is not of this kind */
  readonly read: (text: string) => unknown;
  /** The text without what stands at a path. */
  readonly remove: (text: string, path: readonly string[]) => string;
  /** The text with a value at a path where nothing stands. */
  readonly add: (text: string, path: readonly string[], value: unknown) => string;
  /** What a file that holds nothing is read as. */
  readonly empty: string;
}
