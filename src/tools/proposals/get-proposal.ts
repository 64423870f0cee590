import * as z from 'zod';
import { Failure } from '../../api/failure.ts';
import { show } from '../check-arguments.ts';
import { type Answer, type CallContext, defineTool, wholeAnswer } from '../define-tool.ts';
import { proposalData, proposalText } from '../present/proposal.ts';
import { findOwnProposal } from '../trackers/trackers.ts';

const nullable = z.union([z.string(), z.null()]);

const output = z.object({
  proposal_id: z.string(),
  state: z.string(),
  tool: z.string(),
  tracker: z.string(),
  steps: z.array(z.record(z.string(), z.unknown())),
  effect: z.array(z.string()),
  proposed: z.string(),
  expires: z.string(),
  decided_by: nullable,
  change_id: nullable,
  message: nullable,
});

/** What became of a write that waits for a person. */
export const getProposal = defineTool({
  name: 'get_proposal',
  title: 'What became of a proposal',
  description:
    'Where a proposed write stands: waiting, approved, done with its change_id, rejected, stale (what it rests on changed), expired or stopped. ' +
    'Only a person can approve it.',
  access: 'read',
  needs: 'proposals',
  input: z.strictObject({ proposal_id: z.string().min(1).max(50).describe('From the answer to the write') }),
  output,
  run: async ({ proposal_id: id }, context) => standing(id, [context]),
  // An ID belongs to one tracker, so the caller need not name it.
  runForAll: async ({ proposal_id: id }, contexts) => standing(id, contexts),
});

async function standing(id: string, contexts: readonly CallContext[]): Promise<Answer> {
  const found = await Promise.all(contexts.map((context) => findOwnProposal(id, context)));
  const known = found.find((one) => one !== undefined);
  if (!known) throw new Failure(`There is no proposal ${show(id)}.`, 'list_changes shows those there are.');
  return wholeAnswer(proposalData(known), proposalText(known));
}
