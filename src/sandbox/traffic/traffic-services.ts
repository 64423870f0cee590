import type { KnownVisitors } from './known-visitors.ts';
import type { Random } from './random.ts';
import type { Recorder } from './recorder.ts';
import type { SetupCache } from './setup-cache.ts';

/** What the requests of live traffic work with. */
export interface TrafficServices {
  readonly setup: SetupCache;
  readonly visitors: KnownVisitors;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly now: () => Date;
}
