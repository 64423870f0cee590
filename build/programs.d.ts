/** The program and the first arguments that run npm without a shell. */
export const npm: readonly [program: string, ...given: string[]];

/** A Chromium, Chrome or Edge: the one that CHROME_PATH names, else where the system keeps them; undefined if there is none. */
export function findBrowser(): string | undefined;

/** The redis-server for tests: the one that REDIS_SERVER_PATH names, which may be a valkey-server, or the one on the path. */
export function findRedis(): string | undefined;
