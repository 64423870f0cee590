import * as z from 'zod';
import * as is from '../api/parameters.ts';
import type { Change } from '../guard/changes.ts';
import { defineTool } from './define-tool.ts';
import { describeStep, presentStep, shownSteps } from './present/change-steps.ts';
import { proposalLine, proposalSummary } from './proposals/describe-proposal.ts';
import { ownProposals } from './proposals/get-proposal.ts';

/** What list_changes returns. */
export const changesOutput = z.object({
  changes: z.array(
    z.object({
      change_id: z.string(),
      time: z.string(),
      tool: z.string(),
      state: z.string(),
      steps: shownSteps,
      /** How many writes of it the answer had no room for. */
      more_steps: z.number().optional(),
    }),
  ),
  next_offset: z.union([z.number(), z.null()]),
  notices: z.array(z.string()),
});

/** What each of them is, get_proposal tells. */
const maxProposals = 20;

/** So many writes of a change are shown before changes are left for the next call. */
const minSteps = 5;

/** What this server changed, the newest first. */
export const listChanges = defineTool({
  name: 'list_changes',
  title: 'What this server changed',
  description:
    'What this server changed, newest first, in earlier runs too where it keeps an audit log: new and old values, outcome, whether undone, and the change_id for undo_change. ' +
    'Changes made elsewhere are not in it.',
  access: 'read',
  input: z.strictObject({
    limit: is.whole(1, 100, 'Most changes, 1 to 100; default 10').default(10),
    offset: is.count('Newer changes to skip; default 0').default(0),
  }),
  output: changesOutput,
  outputWithProposals: z.object({ proposals: z.array(z.record(z.string(), z.unknown())) }),
  run: async ({ limit, offset }, context) => {
    const { guard, currency } = context;
    const { changes: known, gaps } = await guard.changes.read();
    const all = known.toReversed();
    const asked = all.slice(offset, offset + limit);
    const proposals = (await ownProposals(context)).slice(0, Math.min(limit, maxProposals));
    const most = Math.max(0, ...asked.map(({ steps }) => steps.length));
    return {
      parts: [
        { count: most, min: Math.min(most, minSteps) },
        { count: proposals.length, min: 0 },
        { count: asked.length, min: Math.min(asked.length, 1) },
      ],
      render: ([maxSteps = 0, someProposals = 0, count = 0]) => {
        const changes = asked.slice(0, count).map((change) => present(change, maxSteps, currency));
        const next = offset + count;
        const older = all.length - next;
        const notices = [
          ...(all.length === 0 ? ['No change yet.'] : []),
          ...(older > 0 ? [`${older} older changes are not shown: call again with offset ${next}.`] : []),
          ...(someProposals < proposals.length
            ? [`${proposals.length - someProposals} older proposals are not shown: get_proposal has them.`]
            : []),
          ...gaps,
        ];
        const lines = changes.flatMap(({ change_id: id, time, tool, state, steps, more_steps: more }) => [
          `${id}  ${time}  ${tool}: ${state}`,
          ...steps.map((step) => `  ${describeStep(step)}`),
          ...(more === undefined ? [] : [`  and ${more} more`]),
        ]);
        const shown = proposals.slice(0, someProposals);
        return {
          structured: {
            changes,
            ...(guard.proposals ? { proposals: shown.map(proposalSummary) } : {}),
            next_offset: older > 0 ? next : null,
            notices,
          },
          text: [...lines, ...shown.map(proposalLine), ...notices].join('\n'),
        };
      },
    };
  },
});

function present(change: Change, maxSteps: number, currency: string | undefined) {
  const { id, time, tool, steps } = change;
  const more = steps.length - maxSteps;
  return {
    change_id: id,
    time,
    tool,
    state: stateOf(change),
    steps: steps.slice(0, maxSteps).map((step) => presentStep(step, currency)),
    ...(more > 0 ? { more_steps: more } : {}),
  };
}

const words: Readonly<Record<string, string>> = { ok: 'done', waiting: 'not sent', unknown: 'outcome unknown' };

function stateOf({ steps, undoes, undoneBy, approved }: Change): string {
  const outcomes = [...new Set(steps.map(({ outcome }) => words[outcome] ?? outcome))];
  const outcome = outcomes.length === 1 ? outcomes[0] : `partly done (${outcomes.join(', ')})`;
  const yes = approved === undefined ? '' : `, approved by ${approved.approver}`;
  return `${outcome}${yes}${undoes === undefined ? '' : `, takes back ${undoes}`}${undoneBy === undefined ? '' : `, undone by ${undoneBy}`}`;
}
