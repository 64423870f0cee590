import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Campaign } from '../../../src/sandbox/rotation/choose-page.ts';
import { Database, type Row } from '../../../src/sandbox/store/database.ts';
import { openTraffic, type Traffic } from '../../../src/sandbox/traffic/traffic.ts';

/** A tracker that takes live traffic over HTTP. */
export interface LiveTracker {
  readonly database: Database;
  readonly turnedAway: Traffic['turnedAway'];
  settle(): Promise<void>;
  /** Rows of a SELECT, once everything that was answered is committed. */
  query: Database['query'];
  /** Goes on as a tracker that was started anew: nothing is known but what is in the database. */
  restart(): Promise<void>;
  /** Sends a GET; redirects are not followed. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Follows the link of a campaign, without its key being given. */
  visit(campaign: Campaign, query?: Record<string, string>, headers?: Record<string, string>): Promise<Arrived>;
  request(path: string, init: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** What a visitor has after following a campaign link. */
export interface Arrived {
  readonly status: number;
  readonly location: string;
  /** From the cookie. */
  readonly subid: string;
  /** All cookies, as the visitor would send them back. */
  readonly cookie: string;
}

/** Starts live traffic over a database, a new one in memory unless given. */
export async function startLive(
  campaigns: readonly Campaign[],
  options: { readonly now?: () => Date; readonly database?: Database } = {},
): Promise<LiveTracker> {
  const database = options.database ?? (await Database.open());
  for (const campaign of campaigns) await insertCampaign(database, campaign);
  let traffic = await openTraffic(database, options.now);
  const server = createServer((incoming, response) => traffic.serve(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const request = (path: string, init: RequestInit) => fetch(url + path, { ...init, redirect: 'manual' });
  const get = (path: string, headers: Record<string, string> = {}) => request(path, { headers });
  return {
    database,
    get turnedAway() {
      return traffic.turnedAway;
    },
    settle: () => traffic.settle(),
    query: async (sql, parameters) => {
      await traffic.settle();
      return database.query(sql, parameters);
    },
    restart: async () => {
      await traffic.settle();
      traffic = await openTraffic(database, options.now);
    },
    request,
    get,
    visit: async (campaign, query = {}, headers = {}) => {
      const parameters = new URLSearchParams({ c: String(campaign.id), key: campaign.linkKey, ...query });
      const response = await get(`/base.php?${parameters}`, headers);
      const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
      return {
        status: response.status,
        location: response.headers.get('location') ?? (await response.text()),
        subid: cookies.find((cookie) => cookie.startsWith('tracker_subid='))?.slice('tracker_subid='.length) ?? '',
        cookie: cookies.join('; '),
      };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await traffic.settle();
      await database.close();
    },
  };
}

/** Writes a campaign's set-up into the tables; its traffic source gets the campaign's ID. */
async function insertCampaign(database: Database, campaign: Campaign): Promise<void> {
  await database.transaction(async (writer) => {
    const { id, type, linkKey, active, bid, passSubidToLandingPage, passSubidToOffer } = campaign;
    await writer.execute(
      `INSERT INTO campaigns VALUES
       ($id, 'Campaign', $type, $linkKey, $id, $active, 0, $bid::BIGINT / 1000000, 0, $passSubidToLandingPage, $passSubidToOffer)`,
      { id, type, linkKey, active, bid, passSubidToLandingPage, passSubidToOffer },
    );
    for (const { slot, parameter } of campaign.tokens) {
      await writer.execute('INSERT INTO traffic_source_tokens VALUES ($id, $slot, $slot, $parameter, $parameter)', {
        id,
        slot,
        parameter,
      });
    }
    for (const page of campaign.pages) {
      await writer.execute(
        `INSERT INTO campaign_pages VALUES
         ($id, $campaign, $pageId, $kind, NULL, 'Page', $url, $active, $share, $level, $path, NULL, $payout::BIGINT / 1000000)`,
        { ...page, campaign: id },
      );
    }
  });
}

/** How many rows the tables of traffic have, to show that nothing was added. */
export async function countRecords(tracker: LiveTracker): Promise<Row | undefined> {
  const [counts] = await tracker.query(
    `SELECT (SELECT count(*) FROM visits) AS visits, (SELECT count(*) FROM steps) AS steps,
       (SELECT count(*) FROM subscribers) AS subscribers, (SELECT count(*) FROM conversions) AS conversions`,
  );
  return counts;
}
