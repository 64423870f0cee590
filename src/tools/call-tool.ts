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
  const contexts = context.asked ?? [context];
  const partNotes = () => contexts.flatMap(partNote);
  try {
    const resolved = await resolveNames(tool, given, context);
    const { asked } = resolved;
    const naming = context.isShownInView ? nameCampaign(resolved.given, context) : undefined;
    const ask: CallContext['ask'] = (question) =>
      context.ask(
        [...(asked === undefined ? [] : [asked]), ...partNotes()]
          .map((notice) => `${client.withoutKey(sayNotice(notice))}\n`)
          .concat(question)
          .join(''),
      );
    const numberNotices = watchNumbers(contexts);
    const called = await tool.call(resolved.given, { ...context, ask });
    const read = withAbout(called, await describeCall(resolved, context));
    const notes = {
      before: partNotes(),
      after: [...contexts.flatMap(strayNote), ...contexts.flatMap(otherZoneNote), ...numberNotices()],
    };
    const isSaid = notes.before.length + notes.after.length > 0;
    const answer = isSaid ? mapAnswer(read, (result) => withNotices(result, notes)) : read;
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
      const parts = partNotes().map((note) => `\n${client.withoutKey(sayNotice(note))}`);
      error.message = shortenFailure(client.withoutKey(error.message)) + parts.join('') + line;
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
