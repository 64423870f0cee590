import { type Cell, fromTracker } from '../../api/text/tracker-text.ts';

/**
 * What is the matter with an answer that is no reply.
 *
 * no-access: the tracker does not accept the key, or its API is off · refused: it says what was wrong with the request ·
 * unclear: it says neither yes nor no to a write · page: a page of HTML · empty, cut-off, unreadable: it says nothing that can
 * be read · too-deep, too-many, document-type: it is not read, since that could cost too much
 */
export type ProblemKind =
  | 'no-access'
  | 'refused'
  | 'unclear'
  | 'page'
  | 'empty'
  | 'cut-off'
  | 'unreadable'
  | 'too-deep'
  | 'too-many'
  | 'document-type';

/** An answer of the tracker that is no reply to what was asked. */
export class AnswerProblem extends Error {
  override readonly name = 'AnswerProblem';
  readonly kind: ProblemKind;
  /** The tracker's own words; null if it said nothing. */
  readonly said: Cell;

  constructor(kind: ProblemKind, said = '') {
    super(kind);
    this.kind = kind;
    this.said = said === '' ? null : fromTracker(said);
  }
}

/** The text ends before what it began is whole. */
export class CutOffError extends SyntaxError {
  override readonly name = 'CutOffError';
}
