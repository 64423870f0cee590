import { execFileSync } from 'node:child_process';

/** See find-redis.d.ts. */
export function findRedis() {
  const program = process.env.REDIS_SERVER_PATH ?? 'redis-server';
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return program;
  } catch {
    return undefined;
  }
}
