import { Failure } from '../../api/failure.ts';
import { callTool } from '../call-tool.ts';
import { checkArguments, show } from '../check-arguments.ts';
import { type CallContext, mapAnswer, type Tool, type ToolContext, type ToolResult } from '../define-tool.ts';
import { refuseNames } from '../resolve-names.ts';
import { inputWithTracker, type NamedTracker, type Trackers } from './trackers.ts';

export type InCall = (context: ToolContext) => CallContext;

/**
 * Calls a tool on the tracker that its arguments name. Without a name a read is about the default or all trackers; a write is
 * never guessed. Throws a Failure that names the tracker.
 */
export async function callOnTracker(
  tool: Tool,
  given: unknown,
  trackers: Trackers,
  inCall: InCall,
): Promise<ToolResult> {
  if (trackers.only) return callTool(tool, given, inCall(trackers.only.context));
  const offering = trackers.offering(tool);
  const [any = trackers.all[0]] = offering;
  if (!any) throw new Failure(`${tool.name} was not called: there is no tracker that it could be about.`);
  const asked = nameIn(given);
  if (tool.asksNoTracker) return callTool(tool, given, inCall(any.context));
  const { callForAll } = tool;
  if (asked === undefined && callForAll) {
    refuseNames(tool, given);
    const contexts = offering.map(({ context }) => inCall(context));
    // Which tracker a row is about its answer says in each.
    const aboutAll: Tool = { ...tool, call: (all) => callForAll(all, contexts) };
    return callTool(aboutAll, given, inCall(any.context));
  }
  const chosen = choose(tool, asked, trackers, any);
  try {
    return await callTool(aboutOne(tool, chosen.name), given, inCall(chosen.context));
  } catch (error) {
    if (error instanceof Failure) error.message = `Tracker ${chosen.name}: ${error.message}`;
    throw error;
  }
}

function choose(tool: Tool, asked: unknown, trackers: Trackers, any: NamedTracker): NamedTracker {
  const chosen =
    typeof asked === 'string'
      ? trackers.find(asked)
      : asked === undefined && tool.access === 'read'
        ? trackers.byDefault
        : undefined;
  if (chosen) return chosen;
  const names = trackers.names.join(', ');
  const problem =
    asked === undefined
      ? `tracker is missing: one of ${names}`
      : any.context.client.withoutKey(`tracker must be one of ${names}; got ${show(asked)}`);
  throw new Failure(`${tool.name} was not called: ${problem}.`, 'Nothing was sent.');
}

function nameIn(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || !Object.hasOwn(given, 'tracker')) return undefined;
  return (given as { tracker?: unknown }).tracker;
}

function aboutOne(tool: Tool, name: string): Tool {
  const input = inputWithTracker(tool);
  return {
    ...tool,
    input,
    call: async (given, context) => {
      checkArguments({ name: tool.name, input }, given);
      const { tracker: _, ...own } = given as { readonly tracker?: unknown };
      return mapAnswer(await tool.call(own, context), (result) => ({
        ...result,
        structured: { tracker: name, ...result.structured },
        text: `tracker: ${name}\n\n${result.text}`,
      }));
    },
  };
}
