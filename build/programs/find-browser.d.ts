/**
 * Finds a Chromium, Chrome or Edge: the one that CHROME_PATH names, else where the system keeps them.
 *
 * @returns undefined where there is none
 */
export function findBrowser(environment?: NodeJS.ProcessEnv, platform?: NodeJS.Platform): string | undefined;
