import type { Table } from './table.ts';
import type { NamedCell, TrackerText } from './text/tracker-text.ts';

/**
 * What a tracker's answer says, once its bytes are read. Every value is the text that the tracker wrote: turning text into
 * numbers is a matter of presentation, and a whole column decides on it.
 */

/** A named group of fields, such as "Geo Data" of a visitor. */
export interface Group {
  readonly name: TrackerText;
  readonly fields: readonly NamedCell[];
}

/** What a write came to: the ID the tracker gave, where it gave one. */
export interface Receipt {
  readonly id: TrackerText | null;
}

interface Said {
  /** What else the tracker said or how it said it, one sentence each, for the reader of the answer. */
  readonly notices: readonly string[];
}

export type TablesReply = Said & { readonly kind: 'tables'; readonly tables: readonly Table[] };
export type GroupsReply = Said & { readonly kind: 'groups'; readonly groups: readonly Group[] };
export type ReceiptReply = Said & { readonly kind: 'receipt'; readonly receipt: Receipt };
export type Reply = TablesReply | GroupsReply | ReceiptReply;
