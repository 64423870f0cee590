import { sayChange, sayElsewhere, stateOfChange } from '../answer/changes.ts';
import type { Notice } from '../answer/notes.ts';
import type { ChangeOutcome } from '../answer/outcomes.ts';
import type { Change, ChangeStep } from '../guard/changes.ts';
import { campaignOf, type ListedCampaign, namesOfChange, readChangedCampaigns } from './campaigns.ts';
import type { Answer, CallContext } from './define-tool.ts';
import { proposalNote, proposalSummary, proposalsFor } from './get-proposal.ts';
import { changesWithOutcome, type ToldOutcomes, tellOutcomes } from './outcomes/tell-outcomes.ts';
import { presentStep } from './present/change-steps.ts';

/** get_proposal shows the others. */
const maxProposals = 20;

/** Steps that each change shows at least; only then are changes left for the next call. */
const minSteps = 5;

interface Question {
  readonly limit: number;
  readonly offset: number;
  readonly campaign_id?: number | undefined;
  readonly since?: string | undefined;
  readonly change_id?: string | undefined;
  readonly outcomes: boolean;
}

/** A change, and the tracker it was made on. */
interface Entry {
  readonly change: Change;
  readonly context: CallContext;
}

export const run = (question: Question, context: CallContext) => runForAll(question, [context]);

/** Lists the changes on some trackers together. */
export async function runForAll(
  { limit, offset, campaign_id: campaignId, since, change_id: typed, outcomes: isOutcomes }: Question,
  contexts: readonly CallContext[],
): Promise<Answer> {
  const isOfSeveral = contexts.length > 1;
  const nameOf = ({ trackerName }: CallContext) => (isOfSeveral ? trackerName : undefined);
  const histories = await Promise.all(
    contexts.map(async (context) => ({ context, ...(await context.guard.changes.read()) })),
  );
  // ISO 8601 times in UTC sort as text.
  const isAsked = (time: string, steps: readonly Pick<ChangeStep, 'arguments'>[]) =>
    (since === undefined || time >= since) &&
    (campaignId === undefined || steps.some((step) => campaignOf(step) === String(campaignId)));
  const known = histories.flatMap(({ context, changes }) => changes.map((change) => ({ change, context })));
  const id = typed?.trim().toLowerCase();
  const isMeant = ({ change }: Entry) => id === undefined || change.id === id || change.set?.id === id;
  const matching = known
    .filter((entry) => isMeant(entry) && isAsked(entry.change.time, entry.change.steps))
    .toReversed();
  if (isOfSeveral) matching.sort((one, other) => Date.parse(other.change.time) - Date.parse(one.change.time));
  const changes = matching.slice(offset, offset + limit);
  const proposals = (await Promise.all(contexts.map(proposalsFor)))
    .flat()
    .filter(({ proposal: { created, steps } }) => isAsked(created, steps))
    .slice(0, Math.min(limit, maxProposals));
  const ownOf = (context: CallContext) => changes.flatMap((entry) => (entry.context === context ? entry.change : []));
  const campaigns = new Map(
    await Promise.all(
      contexts.map(async (context) => [context, await readChangedCampaigns(ownOf(context), context)] as const),
    ),
  );
  const told = new Map<CallContext, ToldOutcomes>();
  for (const { context, changes: all } of isOutcomes ? histories : []) {
    const campaign = campaignId === undefined ? undefined : String(campaignId);
    told.set(
      context,
      await tellOutcomes({ changes: ownOf(context), isAlone: id !== undefined, campaign, since }, all, context),
    );
  }
  const elsewhere = [...(offset > 0 ? [] : told)].flatMap(([context, one]) =>
    one.elsewhere.map((made) => (isOfSeveral ? { tracker: nameOf(context), ...made } : made)),
  );
  const allOutcomes = [...told.values()].flatMap((one) => [
    ...one.outcomes.values(),
    ...one.elsewhere.map(({ outcome }) => outcome),
  ]);
  const isByDraw = allOutcomes.some((one) => one.earned !== undefined && one.estimate_by === undefined);
  const mostSteps = Math.max(0, ...changes.map(({ change }) => change.steps.length));
  return {
    parts: [
      { count: mostSteps, min: Math.min(mostSteps, minSteps) },
      { count: proposals.length, min: 0 },
      { count: elsewhere.length, min: 0 },
      { count: changes.length, min: Math.min(changes.length, 1) },
    ],
    render: ([maxSteps = 0, proposalCount = 0, elsewhereCount = 0, count = 0]) => {
      const shown = changes.slice(0, count).map((entry) => {
        const { context } = entry;
        const outcome = told.get(context)?.outcomes.get(entry.change);
        return present(entry, nameOf(context), maxSteps, campaigns.get(context) ?? new Map(), outcome);
      });
      const shownProposals = proposals.slice(0, proposalCount);
      const next = offset + count;
      const older = matching.length - next;
      const olderProposals = proposals.length - proposalCount;
      const notice = (context: CallContext, own: Notice): Notice =>
        isOfSeveral ? { of: { tracker: nameOf(context) ?? '' }, notice: own } : own;
      const notices: Notice[] = [
        ...(isByDraw ? [{ code: 'by-random-draw' as const }] : []),
        ...(known.length === 0 ? [{ code: 'no-changes' } as const] : []),
        ...(matching.length === 0 && known.length > 0
          ? [{ code: 'no-change-matches', known: known.length } as const]
          : []),
        ...(matching.length === 0 && id === undefined && !isOutcomes ? [{ code: 'ask-for-outcomes' } as const] : []),
        ...[...(offset > 0 ? [] : told)].flatMap(([context, { searches }]) =>
          searches.map((search) => notice(context, { code: 'searched-elsewhere', ...search })),
        ),
        ...(older > 0 ? [{ code: 'older-changes', count: older, offset: next } as const] : []),
        ...(olderProposals > 0 ? [{ code: 'older-proposals', count: olderProposals } as const] : []),
        ...histories.flatMap((history) => history.gaps.map((gap) => notice(history.context, gap))),
      ];
      const lines = shown.flatMap((change, index) => sayChange(change, changes[index]?.context.currency));
      return {
        structured: {
          changes: shown,
          ...(contexts.some(({ guard }) => guard.proposals) ? { proposals: shownProposals.map(proposalSummary) } : {}),
          ...(isOutcomes && offset === 0 ? { elsewhere: elsewhere.slice(0, elsewhereCount) } : {}),
          next_offset: older > 0 ? next : null,
          notices,
        },
        blocks: [
          ...lines,
          ...elsewhere.slice(0, elsewhereCount).map(sayElsewhere),
          ...shownProposals.map(proposalNote),
        ],
      };
    },
  };
}

