import type * as z from 'zod';
import type { Access } from '../api/endpoints.ts';
import type { TrackerClient } from '../client/tracker-client.ts';
import type { Guard } from '../guard/guard.ts';
import type { Ask } from '../guard/write.ts';
import { checkArguments } from './check-arguments.ts';
import type { PastFigures } from './past-figures.ts';
import type { DaysBefore } from './present/for-views.ts';
import type { RecentTables } from './recent-tables.ts';

/** The arguments as a tool resolved them, which its answer repeats. */
export type Query = JsonRecord;

/** Arguments by name. */
export type Given = Readonly<Record<string, unknown>>;

/** What a tool works with; the same for every call of a server. */
export interface ToolContext {
  readonly client: TrackerClient;
  readonly guard: Guard;
  /** What the tracker is called, if the server has several. */
  readonly trackerName?: string | undefined;
  /** What the audit trail and proposals know the tracker by; absent: its URL. */
  readonly trackerIdentity?: string | undefined;
  /** The tables that answers brought, for queries over them; absent if no later call could query them. */
  readonly recentTables?: RecentTables | undefined;
  /** What was read of past days, for tools that ask for many reports; absent if each call stands alone. */
  readonly pastFigures?: PastFigures | undefined;
  /** The zone that periods such as "yesterday" are cut in if the call names none. */
  readonly timeZone: string;
  /** Whether that stands in for the tracker's own, which is not known. */
  readonly isZoneAssumed?: boolean | undefined;
  /** The code of the currency that money is in (ISO 4217), if it is configured. */
  readonly currency: string | undefined;
  readonly now: () => Date;
}

/** What belongs to one call. */
export interface CallContext extends ToolContext {
  /** The name of the client's program. */
  readonly caller: string;
  readonly ask: Ask;
  /** Whether the caller shows the answer in a view. */
  readonly isDrawn?: boolean | undefined;
  /** Logs an error that no answer shows, if it is a defect. */
  readonly onDefect?: ((error: unknown) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called as a long call goes on: how much is done, of how much if that is known, and of what (default bytes). */
  readonly onProgress?: ((done: number, total: number | undefined, what?: string) => void) | undefined;
}

/** JSON. A text of the tracker is none: it must be made fit to be shown first. */
export type Json = string | number | boolean | null | readonly Json[] | JsonRecord;
export type JsonRecord = { readonly [name: string]: Json | undefined };

/** What a tool gives back: the whole answer as data, and the same in less as text. */
export interface ToolResult {
  readonly structured: JsonRecord;
  readonly text: string;
  /** The name of the campaign that it is about, for a view of it. */
  readonly campaign?: string;
  /** The days before those of its table, for a view of it. */
  readonly daysBefore?: DaysBefore;
}

/** What an answer has many of, such as rows. */
export interface Part {
  readonly count: number;
  /** As few as these an answer still shows. */
  readonly min: number;
}

/** An answer that can be given whole or with less; `callTool` decides by what fits. */
export interface Answer {
  /** What can be left out from its end, in the order in which it is given up. */
  readonly parts: readonly Part[];
  /** @param counts how many of each part it shows, of which it says what is left out and how to get it */
  readonly render: (counts: readonly number[]) => ToolResult;
  /** Of a write that was done: what is said if the answer cannot be given. It fits, and holds no key. */
  readonly brief?: ToolResult | undefined;
}

/** An answer that is short whatever the tracker says. */
export function wholeAnswer(structured: JsonRecord, text: string): Answer {
  return { parts: [], render: () => ({ structured, text }) };
}

/** The answer with each of its results changed. */
export function mapAnswer({ parts, render, brief }: Answer, change: (result: ToolResult) => ToolResult): Answer {
  return { parts, render: (counts) => change(render(counts)), brief: brief && change(brief) };
}

/** What an agent sees of a tool. It knows no protocol. */
export interface Description<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Declared once: annotations, read-only mode and retries follow from it. */
  readonly access: Access;
  /** What it cannot do without: it is listed only if writes may wait for a person. */
  readonly needs?: 'proposals';
  readonly input: Input;
  readonly output: z.ZodObject;
  /** What its answer holds besides, if writes may wait for a person. */
  readonly outputWithProposals?: z.ZodObject;
}

export interface Tool extends Description<z.ZodObject> {
  /** Checks the arguments and runs the tool. Only `callTool` calls it, which guards what goes in and comes out. */
  readonly call: (given: unknown, context: CallContext) => Promise<Answer>;
  /** Does it for all trackers that offer the tool, if a call names none. A tool without it is about one tracker. */
  readonly callForAll?: ((given: unknown, contexts: readonly CallContext[]) => Promise<Answer>) | undefined;
  readonly asksNoTracker?: true | undefined;
}

interface Definition<Input extends z.ZodObject> extends Description<Input> {
  /** Writes are defined by what they plan (`defineWritingTool`), since their answer must not fail once they are sent. */
  readonly access: 'read';
  /** @param given the arguments as the input schema gives them: checked, defaults filled in */
  readonly run: (given: Readonly<z.output<Input>>, context: CallContext) => Promise<Answer>;
  readonly runForAll?: (given: Readonly<z.output<Input>>, contexts: readonly CallContext[]) => Promise<Answer>;
  readonly asksNoTracker?: true;
}

/** A tool whose handler gets the arguments that its input schema describes, and no others. */
export function defineTool<Input extends z.ZodObject>({ run, runForAll, ...description }: Definition<Input>): Tool {
  return {
    ...description,
    call: async (given, context) => run(checkArguments(description, given), context),
    ...(runForAll && {
      callForAll: async (given, contexts) => runForAll(checkArguments(description, given), contexts),
    }),
  };
}
