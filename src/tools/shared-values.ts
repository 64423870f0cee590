import { dayIn } from '../analysis/columns/times.ts';
import { campaignIn } from '../analysis/given-subids.ts';
import { findSharedValues, type GivenVisit, minGiven, type SharedValues, unlisted } from '../analysis/shared-values.ts';
import { groupBy } from '../analysis/statistics/history.ts';
import { readFacts } from '../analysis/visit-story.ts';
import type { WantedVisits } from '../analysis/wanted-visits.ts';
import type { Note } from '../answer/notes.ts';
import type { Table } from '../api/table.ts';
import { fromOutside, rawCell, rawText, shown } from '../api/text/tracker-text.ts';
import { extraSlots } from '../api/token-slots.ts';
import { newLimits, readVisitsInSlices } from './account/read-visits.ts';
import { attempt, optional, paceOf } from './asking.ts';
import type { CallContext } from './define-tool.ts';
import type { sharedOutput } from './detail-tools.ts';
import { maxCampaigns, maxRecords, type Search } from './find-visits.ts';
import type { FromSchema } from './json-schema.ts';
import { labelsByCampaign } from './tokens.ts';

export interface Shared {
  readonly shared: FromSchema<typeof sharedOutput> | undefined;
  readonly notices: readonly Note[];
}

/** Most values in an answer, and in its sentence. */
const [maxValues, maxNamed] = [20, 4];

/** Requests for the other visits of one campaign, beyond the lists that the search has read. */
const maxRequests = 2;

/** The part of a call's time that must be left to read more. */
const minTimeLeft = 0.3;

/** What the visits that were found share more than the other visits of their campaigns on the same days. */
export async function readShared(visits: WantedVisits, search: Search, context: CallContext): Promise<Shared> {
  const given = new Map(
    visits.all.flatMap(({ own, visit, campaignId }): [string, GivenVisit][] => {
      const facts = visit && readFacts(visit);
      const day = facts && dayIn(rawCell(facts.arrivedAt));
      const campaign = campaignIn(own ?? '') ?? rawCell(facts?.campaignId ?? null) ?? campaignId;
      return own && day && campaign ? [[own, { subid: own, campaignId: campaign, day }]] : [];
    }),
  );
  const all = [...given.values()];
  if (all.length < minGiven) return { shared: undefined, notices: [] };
  const { tables, failed } = await readOthers(all, search.lists, context);
  const found = await findSharedValues(all, tables, paceOf(context));
  if (!found) {
    return { shared: undefined, notices: [{ code: 'shared-values-untested', failure: failed }] };
  }
  const named = await nameTokens(found, all, search, context);
  const values = named.values.slice(0, maxValues);
  const shared = { ...named, values: values.map((one) => ({ ...one, value: shown(fromOutside(one.value)) })) };
  const notices = [sharedNote({ ...named, values }, named.values.length, all.length)];
  return { shared, notices };
}

/** The lists of the search, and those of the campaigns that it did not read because it found their visits otherwise. */
async function readOthers(given: readonly GivenVisit[], lists: readonly Table[], context: CallContext) {
  const missing = groupBy(await unlisted(given, lists, paceOf(context)), ({ campaignId }) => campaignId);
  const size = groupBy(given, ({ campaignId }) => campaignId);
  // A few that a list lacks are not worth another request.
  const wanted = [...missing].filter(
    ([campaign, some]) => some.length >= minGiven && some.length > (size.get(campaign)?.length ?? 0) / 2,
  );
  const tables = [...lists];
  let failed: string | undefined;
  for (const [campaign, some] of wanted
    .toSorted((one, other) => other[1].length - one[1].length)
    .slice(0, maxCampaigns)) {
    const days = some.map(({ day }) => day).sort();
    const span = { start: days[0] ?? '', end: days.at(-1) ?? '' };
    if (context.client.leftMs < context.client.timeoutMs * minTimeLeft) {
      failed ??= 'no time was left';
      break;
    }
    const options = { columnSet: 'all', maxRecords, maxSlices: maxRequests, reuse: true, quick: true } as const;
    const limits = newLimits(context);
    const take = (table: Table) => tables.push(table);
    const { failure } = await attempt(
      () => readVisitsInSlices(campaign, span, undefined, context, take, { ...options, limits }),
      context,
    );
    failed ??= failure?.message;
  }
  return { tables, failed };
}

/** A slot by the name that the campaigns of these visits give it, if they all give one. */
async function nameTokens(
  found: SharedValues,
  given: readonly GivenVisit[],
  { campaigns }: Search,
  context: CallContext,
): Promise<SharedValues> {
  if (!found.values.some(({ dimension }) => isSlot(dimension))) return found;
  const ids = new Set(given.map(({ campaignId }) => campaignId));
  const ofGiven = campaigns?.filter(({ id }) => ids.has(rawText(id))) ?? [];
  const labels = [...((await optional(() => labelsByCampaign(ofGiven, context), context))?.values() ?? [])];
  const nameOf = (slot: string) => {
    const names = new Set(labels.map((own) => own.get(slot)));
    const [name] = names;
    return names.size === 1 && name !== undefined ? name : slot;
  };
  const values = found.values.map((one) =>
    isSlot(one.dimension) ? { ...one, dimension: nameOf(one.dimension) } : one,
  );
  return { ...found, values };
}

const isSlot = (name: string) => (extraSlots as readonly string[]).includes(name);

function sharedNote(shared: SharedValues, standing: number, asked: number): Note {
  const values = shared.values.slice(0, maxNamed).map(({ dimension, value, given, given_of, others, others_of }) => ({
    ...{ dimension, value, given, givenOf: given_of, others, othersOf: others_of },
  }));
  const { given, others, values_tested: tested, false_findings: falseFindings } = shared;
  const more = Math.max(standing - maxNamed, 0);
  return { code: 'shared-values', given, of: asked, others, tested, falseFindings, values, more };
}
