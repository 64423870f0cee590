import { type Note, sayNotice } from '../answer/notes.ts';
import { Failure } from '../api/failure.ts';
import { isTimeZone } from '../api/parameters.ts';
import { nameCampaign } from './campaigns.ts';
import {
  type CallContext,
  mapAnswer,
  type Tool,
  type ToolContext,
  type ToolResult,
  withNotices,
  wordResult,
} from './define-tool.ts';
import { shortenFailure, truncateToLimit } from './fit.ts';
import { withEndedProposals } from './get-proposal.ts';
import { isSameZone } from './period.ts';
import { describeCall, resolveNames, withAbout } from './resolve-names.ts';

/**
 * Calls a tool. All calls go through here: the guard checks them, names become IDs, the answer is cut to the limit of a result, and
 * the key is masked. Throws a Failure with what happened and what to do.
 */
export async function callTool(tool: Tool, given: unknown, context: CallContext): Promise<ToolResult> {
  if (context.missing) throw context.missing;
  context.guard.checkOffered(tool);
  refuseKey(tool, given, context);
  return tool.access === 'read'
    ? callOffered(tool, given, context)
    : callOffered(tool, given, { ...context, reads: new Map() });
}

async function callOffered(tool: Tool, given: unknown, context: CallContext): Promise<ToolResult> {
  const { client } = context;
  try {
    const resolved = await resolveNames(tool, given, context);
    const { asked } = resolved;
    const naming = context.isShownInView ? nameCampaign(resolved.given, context) : undefined;
    const ask: CallContext['ask'] = (question) =>
      context.ask(asked === undefined ? question : `${client.withoutKey(sayNotice(asked))}\n${question}`);
    const numberNotices = watchNumbers(context.asked ?? [context]);
    const called = await tool.call(resolved.given, { ...context, ask });
    const read = withAbout(called, await describeCall(resolved, context));
    const said = [...(context.asked ?? [context]).flatMap(otherZoneNote), ...numberNotices()];
    const answer = said.length === 0 ? read : mapAnswer(read, (result) => withNotices(result, { after: said }));
    try {
      const result = truncateToLimit(mapAnswer(await withEndedProposals(tool, answer, context), wordResult));
      const campaign = await naming;
      return client.withoutKey(campaign === undefined ? result : { ...result, campaign });
    } catch (error) {
      // A write that was done must not look failed, or it would be sent again.
      if (!answer.brief) throw error;
      context.onDefect?.(error);
      return wordResult(answer.brief);
    }
  } catch (error) {
    if (error instanceof Failure) {
      const line = error.change === undefined ? '' : `\nIt is change ${error.change}: list_changes shows it.`;
      error.message = shortenFailure(client.withoutKey(error.message)) + line;
    }
    throw error;
  }
}

/** Gives how the numbers of a call were written, once for a tracker, whichever tool read them; nothing about a decimal point. */
function watchNumbers(asked: readonly ToolContext[]): () => Note[] {
  const before = asked.map(({ client }) => ({ ...client.numbers.uses }));
  return () =>
    asked.flatMap(({ client, trackerName }, index) => {
      const { comma, learned } = client.numbers.uses;
      const isComma = comma > (before[index]?.comma ?? 0);
      const isLearned = learned > (before[index]?.learned ?? 0);
      if (!isComma && !isLearned) return [];
      const tracker = asked.length > 1 ? trackerName : undefined;
      return [{ code: 'decimal-mark', tracker, mark: isComma ? 'comma' : 'thousands', isLearned }];
    });
}

/** Says once that the answers of a tracker name another zone than the one set. It changes no dates. */
function otherZoneNote({ client, trackerName, timeZone, isZoneAssumed, now }: ToolContext): Note[] {
  const other = [...client.zones].find((zone) => isTimeZone(zone) && !isSameZone(zone, timeZone, now()));
  if (other === undefined) return [];
  return [{ code: 'other-zone', tracker: trackerName, zone: other, set: isZoneAssumed ? undefined : timeZone }];
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
