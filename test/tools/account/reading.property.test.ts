import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Failure } from '../../../src/api/failure.ts';
import { rawText } from '../../../src/api/text/tracker-text.ts';
import { type AccountVisits, readAccountVisits } from '../../../src/tools/account/account-visits.ts';
import { listCampaigns } from '../../../src/tools/campaigns.ts';
import { contextFor } from '../../support/connect.ts';
import { startForeignTracker } from '../../support/foreign-tracker.ts';

/** A tracker that cuts its lists, refuses, is slow, and changes while it is read. */
interface World {
  /** The number of visits of each campaign on each day. */
  readonly visits: readonly (readonly number[])[];
  /** The most rows of an answer; undefined if there is no maximum. */
  readonly maximum: number | undefined;
  /** What the maximum counts: rows, or their bytes, so that no two answers that it ends have as many rows. */
  readonly counts: 'rows' | 'bytes';
  /** What it answers for campaign 0. */
  readonly account: 'all' | 'refused' | 'the first campaign' | 'empty' | 'without campaigns';
  readonly order: 'latest first' | 'earliest first';
  readonly names: 'IDs and names' | 'names' | 'shared names';
  /** The index of a campaign whose list is refused. */
  readonly refused: number | undefined;
  /** How long an answer takes, and a call may take, in milliseconds. */
  readonly pace: readonly [answerMs: number, callMs: number];
  /** Whether a visit comes on the last day with each question. */
  readonly isLive: boolean;
}

const firstDay = Date.UTC(2026, 5, 1);
const dayMs = 86_400_000;
const dayOf = (index: number) => new Date(firstDay + index * dayMs).toISOString().slice(0, 10);

interface Visit {
  readonly SubID: string;
  readonly Date: string;
  readonly campaign: number;
}

const nameOf = ({ names }: World, campaign: number) =>
  names === 'shared names' ? 'Shared' : `Campaign ${campaign + 1}`;

function visitsOf({ visits }: World): Visit[] {
  return visits.flatMap((days, campaign) =>
    days.flatMap((count, day) =>
      Array.from({ length: count }, (_, index) => ({
        SubID: `v${campaign}_${day}_${index}`,
        Date: new Date(firstDay + day * dayMs + Math.floor(((index + 0.5) / count) * dayMs))
          .toISOString()
          .slice(0, 19)
          .replace('T', ' '),
        campaign,
      })),
    ),
  );
}

/** How many of some visits an answer holds. A row has about as many bytes as another. */
function mostOf({ maximum, counts }: World, visits: readonly Visit[]): number | undefined {
  if (maximum === undefined || counts === 'rows') return maximum;
  let left = maximum * 10;
  return visits.filter(({ SubID }) => {
    left -= 7 + (SubID.charCodeAt(SubID.length - 1) % 7);
    return left >= 0;
  }).length;
}

const tracker = await startForeignTracker({});

/** Serves a world, and returns the context of a call. */
function serve(world: World) {
  const all = visitsOf(world);
  const lastDay = (world.visits[0]?.length ?? 1) - 1;
  const last = { Date: `${dayOf(lastDay)} 23:59:59`, campaign: 0 };
  const ofWorld = (visit: Visit) => ({
    SubID: visit.SubID,
    Date: visit.Date,
    ...(world.names === 'IDs and names' ? { CampaignID: visit.campaign + 1 } : {}),
    ...(world.account === 'without campaigns' ? {} : { Campaign: nameOf(world, visit.campaign) }),
    Country: 'US',
  });
  tracker.answer('campaign/list', () => ({
    body: JSON.stringify({
      campaigns: world.visits.map((_, index) => ({ ID: index + 1, Name: nameOf(world, index) })),
    }),
  }));
  tracker.answer('conversions', () => ({ body: JSON.stringify({ conversions: [] }) }));
  tracker.answer('visitorstats', async ({ camp, start = '', end = '' }) => {
    if (world.isLive) all.push({ ...last, SubID: `new${all.length}` });
    await sleep(world.pace[0]);
    const asked = Number(camp);
    const isRefused = asked === 0 ? world.account === 'refused' : asked - 1 === world.refused;
    if (isRefused) return { status: 403, body: 'no' };
    const answered = all.filter(({ campaign, Date: at }) => {
      const isAsked = asked === 0 ? world.account !== 'the first campaign' || campaign === 0 : campaign === asked - 1;
      return isAsked && at.slice(0, 10) >= start && at.slice(0, 10) <= end;
    });
    const sorted = answered.sort((one, other) => (one.Date < other.Date ? -1 : 1));
    if (world.order === 'latest first') sorted.reverse();
    const rows = asked === 0 && world.account === 'empty' ? [] : sorted.slice(0, mostOf(world, sorted));
    return { body: JSON.stringify({ visitors: rows.map(ofWorld) }) };
  });
  const timeoutMs = world.pace[1];
  const context = contextFor({ url: tracker.url, timeoutMs, now: () => new Date(firstDay + (lastDay + 0.9) * dayMs) });
  return { context, truth: visitsOf(world), span: { start: dayOf(0), end: dayOf(lastDay) } };
}

