import { type Note, sayNotice } from '../answer/notes.ts';
import { Failure } from '../api/failure.ts';
import { isTimeZone } from '../api/parameters.ts';
import { nameCampaign } from './campaigns.ts';
import {
  type Answer,
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
  const contexts = context.asked ?? [context];
  try {
    const resolved = await resolveNames(tool, given, context);
    const naming = context.isShownInView ? nameCampaign(resolved.given, context) : undefined;
    const called = await tool.call(resolved.given, { ...context, ask: askerAfter(resolved, context, contexts) });
    const read = withAbout(called, await describeCall(resolved, context));
    const answer = withNotesOf(contexts, read);
    try {
      const result = truncateToLimit(mapAnswer(await withEndedProposals(tool, answer, context), wordResult));
      const campaign = await naming;
      return context.client.withoutKey(campaign === undefined ? result : { ...result, campaign });
    } catch (error) {
      // A write that was done must not look failed, or it would be sent again.
      if (!answer.brief) throw error;
      context.onDefect?.(error);
      return wordResult(answer.brief);
    }
  } catch (error) {
    if (error instanceof Failure) completeFailure(error, context, contexts);
    throw error;
  }
}

/** Asks a person, after what the call names and which answers are a part. */
function askerAfter(
  { asked }: Awaited<ReturnType<typeof resolveNames>>,
  { client, ask }: CallContext,
  contexts: readonly ToolContext[],
): CallContext['ask'] {
  return (question) => {
    const notices = [...(asked === undefined ? [] : [asked]), ...contexts.flatMap(partNote)];
    return ask([...notices.map((notice) => client.withoutKey(sayNotice(notice))), question].join('\n'));
  };
}

function withNotesOf(contexts: readonly ToolContext[], answer: Answer): Answer {
  const before = contexts.flatMap(partNote);
  const ofNumbers = contexts.flatMap((context) => numbersNote(context, contexts.length > 1));
  const after = [...contexts.flatMap(strayNote), ...contexts.flatMap(otherZoneNote), ...ofNumbers];
  if (before.length + after.length === 0) return answer;
  return mapAnswer(answer, (result) => withNotices(result, { before, after }));
}

function completeFailure(failure: Failure, { client }: CallContext, contexts: readonly ToolContext[]): void {
  const { change } = failure;
  const line = change === undefined ? '' : `\nIt is change ${change}: list_changes shows it.`;
  const parts = contexts.flatMap(partNote).map((note) => `\n${client.withoutKey(sayNotice(note))}`);
  failure.message = shortenFailure(client.withoutKey(failure.message)) + parts.join('') + line;
}

/** Says how the numbers of the answers were written, once for a tracker, whichever tool read them; nothing about a decimal point. */
function numbersNote({ client, trackerName }: ToolContext, areSeveral: boolean): Note[] {
  const uses = [...client.uses];
  const [isComma, isLearned] = [uses.some(({ comma }) => comma), uses.some(({ learned }) => learned)];
  if (!isComma && !isLearned) return [];
  const tracker = areSeveral ? trackerName : undefined;
  return [{ code: 'decimal-mark', tracker, mark: isComma ? 'comma' : 'thousands', isLearned }];
}

/** Says which answers are a part, whichever tool read them: none can tell its figures without it. */
function partNote({ client, trackerName }: ToolContext): Note[] {
  const parts = [...client.parts.values()];
  return parts.length === 0 ? [] : [{ code: 'part-of-answer', tracker: trackerName, parts }];
}

function strayNote({ client, trackerName }: ToolContext): Note[] {
  const rows = [...client.strays.values()];
  return rows.length === 0 ? [] : [{ code: 'stray-rows', tracker: trackerName, rows }];
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
