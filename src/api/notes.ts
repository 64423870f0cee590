/** Notes of rooms that `answer` does not know. It has their words. */

/** What else the reader should know about an answer. */
export type ReplyNote =
  | { readonly code: 'missing-report'; readonly report: string }
  /** Its words for nothing found. */
  | { readonly code: 'tracker-said'; readonly text: string }
  /** Messages of its programming language around the answer. */
  | { readonly code: 'messages-left-out' }
  /** Fields beside the rows of a read, or the result of a write. */
  | { readonly code: 'sent-too'; readonly isWrite: boolean; readonly fields: readonly SentField[] }
  /** A write whose end could not be logged. */
  | { readonly code: 'audit-incomplete' };

export type SentField = readonly [name: string, value: string | null];

/** Why changes may be missing in the history. */
export type HistoryNote =
  | { readonly code: 'replicas-unknown'; readonly failure: string }
  | { readonly code: 'replicas-unreadable'; readonly count: number }
  | { readonly code: 'earlier-unknown'; readonly failure: string }
  | { readonly code: 'log-unreadable'; readonly count: number }
  /** The audit trail cannot be written, in the words of its failure. */
  | { readonly code: 'log-problem'; readonly problem: string };
