import type { ReplyKind, WrittenRecord } from '../../api/endpoints.ts';

/** What was asked, as far as reading the answer depends on it. */
export interface Question {
  readonly reply: ReplyKind;
  /** The name of the one table of a `rows` reply. */
  readonly table?: string;
  /** What a write creates or changes. */
  readonly record?: WrittenRecord;
  /** The reports that were asked for, in a `reports` reply. */
  readonly reports?: readonly string[];
}
