/** What V8 compiled of the program, for the Node that runs this. */
export const compiledFile: string;
/** Writes it; fails where the program that was built does not answer. */
export function keepCompiled(): Promise<void>;
