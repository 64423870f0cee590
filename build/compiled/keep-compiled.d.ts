/** What V8 compiled of the program, for the Node that runs this. */
export const compiledFile: string;
/** Writes it, or into the file that is named; fails where the program that was built does not answer. */
export function keepCompiled(file?: string): Promise<void>;
