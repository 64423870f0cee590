import { LRUCache } from 'lru-cache';
import type { Campaign, CampaignPage } from '../rotation/choose-page.ts';
import { parseSubid } from '../rotation/journey.ts';
import type { Database, Row } from '../store/database.ts';

/** What later requests of a visitor need to know of its visit. */
export interface Visitor {
  readonly clickId: number;
  readonly subid: string;
  readonly campaignId: number;
  readonly path: number;
  /** The `campaign_pages.id` it was sent to, each once, the last one last. */
  readonly pages: readonly number[];
}

const maxInMemory = 50_000;

/** Finds visitors by SubID: recent ones in memory, the others in the database. */
export class KnownVisitors {
  readonly #database: Database;
  readonly #recent = new LRUCache<number, Visitor>({ max: maxInMemory });

  constructor(database: Database) {
    this.#database = database;
  }

  add(visitor: Visitor): void {
    this.#recent.set(visitor.clickId, visitor);
  }

  moveOn(visitor: Visitor, page: number): void {
    const before = this.#recent.get(visitor.clickId) ?? visitor;
    this.add({ ...before, pages: [...before.pages.filter((visited) => visited !== page), page] });
  }

  /** @returns undefined unless the whole SubID is one that was given out */
  async find(subid: string): Promise<Visitor | undefined> {
    const parts = parseSubid(subid);
    if (!parts) return undefined;
    const visitor = this.#recent.get(parts.clickId) ?? (await this.#read(parts.clickId));
    return visitor?.subid === subid ? visitor : undefined;
  }

  async #read(clickId: number): Promise<Visitor | undefined> {
    const [row] = await this.#database.query(
      `SELECT click_id, subid, campaign_id, path, (
         SELECT list(page ORDER BY last_at, last_row)
         FROM (SELECT page, max("at") AS last_at, max(rowid) AS last_row FROM steps
           WHERE click_id = $clickId::BIGINT GROUP BY page)
       ) AS pages
       FROM visits WHERE click_id = $clickId::BIGINT`,
      { clickId },
    );
    // Another request of the visitor may have read it meanwhile, and moved on.
    const known = this.#recent.get(clickId) ?? (row && toVisitor(row));
    if (known) this.add(known);
    return known;
  }
}

function toVisitor(row: Row): Visitor {
  const pages: unknown = row['pages'];
  return {
    clickId: Number(row['click_id']),
    subid: String(row['subid']),
    campaignId: Number(row['campaign_id']),
    path: Number(row['path']),
    pages: Array.isArray(pages) ? pages.map(Number) : [],
  };
}

export function findLastPage(
  visitor: Visitor,
  campaign: Campaign,
  isMeant: (page: CampaignPage) => boolean,
): CampaignPage | undefined {
  const id = visitor.pages.findLast((visited) => campaign.pages.some((page) => page.id === visited && isMeant(page)));
  return campaign.pages.find((page) => page.id === id);
}
