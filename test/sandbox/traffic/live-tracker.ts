import { createServer } from 'node:http';
import { expect } from 'vitest';
import type { Campaign } from '../../../src/sandbox/rotation/choose-page.ts';
import { Database, type Row } from '../../../src/sandbox/store/database.ts';
import { openTraffic } from '../../../src/sandbox/traffic/traffic.ts';
import { listening } from '../../support/listening.ts';

/** Starts live traffic over a database, by default a new one in memory. */
export async function startLive(
  campaigns: readonly Campaign[],
  options: { readonly now?: () => Date; readonly database?: Database } = {},
) {
  const database = options.database ?? (await Database.open());
  for (const campaign of campaigns) await insertCampaign(database, campaign);
  let traffic = await openTraffic(database, options.now);
  const url = await listening(createServer((incoming, response) => traffic.serve(incoming, response)));
  /** Redirects are not followed. */
  const request = (path: string, init: RequestInit) => fetch(url + path, { ...init, redirect: 'manual' });
  const get = (path: string, headers: Record<string, string> = {}) => request(path, { headers });
  return {
    database,
    flush: () => traffic.flush(),
    /** Rows of a SELECT, after everything that was answered is committed. */
    query: async (...query: Parameters<Database['query']>) => {
      await traffic.flush();
      return database.query(...query);
    },
    /** Continues like a restarted tracker, which knows only the content of the database. */
    restart: async () => {
      await traffic.flush();
      traffic = await openTraffic(database, options.now);
    },
    request,
    get,
    /** Follows the link of a campaign; its key is added. */
    visit: async (campaign: Campaign, query: Record<string, string> = {}, headers: Record<string, string> = {}) => {
      const parameters = new URLSearchParams({ c: String(campaign.id), key: campaign.linkKey, ...query });
      const response = await get(`/base.php?${parameters}`, headers);
      const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
      return {
        status: response.status,
        location: response.headers.get('location') ?? (await response.text()),
        subid: cookies.find((cookie) => cookie.startsWith('tracker_subid='))?.slice('tracker_subid='.length) ?? '',
        /** All cookies, as the visitor sends them back. */
        cookie: cookies.join('; '),
      };
    },
    close: async () => {
      await traffic.flush();
      await database.close();
    },
  };
}

export type LiveTracker = Awaited<ReturnType<typeof startLive>>;

/** Writes a campaign into the tables; its traffic source gets the campaign's ID. */
export async function insertCampaign(database: Database, campaign: Campaign): Promise<void> {
  await database.transaction(async (writer) => {
    const { tokens, pages, ...columns } = campaign;
    await writer.execute(
      `INSERT INTO campaigns VALUES
       ($id, 'Campaign', $type, $linkKey, $id, $active, 0, $bid::BIGINT / 1000000, 0, $passSubidToLandingPage, $passSubidToOffer)`,
      columns,
    );
    for (const token of tokens) {
      const sql = 'INSERT INTO traffic_source_tokens VALUES ($id, $slot, $slot, $parameter, $parameter)';
      await writer.execute(sql, { id: campaign.id, ...token });
    }
    for (const page of pages) {
      await writer.execute(
        `INSERT INTO campaign_pages VALUES
         ($id, $campaign, $pageId, $kind, NULL, 'Page', $url, $active, $share, $level, $path, NULL, $payout::BIGINT / 1000000)`,
        { ...page, campaign: campaign.id },
      );
    }
  });
}

/** The row counts of the tables of traffic. */
export async function countRecords(tracker: LiveTracker): Promise<Row | undefined> {
  const [counts] = await tracker.query(
    `SELECT (SELECT count(*) FROM visits) AS visits, (SELECT count(*) FROM steps) AS steps,
       (SELECT count(*) FROM subscribers) AS subscribers, (SELECT count(*) FROM conversions) AS conversions`,
  );
  return counts;
}

/** Checks that a request is answered with a status and a reason as plain text, and that nothing is recorded. */
export async function expectTurnedAway(
  tracker: LiveTracker,
  send: () => Promise<Response>,
  status: number,
  reason: RegExp,
): Promise<Response> {
  const before = await countRecords(tracker);
  const response = await send();
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  expect(response.headers.getSetCookie()).toEqual([]);
  const text = await response.text();
  expect(text).toMatch(reason);
  expect(text).toMatch(/\w\.\n$/);
  expect(await countRecords(tracker)).toEqual(before);
  return response;
}
