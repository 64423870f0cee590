import * as z from 'zod';
import { CallClock } from '../api/deadline.ts';
import { Failure } from '../api/failure.ts';
import { runForOwner } from '../api/running-call.ts';
import { show } from '../api/text/tracker-text.ts';
import { callTool } from './call-tool.ts';
import { checkArguments } from './check-arguments.ts';
import { type CallContext, mapAnswer, type Tool, type ToolContext, type ToolResult, timed } from './define-tool.ts';
import { onDemand } from './json-schema.ts';
import { readArguments, sayingDecoded } from './read-arguments.ts';
import { refuseNames } from './resolve-names.ts';

export interface NamedTracker {
  readonly name: string;
  readonly context: ToolContext;
}

/** The trackers of a server, each with its own client and guard. */
export class Trackers {
  readonly all: readonly NamedTracker[];
  /** The tracker for reads that name none. */
  readonly byDefault: NamedTracker | undefined;

  constructor(all: readonly NamedTracker[], byDefault?: string) {
    const hasSeveral = all.length > 1;
    this.all = all.map(({ name, context }) => ({
      name,
      context: { ...context, trackerName: hasSeveral ? name : undefined },
    }));
    this.byDefault = byDefault === undefined ? undefined : this.find(byDefault);
  }

  get only(): NamedTracker | undefined {
    return this.all.length === 1 ? this.all[0] : undefined;
  }

  get names(): readonly string[] {
    return this.all.map(({ name }) => name);
  }

  /** The tracker with a name; letter case does not matter. */
  find(name: string): NamedTracker | undefined {
    return this.all.find((tracker) => tracker.name.toLowerCase() === name.trim().toLowerCase());
  }

  /** The only tracker, else the one that is named, else the default. */
  choose(name: string | undefined): NamedTracker | undefined {
    return this.only ?? (name === undefined ? this.byDefault : this.find(name));
  }

  thatOffer(tool: Pick<Tool, 'name' | 'access' | 'needs'>): readonly NamedTracker[] {
    return this.all.filter(({ context }) => context.guard.offers(tool));
  }

  /** The same trackers with changed contexts; only those with these names, if names are given. */
  with(change: (context: ToolContext) => ToolContext, names?: readonly string[]): Trackers {
    const wanted = names?.map((name) => name.toLowerCase());
    const kept = this.all.filter(({ name }) => wanted === undefined || wanted.includes(name.toLowerCase()));
    return new Trackers(
      kept.map(({ name, context }) => ({ name, context: change(context) })),
      this.byDefault?.name,
    );
  }
}

/** The schemas of a tool as a server with these trackers lists them. With one tracker they are the tool's own. */
export function listedSchemas(tool: Tool, trackers: Trackers) {
  const [input, output] = [tool.input(), tool.output()];
  const names = trackers.thatOffer(tool).map(({ name }) => name);
  const [first, ...others] = names;
  if (trackers.only || tool.asksNoTracker || first === undefined) return { input, output };
  const named = z.enum([first, ...others]);
  const usual = trackers.byDefault?.name;
  // Its name and values explain it; a description would be paid for with every tool.
  const argument = tool.callForAll
    ? named.describe('Default: all').optional()
    : tool.access === 'read' && usual !== undefined && names.includes(usual)
      ? named.default(usual)
      : named;
  return {
    input: z.strictObject({ tracker: argument, ...input.shape }),
    output: z.object({ tracker: z.string().optional(), ...output.shape }),
  };
}

const inputsWithTracker = new WeakMap<Tool['input'], () => z.ZodObject>();

/** The arguments of a call whose tracker was chosen already. A schema takes longer to make than to use, so each is kept. */
export function inputWithTracker({ input }: Pick<Tool, 'input'>): Tool['input'] {
  const known = inputsWithTracker.get(input);
  if (known) return known;
  const made = onDemand(() => z.strictObject({ tracker: z.string().min(1).optional(), ...input().shape }));
  inputsWithTracker.set(input, made);
  return made;
}

export type ContextForCall = (context: ToolContext) => CallContext;

/**
 * Calls a tool on the tracker that its arguments name. Without a name, a read uses the default or all trackers; a write needs one.
 * Throws a Failure that names the tracker.
 */
export async function callOnTracker(
  tool: Tool,
  sent: unknown,
  trackers: Trackers,
  contextOf: ContextForCall,
): Promise<ToolResult> {
  const clock = new CallClock();
  const contextForCall: ContextForCall = (context) => timed(contextOf(context), clock);
  const { given, isDecoded } = await readArguments({ name: tool.name, input: inputWithTracker(tool) }, sent);
  const [any] = trackers.all;
  return runForOwner(any?.context.guard.holderName, () =>
    callWith(given, isDecoded ? sayingDecoded(tool) : tool, trackers, contextForCall),
  );
}

async function callWith(
  given: unknown,
  tool: Tool,
  trackers: Trackers,
  contextForCall: ContextForCall,
): Promise<ToolResult> {
  if (trackers.only) return callTool(tool, given, contextForCall(trackers.only.context));
  const offering = trackers.thatOffer(tool);
  const [any = trackers.all[0]] = offering;
  if (!any) throw new Failure(`${tool.name} was not called: there is no tracker to call it on.`);
  const wanted = trackerIn(given);
  if (tool.asksNoTracker) return callTool(tool, given, contextForCall(any.context));
  const { callForAll } = tool;
  if (wanted === undefined && callForAll) {
    refuseNames(tool, given);
    const contexts = offering.map(({ context }) => contextForCall(context));
    const onAll: Tool = { ...tool, call: (all) => callForAll(all, contexts) };
    return callTool(onAll, given, { ...contextForCall(any.context), asked: contexts });
  }
  const { name, context } = choose(tool, wanted, trackers, any);
  try {
    return await callTool(withTracker(tool, name), given, contextForCall(context));
  } catch (error) {
    if (error instanceof Failure) error.message = `Tracker ${name}: ${error.message}`;
    throw error;
  }
}

function trackerIn(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || !Object.hasOwn(given, 'tracker')) return undefined;
  return (given as { tracker?: unknown }).tracker;
}

function choose(tool: Tool, wanted: unknown, trackers: Trackers, any: NamedTracker): NamedTracker {
  const isDefault = wanted === undefined && tool.access === 'read';
  const chosen = typeof wanted === 'string' ? trackers.find(wanted) : isDefault ? trackers.byDefault : undefined;
  if (chosen) return chosen;
  const names = trackers.names.join(', ');
  const problem =
    wanted === undefined
      ? `tracker is missing: one of ${names}`
      : any.context.client.withoutKey(`tracker must be one of ${names}; got ${show(wanted)}`);
  throw new Failure(`${tool.name} was not called: ${problem}.`, 'Nothing was sent.');
}

/** The tool with the argument `tracker`, which its answers repeat. */
function withTracker(tool: Tool, tracker: string): Tool {
  const input = inputWithTracker(tool);
  return {
    ...tool,
    input,
    call: async (given, context) => {
      checkArguments({ name: tool.name, input }, given);
      const { tracker: _, ...own } = given as { readonly tracker?: unknown };
      return mapAnswer(await tool.call(own, context), (result) => ({
        ...result,
        structured: { tracker, ...result.structured },
        blocks: [`tracker: ${tracker}`, '', ...result.blocks],
      }));
    },
  };
}
