import * as z from 'zod';
import type { Tool, ToolContext } from '../define-tool.ts';

export interface NamedTracker {
  readonly name: string;
  readonly context: ToolContext;
}

/** The trackers that calls can be about, each with a client and a guard of its own. */
export class Trackers {
  readonly all: readonly NamedTracker[];
  /** The tracker that reads are about if a call names none. */
  readonly byDefault: NamedTracker | undefined;

  constructor(all: readonly NamedTracker[], byDefault?: string) {
    const isSeveral = all.length > 1;
    this.all = all.map(({ name, context }) => ({
      name,
      context: { ...context, trackerName: isSeveral ? name : undefined },
    }));
    this.byDefault = byDefault === undefined ? undefined : this.find(byDefault);
  }

  get only(): NamedTracker | undefined {
    return this.all.length === 1 ? this.all[0] : undefined;
  }

  get names(): readonly string[] {
    return this.all.map(({ name }) => name);
  }

  /** The tracker of a name; letter case does not matter. */
  find(name: string): NamedTracker | undefined {
    return this.all.find((tracker) => tracker.name.toLowerCase() === name.trim().toLowerCase());
  }

  /** The tracker that something is about which may name one: that one, else the only one, else the default. */
  choice(name: string | undefined): NamedTracker | undefined {
    return this.only ?? (name === undefined ? this.byDefault : this.find(name));
  }

  offering(tool: Pick<Tool, 'name' | 'access' | 'needs'>): readonly NamedTracker[] {
    return this.all.filter(({ context }) => context.guard.offers(tool));
  }

  /** The same trackers with other contexts, and only those of these names if names are given. */
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
export function listedSchemas(tool: Tool, trackers: Trackers): Pick<Tool, 'input' | 'output'> {
  const { input, output } = tool;
  const names = trackers.offering(tool).map(({ name }) => name);
  const [first, ...others] = names;
  if (trackers.only || tool.asksNoTracker || first === undefined) return { input, output };
  const named = z.enum([first, ...others]);
  const usual = trackers.byDefault?.name;
  // Its name and its values say what it is; more would be paid for with every tool.
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

const checked = new WeakMap<Tool, z.ZodObject>();

/** What the arguments of a call may be, beside a tracker that is chosen already. */
export function inputWithTracker(tool: Tool): z.ZodObject {
  const known = checked.get(tool);
  const input = known ?? z.strictObject({ tracker: z.string().optional(), ...tool.input.shape });
  checked.set(tool, input);
  return input;
}

/** What a tracker is known by beyond one call: its URL, and its name beside it if several accounts are at that URL. */
export async function identityIn({
  trackerIdentity,
  client,
}: Pick<ToolContext, 'trackerIdentity' | 'client'>): Promise<string> {
  return trackerIdentity ?? (await client.url());
}
