import type { Tool, ToolContext } from '../define-tool.ts';

/** A tracker by its name. */
export interface NamedTracker {
  readonly name: string;
  readonly context: ToolContext;
}

/**
 * The trackers that calls can be about, each with a context of its own: a client that knows its URL and its key and no others, a
 * guard with its limits. Where there is one, nobody has to name it.
 */
export class Trackers {
  /** In the order of the configuration. */
  readonly all: readonly NamedTracker[];
  /** The tracker that reads are about where a call names none. */
  readonly byDefault: NamedTracker | undefined;

  constructor(all: readonly NamedTracker[], byDefault?: string) {
    const isSeveral = all.length > 1;
    this.all = all.map(({ name, context }) => ({
      name,
      context: { ...context, trackerName: isSeveral ? name : undefined },
    }));
    this.byDefault = byDefault === undefined ? undefined : this.find(byDefault);
  }

  /** The tracker, where there is but one. */
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

  /** Those that offer a tool. */
  offering(tool: Pick<Tool, 'name' | 'access' | 'needs'>): readonly NamedTracker[] {
    return this.all.filter(({ context }) => context.guard.offers(tool));
  }

  /** The same trackers with other contexts, and only those of these names where names are given. */
  with(change: (context: ToolContext) => ToolContext, names?: readonly string[]): Trackers {
    const wanted = names?.map((name) => name.toLowerCase());
    const kept = this.all.filter(({ name }) => wanted === undefined || wanted.includes(name.toLowerCase()));
    return new Trackers(
      kept.map(({ name, context }) => ({ name, context: change(context) })),
      this.byDefault?.name,
    );
  }
}
