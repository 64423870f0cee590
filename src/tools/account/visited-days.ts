import { mapCoded, sameInAll } from '../../analysis/coded.ts';
import { type TrafficLevels, trafficLevelsOf } from '../../analysis/traffic.ts';
import { visitTimes } from '../../analysis/visit-dimensions.ts';
import { figureIn } from '../../analysis/visit-groups.ts';
import type { Coded, Codes } from '../../api/cells.ts';
import { dayMs, hourMs } from '../../api/durations.ts';
import type { Table } from '../../api/table.ts';
import { rawText } from '../../api/text/tracker-text.ts';
import { paceOf } from '../asking.ts';
import type { Visited } from '../campaigns.ts';
import type { CallContext } from '../define-tool.ts';
import type { Figures } from '../past-figures.ts';
import { clockTime, shiftDays, today } from '../period.ts';
import type { AccountVisits, VisitList } from './account-visits.ts';
import { isWithin, missingIn, type Span, type VisitsRead } from './read-visits.ts';

/** How the traffic of a campaign changed lately: its clicks, which sell, or else its visits. */
interface CampaignTraffic extends TrafficLevels {
  readonly ofVisits: TrafficLevels | undefined;
}

/** The same by the ID of a campaign; undefined if its traffic did not change, or is not known. */
export type TrafficOf = (campaign: string) => CampaignTraffic | undefined;

/** A list of visits with the campaign of each row, by its ID; undefined if unknown. */
interface VisitsByCampaign {
  readonly table: Table;
  readonly campaigns: Coded<string | undefined>;
}

/** The most days that are looked back. */
const maxDays = 14;

/**
 * How traffic changed, from visits that were read anyway.
 * @param isRead whether all visits of a campaign on a day were read
 */
async function trafficIn(
  lists: readonly VisitsByCampaign[],
  isRead: (campaign: string, day: string) => boolean,
  context: CallContext,
): Promise<TrafficOf> {
  const pace = paceOf(context);
  const now = today(context.timeZone, context.now());
  const hour = Number(clockTime(context.timeZone, context.now()).slice(0, 2));
  const ages = new Map(Array.from({ length: maxDays + 1 }, (_, age) => [shiftDays(now, -age), age]));
  const counts = new Map<string, CountedDay[]>();
  // A list without times of day has all visits at midnight.
  let [hasHours, hasClicks] = [false, true];
  for (const { table, campaigns } of lists) {
    const times = visitTimes(table);
    if (!times) continue;
    const { days } = times;
    const ageOf = days.values.map((day) => (day === null ? undefined : ages.get(day)));
    const daysOf = campaigns.values.map((campaign) => {
      if (campaign === undefined) return undefined;
      const own = counts.get(campaign) ?? Array.from(ages, noneCounted);
      counts.set(campaign, own);
      return own;
    });
    const clicks = figureIn(table, 'clicks');
    if (!clicks) hasClicks = false;
    const counted = { campaigns: campaigns.codes, days: days.codes, moments: times.moments, clicks };
    for (let from = 0; from < table.rowCount; from += rowsPerStep) {
      await pace.rest();
      const rows = [from, Math.min(from + rowsPerStep, table.rowCount)] as const;
      if (countDays(counted, daysOf, ageOf, rows, hour * hourMs)) hasHours = true;
    }
  }
  return (campaign) => {
    const levelsOf = (what: keyof CountedDay) =>
      trafficLevelsOf(
        [...ages].map(([day, age]) => {
          if (!isRead(campaign, day)) return undefined;
          const { whole, soFar } = (counts.get(campaign)?.[age] ?? noneCounted())[what];
          return { whole, soFar: hasHours && hour > 0 ? soFar : undefined };
        }),
      );
    return trafficBy(hasClicks ? levelsOf('clicks') : undefined, levelsOf('visits'));
  };
}

function trafficBy(ofClicks: TrafficLevels | undefined, ofVisits: TrafficLevels | undefined) {
  const levels = ofClicks ?? ofVisits;
  return levels && { ...levels, ofVisits };
}

/** Takes a few milliseconds. */
const rowsPerStep = 16_000;

interface DatedVisits {
  readonly campaigns: Codes;
  readonly days: Codes;
  readonly moments: Float64Array;
  readonly clicks: Float64Array | undefined;
}

