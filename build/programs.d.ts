/** The program and first arguments that run npm without a shell. */
export const npm: readonly [program: string, ...given: string[]];

/** The path of a Chromium, Chrome or Edge: CHROME_PATH, or where the system keeps them. Undefined if there is none. */
export function findBrowser(): string | undefined;

/** The redis-server for tests: REDIS_SERVER_PATH, which may be a valkey-server, or redis-server on the PATH. */
export function findRedis(): string | undefined;

/** The caddy for tests: CADDY_PATH, or caddy on the PATH. */
export function findCaddy(): string | undefined;
