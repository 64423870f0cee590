import type { PlacedPage } from '../../analysis/page-rows.ts';
import type { Lack, Part } from '../../answer/write-notes.ts';

export interface PageEffect {
  readonly page: PlacedPage;
  readonly before: Part;
  readonly after: Part;
  /** Whether the page moves out of the group, or into it from a different group. */
  readonly move?: 'leaves' | 'joins' | undefined;
  /** What it should get and does not, if it gains traffic. */
  readonly lack?: Lack | undefined;
}

/** What requests do to all pages of a group. A page that is not in the group before or after has the share 0 then. */
export interface GroupEffect {
  readonly group: string;
  readonly pages: readonly PageEffect[];
}
