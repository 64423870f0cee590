/** The program and the first arguments that run npm without a shell. */
export const npm: readonly [program: string, ...given: string[]];
