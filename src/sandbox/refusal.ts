import { Failure } from '../api/failure.ts';
import type { ErrorReason } from './wire/render.ts';

/** A request that is not carried out. Thrown anywhere below a route, it becomes the error answer; nothing is changed. */
export class Refusal extends Failure {
  override readonly name: string = 'Refusal';
  readonly reason: ErrorReason;

  constructor(reason: ErrorReason, happened: string, next = '') {
    super(happened, next);
    this.reason = reason;
  }
}

/** A text of the request as a message may show it: in quotes, one line, not too long. */
export function quoted(text: string): string {
  const oneLine = text.replace(/\s+/g, ' ');
  return `"${oneLine.length > 60 ? `${oneLine.slice(0, 60)}…` : oneLine}"`;
}