interface CountedDay {
  readonly visits: { whole: number; soFar: number };
  readonly clicks: { whole: number; soFar: number };
}

const noneCounted = (): CountedDay => ({ visits: { whole: 0, soFar: 0 }, clicks: { whole: 0, soFar: 0 } });

/** Counts some visits, by campaign and age. @returns whether any is after midnight */
function countDays(
  visits: DatedVisits,
  daysOf: readonly (readonly CountedDay[] | undefined)[],
  ageOf: readonly (number | undefined)[],
  [from, to]: readonly [number, number],
  soFarMs: number,
): boolean {
  let hasHours = false;
  for (let row = from; row < to; row += 1) {
    const day = daysOf[visits.campaigns[row] ?? 0]?.[ageOf[visits.days[row] ?? 0] ?? -1];
    if (!day) continue;
    const clock = (visits.moments[row] || 0) % dayMs;
    hasHours ||= clock > 0;
    const clicks = visits.clicks?.[row] ?? 0;
    day.visits.whole += 1;
    day.clicks.whole += clicks;
    if (clock >= soFarMs) continue;
    day.visits.soFar += 1;
    day.clicks.soFar += clicks;
  }
  return hasHours;
}

/** The same from the lists of an account, read for some spans. */
export function trafficInAccount(
  reads: readonly (Pick<AccountVisits, 'campaigns' | 'missingDays'> & {
    readonly lists: readonly Pick<VisitList, 'table' | 'visited'>[];
  })[],
  spans: readonly Span[],
  context: CallContext,
): Promise<TrafficOf> {
  const idOf = ({ listed, id }: Visited) => (listed ? rawText(listed.id) : (id ?? undefined));
  const missing = new Map<string, readonly string[]>();
  for (const { campaigns, missingDays } of reads)
    for (const campaign of campaigns) {
      const id = rawText(campaign.id);
      missing.set(id, [...(missing.get(id) ?? []), ...missingDays(campaign)]);
    }
  return trafficIn(
    reads.flatMap(({ lists }) => lists).map(({ table, visited }) => ({ table, campaigns: mapCoded(visited, idOf) })),
    (campaign, day) => spans.some((span) => isWithin(day, span)) && missing.get(campaign)?.includes(day) === false,
    context,
  );
}

/** The first of the last days on which a campaign got no visits; undefined if it got some, or rests on such days of the week. */
export function darkSince(traffic: CampaignTraffic | undefined, { timeZone, now }: CallContext): string | undefined {
  const [soFar, ...days] = traffic?.ofVisits?.levels.slice(0, -1) ?? [];
  const dark = days.findIndex((level) => level > 0);
  const isDark = (age: number) => days[age] === 0;
  if (soFar !== 0 || dark < 1 || Array.from({ length: dark }, (_, age) => age + 7).every(isDark)) return undefined;
  return shiftDays(today(timeZone, now()), -dark);
}

/** The same from the lists of one campaign. */
export function trafficInCampaign(
  id: string,
  tables: readonly Table[],
  reads: readonly VisitsRead[],
  spans: readonly Span[],
  context: CallContext,
): Promise<TrafficOf> {
  const missing = new Set(reads.flatMap(missingIn));
  return trafficIn(
    tables.map((table) => ({ table, campaigns: sameInAll(table.rowCount, id) })),
    (campaign, day) => campaign === id && spans.some((span) => isWithin(day, span)) && !missing.has(day),
    context,
  );
}

/** The same from the views and clicks of each day in reports of one campaign. */
export function trafficInReports(
  id: string,
  figuresOn: ReadonlyMap<string, Pick<Figures, 'views' | 'clicks'>>,
  context: CallContext,
): TrafficOf {
  const now = today(context.timeZone, context.now());
  const levelsOf = (name: 'views' | 'clicks') =>
    trafficLevelsOf(
      Array.from({ length: maxDays + 1 }, (_, age) => {
        const whole = figuresOn.get(shiftDays(now, -age))?.[name];
        return whole === undefined ? undefined : { whole };
      }),
    );
  const traffic = trafficBy(levelsOf('clicks'), levelsOf('views'));
  return (campaign) => (campaign === id ? traffic : undefined);
}
