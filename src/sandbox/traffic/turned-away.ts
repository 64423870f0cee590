import { Failure } from '../../api/failure.ts';

/** Why a request of a visitor or an offer source is not taken, with the HTTP status it is answered with. */
export const reasons = {
  malformed: 400,
  'cut-off': 400,
  'wrong-key': 403,
  'unknown-campaign': 404,
  'inactive-campaign': 404,
  'unknown-subid': 404,
  'unknown-page': 404,
  'no-page': 404,
  'wrong-method': 405,
  'too-large': 413,
  overloaded: 503,
} as const;
export type Reason = keyof typeof reasons;

/** A request that nothing is recorded of. The message is for who set up the link or the postback. */
export class TurnedAway extends Failure {
  override readonly name = 'TurnedAway';
  readonly reason: Reason;
  /** The methods that the address takes, where it was asked with another. */
  readonly allowed: readonly string[] | undefined;

  constructor(reason: Reason, happened: string, next = '', allowed?: readonly string[]) {
    super(happened, next);
    this.reason = reason;
    this.allowed = allowed;
  }
}
