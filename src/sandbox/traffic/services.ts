import type { Random } from '../rotation/random.ts';
import type { KnownVisitors } from './known-visitors.ts';
import type { Recorder } from './recorder.ts';

/** What the requests of live traffic work with. */
export interface TrafficServices {
  readonly visitors: KnownVisitors;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly now: () => Date;
}
