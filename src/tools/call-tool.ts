import { Failure } from '../api/failure.ts';
import { ProposalMade } from '../guard/approval.ts';
import { nameCampaign } from './campaigns.ts';
import type { Answer, CallContext, Tool, ToolResult } from './define-tool.ts';
import { fitFailure, truncateToLimit } from './fit.ts';
import { proposedAnswer, withEndedProposals } from './get-proposal.ts';
import { resolveNames, withAbout } from './resolve-names.ts';

/**
 * Calls a tool as every caller does: checked by the guard, names as IDs, the answer cut to what a result holds, the key masked.
 * Throws a Failure that says what happened and what to do.
 */
export async function callTool(tool: Tool, given: unknown, context: CallContext): Promise<ToolResult> {
  context.guard.checkOffered(tool);
  refuseKey(tool, given, context);
  try {
    const { given: resolved, about, asked } = await resolveNames(tool, given, context);
    const naming = context.isDrawn ? nameCampaign(resolved, context) : undefined;
    const ask: CallContext['ask'] = (question) => context.ask(asked === undefined ? question : `${asked}\n${question}`);
    const answer = withAbout(await answerOf(tool, resolved, { ...context, ask }), about);
    try {
      return await finish(await withEndedProposals(tool, answer, context), naming, context);
    } catch (error) {
      // A write that was done must not look failed: it would be sent again.
      if (!answer.brief) throw error;
      context.onDefect?.(error);
      return answer.brief;
    }
  } catch (error) {
    if (error instanceof Failure) error.message = fitFailure(context.client.withoutKey(error.message));
    throw error;
  }
}

/** Cuts an answer to what fits, and masks the key. */
async function finish(
  answer: Answer,
  naming: Promise<string | undefined> | undefined,
  { client }: CallContext,
): Promise<ToolResult> {
  const result = truncateToLimit(answer);
  const campaign = await naming;
  const { structured, text, ...beside } = campaign === undefined ? result : { ...result, campaign };
  const written = [JSON.stringify(structured), text];
  if (Object.keys(beside).length > 0) written.push(JSON.stringify(beside));
  return client.withoutKey({ structured, text, ...beside }, written);
}

/** A write that waits for a person answers with its proposal, whichever tool it was. */
async function answerOf(tool: Tool, given: unknown, context: CallContext): Promise<Answer> {
  try {
    return await tool.call(given, context);
  } catch (error) {
    if (error instanceof ProposalMade) return proposedAnswer(error.proposal, context.now());
    throw error;
  }
}

/** A key in an argument would stand in records, answer and audit trail. Throws a Failure that names the argument. */
function refuseKey(tool: Tool, given: unknown, { client }: CallContext): void {
  if (!client.holdsKey(given)) return;
  const next = 'Nothing was sent. Leave the key out: this server adds it to each request.';
  for (const [name, value] of Object.entries(given ?? {})) {
    const where = client.holdsKey(name) ? 'the name of an argument' : client.holdsKey(value) ? name : undefined;
    if (where === undefined) continue;
    throw new Failure(`${tool.name} was not called: ${where} holds the API key of the tracker.`, next);
  }
}
