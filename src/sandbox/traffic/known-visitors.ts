import { listValue } from '@duckdb/node-api';
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

/** One query for all that are looked for while the query before runs. */
interface Batch {
  readonly clickIds: number[];
  readonly found: Promise<ReadonlyMap<number, Visitor>>;
}

const maxInMemory = 50_000;

/** Finds visitors by SubID: recent ones in memory, the others in the database. */
export class KnownVisitors {
  readonly #database: Database;
  readonly #recent = new LRUCache<number, Visitor>({ max: maxInMemory });
  #nextBatch: Batch | undefined;
  #lastQuery: Promise<unknown> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  add(visitor: Visitor): void {
    this.#recent.set(visitor.clickId, visitor);
  }

  /** Notes that the visitor was sent to another page. */
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
    const batch = this.#nextBatch ?? this.#openBatch();
    batch.clickIds.push(clickId);
    const found = (await batch.found).get(clickId);
    // Whoever was first to get the answer has put it in memory, and may have moved on since.
    const known = this.#recent.get(clickId) ?? found;
    if (known) this.add(known);
    return known;
  }

  #openBatch(): Batch {
    const clickIds: number[] = [];
    const found = this.#lastQuery.then(() => {
      this.#nextBatch = undefined;
      return this.#query(clickIds);
    });
    this.#lastQuery = found.catch(() => undefined);
    this.#nextBatch = { clickIds, found };
    return this.#nextBatch;
  }

  async #query(clickIds: readonly number[]): Promise<ReadonlyMap<number, Visitor>> {
    const rows = await this.#database.query(
      `WITH wanted AS (SELECT unnest($clickIds::BIGINT[]) AS click_id),
       visit AS (FROM visits SEMI JOIN wanted USING (click_id)),
       reached AS (
         SELECT click_id, page, max("at") AS last_at, max(steps.rowid) AS last_row
         FROM steps SEMI JOIN wanted USING (click_id) GROUP BY click_id, page
       )
       SELECT click_id, subid, visit.campaign_id, path, list(page ORDER BY last_at, last_row) AS pages
       FROM visit LEFT JOIN reached USING (click_id) GROUP BY click_id, subid, visit.campaign_id, path`,
      { clickIds: listValue(clickIds.map(BigInt)) },
    );
    return new Map(rows.map(toVisitor).map((visitor) => [visitor.clickId, visitor]));
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

/** The last page of a kind that the visitor was sent to. */
export function findLastPage(
  visitor: Visitor,
  campaign: Campaign,
  isMeant: (page: CampaignPage) => boolean,
): CampaignPage | undefined {
  const id = visitor.pages.findLast((visited) => campaign.pages.some((page) => page.id === visited && isMeant(page)));
  return campaign.pages.find((page) => page.id === id);
}
