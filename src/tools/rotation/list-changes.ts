import * as z from 'zod';
import * as is from '../../api/parameters.ts';
import type { Change } from '../../guard/changes.ts';
import { defineTool, wholeAnswer } from '../define-tool.ts';
import { describeStep, presentStep, shownSteps } from '../present/change-steps.ts';
import { proposalLine, proposalSummary } from '../present/proposal.ts';
import { ownProposals } from '../trackers/own-proposals.ts';

/** What list_changes returns. */
export const changesOutput = z.object({
  changes: z.array(
    z.object({
      change_id: z.string(),
      time: z.string(),
      tool: z.string(),
      state: z.string(),
      steps: shownSteps,
    }),
  ),
  notices: z.array(z.string()),
});

/** What each of them is, get_proposal tells. */
const maxProposals = 20;

/** What this server changed, the newest first. */
export const listChanges = defineTool({
  name: 'list_changes',
  title: 'What this server changed',
  description:
    'What this server changed, newest first, in earlier runs too where it keeps an audit log: new and old values, outcome, whether undone, and the change_id for undo_change. ' +
    'Changes made elsewhere are not in it.',
  access: 'read',
  input: z.strictObject({ limit: is.whole(1, 100, 'Most changes, 1 to 100; default 10').default(10) }),
  output: changesOutput,
  outputWithProposals: z.object({ proposals: shownSteps }),
  run: async ({ limit }, context) => {
    const { guard, currency } = context;
    const all = await guard.changes.all();
    const shown = all
      .toReversed()
      .slice(0, limit)
      .map((change) => ({
        change_id: change.id,
        time: change.time,
        tool: change.tool,
        state: stateOf(change),
        steps: change.steps.map((step) => presentStep(step, currency)),
      }));
    const hidden = all.length - shown.length;
    const notices = [
      ...(shown.length === 0 ? ['No change yet.'] : []),
      ...(hidden > 0 ? [`${hidden} older changes are not shown.`] : []),
      ...(await guard.changes.gaps()),
    ];
    const proposals = (await ownProposals(context)).slice(0, Math.min(limit, maxProposals));
    const lines = shown.flatMap(({ change_id: id, time, tool, state, steps }) => [
      `${id}  ${time}  ${tool}: ${state}`,
      ...steps.map((step) => `  ${describeStep(step)}`),
    ]);
    return wholeAnswer(
      { changes: shown, ...(guard.proposals ? { proposals: proposals.map(proposalSummary) } : {}), notices },
      [...lines, ...proposals.map(proposalLine), ...notices].join('\n'),
    );
  },
});

const words: Readonly<Record<string, string>> = { ok: 'done', waiting: 'not sent', unknown: 'outcome unknown' };

function stateOf({ steps, undoes, undoneBy, approved }: Change): string {
  const outcomes = [...new Set(steps.map(({ outcome }) => words[outcome] ?? outcome))];
  const outcome = outcomes.length === 1 ? outcomes[0] : `partly done (${outcomes.join(', ')})`;
  const yes = approved === undefined ? '' : `, approved by ${approved.approver}`;
  return `${outcome}${yes}${undoes === undefined ? '' : `, takes back ${undoes}`}${undoneBy === undefined ? '' : `, undone by ${undoneBy}`}`;
}
