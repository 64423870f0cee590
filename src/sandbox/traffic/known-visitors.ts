import { LRUCache } from 'lru-cache';
import type { Campaign, CampaignPage } from '../rotation/choose-page.ts';
import { parseSubid } from '../rotation/journey.ts';
import type { Database, Row } from '../store/database.ts';

/** What later requests of a visitor need from its visit. */
export interface Visitor {
  readonly clickId: number;
  readonly subid: string;
  readonly campaignId: number;
  readonly path: number;
  /** The `campaign_pages.id` of the pages it was sent to, each once, the latest last. */
  readonly pages: readonly number[];
}

const maxRecent = 50_000;

/** Finds visitors by SubID. The recent ones are in memory, because they may not be in the database yet. */
export class KnownVisitors {
  readonly #database: Database;
  readonly #recent = new LRUCache<number, Visitor>({ max: maxRecent });

  constructor(database: Database) {
    this.#database = database;
  }

  add(visitor: Visitor): void {
    this.#recent.set(visitor.clickId, visitor);
  }

  moveOn(visitor: Visitor, page: number): void {
    const latest = this.#recent.get(visitor.clickId) ?? visitor;
    this.add({ ...latest, pages: [...latest.pages.filter((visited) => visited !== page), page] });
  }

  /** @returns undefined unless exactly this SubID was given out */
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
    // During the query, a parallel request of the visitor may have read it and moved on.
    const visitor = this.#recent.get(clickId) ?? (row && toVisitor(row));
    if (visitor) this.add(visitor);
    return visitor;
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

/** The latest page a visitor was sent to that meets a condition. */
export function findLastPage(
  visitor: Visitor,
  campaign: Campaign,
  isMatch: (page: CampaignPage) => boolean,
): CampaignPage | undefined {
  const pages = campaign.pages.filter(isMatch);
  const id = visitor.pages.findLast((visited) => pages.some((page) => page.id === visited));
  return pages.find((page) => page.id === id);
}
