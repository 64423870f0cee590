import * as z from 'zod';
import { sayNotice } from '../../answer/notes.ts';
import { listPages } from '../../answer/write-notes.ts';
import { Failure } from '../../api/failure.ts';
import * as is from '../../api/parameters.ts';
import { countInWords } from '../../api/rules.ts';
import { questionAbout, type WriteResult } from '../../guard/write.ts';
import { campaignsOfChange } from '../campaigns.ts';
import type { Answer, CallContext } from '../define-tool.ts';
import { presentStep, shownSteps } from '../present/change-steps.ts';
import { presentSteps } from '../present/steps.ts';
import { openSnapshot } from './current-values.ts';
import { chooseChanges, readTime } from './undo-choice.ts';
import { type ChangeUndo, planUndo, type UndoPlan } from './undo-plan.ts';
import { defineWritingTool } from './writing-tool.ts';

const undoOutput = () =>
  z.object({
    /** The ID of the change, or the IDs of several by comma, the newest first. */
    undoes: z.string(),
    /** The IDs and names of its campaigns; absent without one, or if the names are not known. */
    campaign: z.string().optional(),
    dry_run: z.boolean(),
    done: z.boolean(),
    change_id: z.union([z.string(), z.null()]),
    steps: shownSteps,
    notices: z.array(z.string()),
  });

/** Takes changes back: sets the values before again, and switches off what was added. */
export const undoChange = defineWritingTool({
  name: 'undo_change',
  title: 'Take a change back',
  description:
    'Undoes changes of list_changes, the newest first: sets the values before again, and switches off what was added (the API cannot delete). ' +
    'Refuses where somebody else changed a value since, and says what it cannot undo. An undo can be undone. Try dry_run first.',
  access: 'update',
  input: () =>
    z.strictObject({
      change_id: z
        .string()
        .min(1)
        .max(50)
        .optional()
        .describe('Of a change or a set, from list_changes or the answer to the write'),
      changes: z.array(z.string().min(1).max(50)).min(1).max(50).optional().describe('Several such IDs'),
      since: z
        .string()
        .max(40)
        .refine((text) => readTime(text) !== undefined, 'must be a time as 2026-05-06T12:00Z')
        .optional()
        .describe('All since then (UTC): 2026-05-06T12:00Z'),
      unread: is.flag('true also sets what cannot be read today; default false').default(false),
      dry_run: is.flag('Only shows it; default false').default(false),
    }),
  output: undoOutput,
  // No other undo may run between planning and sending.
  reserve: async (given, context, run) => {
    const { changes } = await chooseChanges(given, context);
    if (given.dry_run) return run();
    // All in one order, so that no two calls wait for each other.
    const ids = changes.map(({ id }) => id).sort();
    const reserved = ids.reduceRight<typeof run>(
      (inner, id) => () => context.guard.changes.whileReserved(id, inner),
      run,
    );
    return reserved();
  },
  plan: async (given, context) => {
    const { dry_run: isDryRun, unread: mayBeUnread } = given;
    const { changes, notices: ofChoice } = await chooseChanges(given, context);
    const snapshot = openSnapshot(context);
    const [plan, campaign] = await Promise.all([
      planUndo(changes, snapshot, context),
      campaignsOfChange({ steps: changes.flatMap(({ steps }) => steps) }, context),
    ]);
    const { effect, unread } = plan;
    const notices = [...ofChoice, ...plan.notices];
    const undos = plan.undos.filter(({ steps }) => steps.length > 0);
    const [newest] = undos;
    if (!newest) {
      const [only, ...others] = changes;
      const which = others.length === 0 ? `Change ${only?.id}` : `What was changed by ${idsOf(plan.undos)}`;
      throw new Failure(
        `${which} cannot be undone.`,
        notices.map(sayNotice).join(' ') || 'None of it was carried out.',
      );
    }
    const isAgreed = isDryRun || mayBeUnread || context.guard.asksFirst;
    if (unread.length > 0 && !isAgreed) {
      throw new Failure(
        `Nothing was undone: today’s value of ${listPages(unread.map(({ name, request }) => `${name} of ${request}`))} cannot be read, so somebody may have changed it since.`,
        'Look in the tracker, or ask the person; with unread true it is set anyway.',
      );
    }
    const steps = undos.flatMap((undo) => undo.steps);
    const isOne = undos.length === 1;
    const which = isOne ? `change ${newest.change.id}` : countInWords(undos.length, 'change');
    const order = isOne ? '' : ', the newest first';
    const requests = isOne ? newest.requests : undos.flatMap(describeUndo);
    return {
      isDryRun,
      write: {
        tool: 'undo_change',
        steps,
        ...(isOne
          ? { undoes: newest.change.id }
          : {
              parts: undos.map((undo) => ({
                tool: 'undo_change',
                undoes: undo.change.id,
                steps: undo.steps.length,
              })),
            }),
        consent: questionAbout(`Undo ${which}${campaign === undefined ? '' : ` of campaign ${campaign}`}${order}?`, [
          ...requests,
          ...[...effect, ...notices].map(sayNotice),
        ]),
        effect: [...effect, ...notices],
        snapshot,
      },
      answer: (result) => present({ undos, campaign, effect, notices }, result, context),
      stopped: (result, reason) => stopped(undos, result, reason),
    };
  },
});

const idsOf = (undos: readonly ChangeUndo[]) => undos.map(({ change }) => change.id).join(', ');

function describeUndo({ change: { id, tool, time }, requests }: ChangeUndo): string[] {
  return [`Change ${id} (${tool}, ${time}):`, ...requests];
}

function present(
  {
    undos,
    campaign,
    effect,
    notices,
  }: Pick<UndoPlan, 'undos' | 'effect' | 'notices'> & { readonly campaign: string | undefined },
  result: WriteResult | undefined,
  { currency }: CallContext,
): Answer {
  const outcome = result ? 'ok' : 'not sent';
  const undoes = idsOf(undos);
  return presentSteps({
    head: `undo_change of ${campaign === undefined ? undoes : `${undoes}, campaign ${campaign}`}`,
    fields: { undoes, ...(campaign === undefined ? {} : { campaign }) },
    steps: undos.flatMap(({ change, steps }, index) =>
      steps.map(({ request: { endpoint, arguments: given }, before = {} }) => ({
        ...(undos.length === 1 ? {} : { undoes: change.id, ...(result && { change_id: result.changes[index] ?? '' }) }),
        ...presentStep({ tool: endpoint.name, arguments: given, before, outcome }, currency),
      })),
    ),
    effect,
    notices,
    result,
  });
}

/** What an undo did that stopped in the middle, and how to continue. */
function stopped(undos: readonly ChangeUndo[], { change, changes, replies }: WriteResult, reason: string): Failure {
  const count = undos.flatMap(({ steps }) => steps).length;
  const [done, left] = [undos.slice(0, changes.length - 1), undos.slice(changes.length - 1)];
  const sent = replies.length === 0 ? '' : ` What was sent is change ${change}, which can be undone.`;
  return new Failure(
    [
      `undo_change stopped after ${replies.length} of ${count} writes: ${reason}`,
      ...(done.length > 0 ? [`Undone: ${idsOf(done)}.`] : []),
      ...(undos.length > 1 ? [`Not undone, or not all of it: ${idsOf(left)}.`] : []),
    ].join(' '),
    `To go on, call undo_change again: what is undone already is not sent again.${sent}`,
  );
}
