import { Failure } from '../api/failure.ts';
import type { TrackerNumbers } from '../api/tracker-numbers.ts';
import { nameCampaign } from './campaigns.ts';
import { type Answer, type CallContext, mapAnswer, type Tool, type ToolResult, withNotices } from './define-tool.ts';
import { shortenFailure, truncateToLimit } from './fit.ts';
import { withEndedProposals } from './get-proposal.ts';
import { resolveNames, withAbout } from './resolve-names.ts';

/**
 * Calls a tool. All calls go through here: the guard checks them, names become IDs, the answer is cut to the limit of a result, and
 * the key is masked. Throws a Failure with what happened and what to do.
 */
export async function callTool(tool: Tool, given: unknown, context: CallContext): Promise<ToolResult> {
  const { client } = context;
  context.guard.checkOffered(tool);
  refuseKey(tool, given, context);
  try {
    const { given: resolved, about, asked } = await resolveNames(tool, given, context);
    const naming = context.isShownInView ? nameCampaign(resolved, context) : undefined;
    const ask: CallContext['ask'] = (question) => context.ask(asked === undefined ? question : `${asked}\n${question}`);
    const usesBefore = { ...client.numbers.uses };
    const read = withAbout(await tool.call(resolved, { ...context, ask }), about);
    const answer = withNumberNotice(read, numberNotices(client.numbers, usesBefore));
    try {
      const result = truncateToLimit(await withEndedProposals(tool, answer, context));
      const campaign = await naming;
      return client.withoutKey(campaign === undefined ? result : { ...result, campaign });
    } catch (error) {
      // A write that was done must not look failed, or it would be sent again.
      if (!answer.brief) throw error;
      context.onDefect?.(error);
      return answer.brief;
    }
  } catch (error) {
    if (error instanceof Failure) error.message = shortenFailure(client.withoutKey(error.message));
    throw error;
  }
}

/** Says once in an answer if its numbers were not written in the usual way, whichever tool read them. */
function withNumberNotice(answer: Answer, notices: readonly string[]): Answer {
  return notices.length === 0 ? answer : mapAnswer(answer, (result) => withNotices(result, { after: notices }));
}

/** How the numbers of a call were read; nothing about a decimal point. */
export function numberNotices({ uses }: TrackerNumbers, before: TrackerNumbers['uses']): string[] {
  const [comma, learned] = [uses.comma > before.comma, uses.learned > before.learned];
  if (!comma && !learned) return [];
  const how = comma ? 'a decimal comma' : 'commas between thousands';
  const why = learned ? ', as earlier answers of this tracker show' : '';
  return [
    `The tracker writes ${how}${why}; the numbers here have a decimal point. If that is wrong, set TRACKER_DECIMAL.`,
  ];
}

/** A key in an argument would get into records, answers and the audit trail. Throws a Failure that names the argument. */
function refuseKey(tool: Tool, given: unknown, { client }: CallContext): void {
  if (!client.holdsKey(given)) return;
  const next = 'Nothing was sent. Leave the key out: this server adds it to each request.';
  for (const [name, value] of Object.entries(given ?? {})) {
    const where = client.holdsKey(name) ? 'the name of an argument' : client.holdsKey(value) ? name : undefined;
    if (where === undefined) continue;
    throw new Failure(`${tool.name} was not called: ${where} holds the API key of the tracker.`, next);
  }
}