/** A change whose outcome is told for the first time. */
export interface NewOutcome extends Pick<Change, 'tool' | 'time'> {
  readonly change_id: string;
  readonly outcome: ChangeOutcome;
}

/** Each reads some weeks of its campaign. */
const maxNewOutcomes = 5;

/**
 * Outcomes that came in since they were last told.
 * @param told the IDs of the changes that need not be asked about
 * @returns also those from now on
 */
export async function newOutcomes(told: readonly string[], context: CallContext) {
  const { changes } = await context.guard.changes.read();
  const over = changesWithOutcome(changes, context);
  const settled = over.filter(({ id }) => told.includes(id)).map(({ id }) => id);
  const outcomes: NewOutcome[] = [];
  for (const change of over.filter(({ id }) => !told.includes(id)).slice(0, maxNewOutcomes)) {
    const asked = { changes: [change], isAlone: true, campaign: undefined, since: undefined };
    const outcome = (await tellOutcomes(asked, changes, context)).outcomes.get(change);
    if (!outcome || outcome.state === 'open' || outcome.why === 'not-read') continue;
    settled.push(change.id);
    if (outcome.state !== 'unknown')
      outcomes.push({ change_id: change.id, tool: change.tool, time: change.time, outcome });
  }
  return { outcomes, told: settled };
}

function present(
  { change, context: { currency } }: Entry,
  tracker: string | undefined,
  maxSteps: number,
  campaigns: ReadonlyMap<string, ListedCampaign>,
  outcome: ChangeOutcome | undefined,
) {
  const { id, time, tool, steps } = change;
  const more = steps.length - maxSteps;
  const campaign = namesOfChange(change, campaigns);
  return {
    change_id: id,
    ...(tracker === undefined ? {} : { tracker }),
    time,
    tool,
    state: stateOfChange(change),
    ...(change.set === undefined ? {} : { set: change.set.id }),
    ...(campaign === undefined ? {} : { campaign }),
    steps: steps.slice(0, maxSteps).map((step) => presentStep(step, currency)),
    ...(more > 0 ? { more_steps: more } : {}),
    ...(outcome === undefined ? {} : { outcome }),
  };
}
