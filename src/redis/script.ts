import type { Run } from './connection.ts';
import type { Argument } from './link.ts';

/** What Redis does as one step, with its keys and what is given. */
export type Script = (
  run: Run,
  keys: readonly [string, ...string[]],
  given: readonly (Argument | number)[],
) => Promise<unknown>;

/** In every script `now` is the time of Redis, in milliseconds: the clocks of replicas differ. */
const clock = "local time = redis.call('TIME')\nlocal now = time[1] * 1000 + math.floor(time[2] / 1000)\n";

/**
 * A script in Lua, sent whole each time: it is short, and a Redis that was started anew knows none by its hash.
 *
 * @param lua finds its keys in KEYS and what is given in ARGV
 */
export function script(lua: string): Script {
  return (run, keys, given) =>
    run(keys[0], [
      'EVAL',
      clock + lua,
      String(keys.length),
      ...keys,
      ...given.map((value) => (typeof value === 'number' ? String(value) : value)),
    ]);
}