/** The subIDs that were read, with the campaign that each is said to be of. */
function readIn({ lists }: AccountVisits): readonly (readonly [subId: string, campaign: string | undefined])[] {
  return lists.flatMap(({ table, visited }) =>
    Array.from({ length: table.rowCount }, (_, row) => {
      const listed = visited.values[visited.codes[row] ?? 0]?.listed;
      return [rawText(table.text(row, 0) ?? ('' as never)), listed && rawText(listed.id)] as const;
    }),
  );
}

/** Where time is short, nothing may be left for the question that proves a list whole: then only a round number is doubted. */
const limits = fc.oneof(
  fc.record({ maximum: fc.constantFrom(undefined, 100, 150, 333), pace: fc.constant([0, 10_000] as const) }),
  fc.record({ maximum: fc.constantFrom(undefined, 100, 300), pace: fc.constant([25, 250] as const) }),
);

const orders = fc.constantFrom(
  { order: 'latest first', counts: 'rows' } as const,
  { order: 'latest first', counts: 'bytes' } as const,
  { order: 'earliest first', counts: 'rows' } as const,
);

const world: fc.Arbitrary<World> = fc.tuple(fc.integer({ min: 1, max: 5 }), limits, orders).chain(([days, limit, of]) =>
  fc.record({
    order: fc.constant(of.order),
    counts: fc.constant(limit.pace[0] > 0 ? 'rows' : of.counts),
    maximum: fc.constant(limit.maximum),
    pace: fc.constant(limit.pace),
    visits: fc.array(
      fc.array(fc.oneof(fc.constant(0), fc.nat(30), fc.integer({ min: 60, max: 240 })), {
        minLength: days,
        maxLength: days,
      }),
      { minLength: 1, maxLength: 4 },
    ),
    account: fc.constantFrom('all', 'all', 'all', 'refused', 'the first campaign', 'empty', 'without campaigns'),
    names: fc.constantFrom('IDs and names', 'IDs and names', 'names', 'shared names'),
    refused: fc.constantFrom(undefined, undefined, 0, 1),
    isLive: fc.boolean(),
  }),
);

it('a visit is read once, and a day that is not called missing has all its visits, whatever the tracker does', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const { context, truth, span } = serve(given);
      const call = { ...context, caller: 'test', ask: async () => undefined as never };
      const listing = listCampaigns(context.client, undefined);
      const read = await readAccountVisits({ span, listing, needsCampaigns: true, needsSales: false }, call).catch(
        (error: unknown) => {
          // All of it may be refused, with the reason.
          expect(error).toBeInstanceOf(Failure);
          return undefined;
        },
      );
      if (!read) return;
      const found = readIn(read);
      const subIds = new Set(found.map(([subId]) => subId));
      expect(found).toHaveLength(subIds.size);
      const campaignBySubId = new Map(found);
      const listed = await listing;
      for (const [index, campaign] of listed.entries()) {
        const missing = new Set(read.missingDays(campaign));
        const own = truth.filter((visit) => visit.campaign === index && !missing.has(visit.Date.slice(0, 10)));
        expect(own.filter(({ SubID }) => !subIds.has(SubID)).length, `unread of campaign ${index + 1}`).toBe(0);
        for (const { SubID } of own) expect(campaignBySubId.get(SubID)).toBe(rawText(campaign.id));
      }
      if (read.isWhole) expect(truth.filter(({ SubID }) => !subIds.has(SubID)).length, 'unread of all').toBe(0);
    }),
    { numRuns: 120 },
  );
}, 120_000);
