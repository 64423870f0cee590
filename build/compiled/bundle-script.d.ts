import type { BuildOptions } from 'esbuild';

/** The files of dist that are written here. */
export const scriptFiles: readonly string[];
/** Writes the program as one script, and what it seldom needs as another. */
export function bundleScript(common: BuildOptions): Promise<void>;
