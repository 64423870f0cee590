import type { Limits } from './limits.ts';

/** Who calls, where a token says so, and what that token lets through of what the configuration does. */
export interface Holder {
  readonly name: string;
  /** `propose` may write where a person agrees to it. */
  readonly access: 'read' | 'propose' | 'write';
  /** Only these tools; absent: all. */
  readonly tools?: readonly string[] | undefined;
  /** Only these trackers, by name; absent: all. */
  readonly trackers?: readonly string[] | undefined;
  readonly limits: Limits;
}
