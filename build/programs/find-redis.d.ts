/**
 * The redis-server for tests: what REDIS_SERVER_PATH names, which may be a valkey-server, or the one on the path.
 *
 * @returns undefined where there is none
 */
export function findRedis(): string | undefined;
