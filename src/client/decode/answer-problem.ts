import { type Cell, fromTracker } from '../../api/text/tracker-text.ts';

/**
 * Why an answer is not a reply.
 *
 * no-access: the tracker does not accept the key, or its API is off · refused: it says what was wrong with the request ·
 * unclear: neither yes nor no to a write · page: a page of HTML · empty, cut-off, unreadable: nothing readable ·
 * several: two tables that may each be what was asked for, by their names ·
 * too-deep, too-many, too-large, document-type: not read because that could cost too much
 */
export type ProblemKind =
  | 'no-access'
  | 'refused'
  | 'unclear'
  | 'page'
  | 'empty'
  | 'cut-off'
  | 'unreadable'
  | 'several'
  | 'too-deep'
  | 'too-many'
  | 'too-large'
  | 'document-type';

/** Where an answer breaks: the first character that cannot stand there, counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** An answer of the tracker that is not a reply to the request. */
export class AnswerProblem extends Error {
  override readonly name = 'AnswerProblem';
  readonly kind: ProblemKind;
  /** The tracker's own message; null if it gave none. */
  readonly reason: Cell;
  readonly place: Place | undefined;

  constructor(kind: ProblemKind, reason = '', place?: Place) {
    super(kind);
    this.kind = kind;
    this.place = place;
    this.reason = reason === '' ? null : fromTracker(reason);
  }
}

/** The text ends before its first value does. */
export class CutOffError extends SyntaxError {
  override readonly name = 'CutOffError';
}

/** The text is not well-formed from this index on. */
export class BrokenError extends SyntaxError {
  override readonly name = 'BrokenError';
  readonly index: number;

  constructor(message: string, index: number) {
    super(message);
    this.index = index;
  }
}
