import type * as z from 'zod';
import { type Block, blocksToText } from '../answer/blocks.ts';
import { type Notice, openDayIn, sayNotice, sayToPerson } from '../answer/notes.ts';
import type { OpenDay } from '../answer/open-day.ts';
import { CallClock } from '../api/deadline.ts';
import type { Access } from '../api/endpoints.ts';
import type { Failure } from '../api/failure.ts';
import type { TrackerClient } from '../client/tracker-client.ts';
import type { Guard } from '../guard/guard.ts';
import type { Ask } from '../guard/write.ts';
import { checkArguments } from './check-arguments.ts';
import { onDemand } from './json-schema.ts';
import type { PastFigures } from './past-figures.ts';
import type { DaysBefore, EarlierDays, Headline } from './present/for-views.ts';
import type { RecentTables } from './recent-tables.ts';

/** The arguments as a tool resolved them; its answer repeats them. */
export type Query = JsonRecord;

/** Arguments by name. */
export type Given = Readonly<Record<string, unknown>>;

/** The part of a tool's context that is the same for every call of a server. */
export interface ToolContext {
  readonly client: TrackerClient;
  readonly guard: Guard;
  /** The tracker's name, if the server has several. */
  readonly trackerName?: string | undefined;
  /** How the audit trail and proposals identify the tracker; absent: by its URL. */
  readonly trackerIdentity?: string | undefined;
  /** What each call fails with if no tracker is set. */
  readonly missing?: Failure | undefined;
  /** The tables of recent answers, for queries; absent if no later call could query them. */
  readonly recentTables?: RecentTables | undefined;
  /** Figures of past days, for tools that read many reports; absent if calls share nothing. */
  readonly pastFigures?: PastFigures | undefined;
  /** The zone of periods such as "yesterday" if the call names none. */
  readonly timeZone: string;
  /** Whether that zone is assumed because the tracker's own is unknown. */
  readonly isZoneAssumed?: boolean | undefined;
  /** The currency code of money (ISO 4217), if configured. */
  readonly currency: string | undefined;
  readonly now: () => Date;
}

export interface CallContext extends ToolContext {
  /** The name of the client's program. */
  readonly caller: string;
  readonly ask: Ask;
  /** The page where a person approves; absent if this server has none. */
  readonly approvePage?: string | undefined;
  /** Learns of a write that now waits for a person. */
  readonly onProposed?: ((proposal: string) => void) | undefined;
  /** Whether this process ends with the call, so that another has to send what a person approves. */
  readonly endsWithCall?: boolean | undefined;
  readonly isShownInView?: boolean | undefined;
  /** Logs an error that no answer shows, if it is a defect. */
  readonly onDefect?: ((error: unknown) => void) | undefined;
  /** All trackers of the call, if it asks several. */
  readonly asked?: readonly ToolContext[];
  readonly signal?: AbortSignal | undefined;
  /** What a write has read of the tracker, for `onceInCall`; absent for a read. */
  readonly reads?: Map<string, Promise<unknown>> | undefined;
  /** Reports the progress of a long call: how much is done, the total if known, and the unit (default bytes). */
  readonly onProgress?: ((done: number, total: number | undefined, what?: string) => void) | undefined;
}

/** The context of a call with one clock over all its requests. It stands still while a person is asked. */
export function timed(context: CallContext, clock = new CallClock()): CallContext {
  return {
    ...context,
    client: context.client.forCall(clock),
    ask: (question) => clock.standingStill(() => context.ask(question)),
  };
}

/** JSON. A text of the tracker must be cleaned first. */
export type Json = string | number | boolean | null | readonly Json[] | JsonRecord;
export type JsonRecord = { readonly [name: string]: Json | undefined };

declare const said: unique symbol;

/** The data of a result. Its notices are notes until `wordResult` says them: no sentence fits. */
export type Structured = JsonRecord & {
  readonly notices?: readonly Notice[] | readonly (string & { readonly [said]: true })[] | undefined;
};

/** What a tool returns: the whole answer as data, and what it shows of it. Notices that no block has come last. */
export interface Result {
  readonly structured: Structured;
  readonly blocks: readonly Block[];
  /** The name of its campaign, for its view. */
  readonly campaign?: string;
  /** The days before the days of its table, for its view. */
  readonly daysBefore?: DaysBefore;
  /** What it says first, for its view. */
  readonly headline?: Headline;
  readonly openDay?: OpenDay;
  /** The days that its figures are compared with, for its view. */
  readonly comparedTo?: EarlierDays;
}

export interface ToolResult extends Result {
  /** What a model reads beside the data. */
  readonly text: string;
  /** What a person reads of each notice; null if it is for models alone. */
  readonly remarks: readonly (string | null)[];
}

/** A list in an answer that can be shortened, such as rows. */
export interface Part {
  readonly count: number;
  /** The answer always shows at least this many. */
  readonly min: number;
}

/** An answer that can be rendered whole or shortened; `callTool` decides by what fits. */
export interface Answer<Rendered = Result> {
  /** The lists that can be shortened, the first to shorten first. */
  readonly parts: readonly Part[];
  /** @param counts how many items of each part to show; the answer says what is left out and how to get it */
  readonly render: (counts: readonly number[]) => Rendered;
  /** For a write that was done: the answer to return if rendering fails. It fits, and holds no key. */
  readonly brief?: Rendered | undefined;
}

/** An answer that is always short. */
export function wholeAnswer(structured: Structured, blocks: readonly Block[]): Answer {
  return { parts: [], render: () => ({ structured, blocks }) };
}

export function mapAnswer<Changed>(
  { parts, render, brief }: Answer,
  change: (result: Result) => Changed,
): Answer<Changed> {
  return { parts, render: (counts) => change(render(counts)), brief: brief && change(brief) };
}

/** The result with more notices, before what it shows or last. */
export function withNotices(
  { structured, blocks, ...rest }: Result,
  { before = [], after = [] }: { readonly before?: readonly Notice[]; readonly after?: readonly Notice[] },
): Result {
  const notices = [...before, ...noticesOf(structured), ...after];
  return { ...rest, structured: { ...structured, notices }, blocks: [...before, ...blocks] };
}

export function wordResult({ structured, blocks: own, ...rest }: Result): ToolResult {
  const notices = noticesOf(structured);
  const blocks = [...own, ...notices.filter((notice) => !own.includes(notice))];
  const openDay = openDayIn(notices);
  const said = new Map<Block, string>(notices.map((notice) => [notice, sayNotice(notice)]));
  const sentences = notices.map((notice) => said.get(notice)) as unknown as Structured['notices'];
  return {
    ...rest,
    ...(openDay ? { openDay } : {}),
    structured: structured.notices === undefined ? structured : { ...structured, notices: sentences },
    blocks,
    text: blocksToText(blocks, said),
    remarks: notices.map(sayToPerson),
  };
}

function noticesOf({ notices }: JsonRecord): readonly Notice[] {
  return Array.isArray(notices) ? (notices as readonly Notice[]) : [];
}

/** What an agent sees of a tool, independent of the protocol. */
export interface Description<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Declared once: annotations, read-only mode and retries follow from it. */
  readonly access: Access;
  /** It is listed only if writes may wait for a person. */
  readonly needs?: 'proposals';
  /** Schemas are made at their first use: a server answers its client before it has made those of its tools. */
  readonly input: () => Input;
  readonly output: () => z.ZodObject;
  /** Extra fields of its answer if writes may wait for a person. */
  readonly outputWithProposals?: () => z.ZodObject;
}

export interface Tool extends Description<z.ZodObject> {
  /** Checks the arguments and runs the tool. Only `callTool` may call it: it guards arguments and answers. */
  readonly call: (given: unknown, context: CallContext) => Promise<Answer>;
  /** Runs the tool on all trackers that offer it, if a call names none. Without it, the tool needs one tracker. */
  readonly callForAll?: ((given: unknown, contexts: readonly CallContext[]) => Promise<Answer>) | undefined;
  readonly asksNoTracker?: true | undefined;
}

interface Definition<Input extends z.ZodObject> extends Description<Input> {
  /** Writes are defined by their plan (`defineWritingTool`): their answer must not fail once they are sent. */
  readonly access: 'read';
  /** @param given the arguments, checked, with defaults filled in */
  readonly run: (given: Readonly<z.output<Input>>, context: CallContext) => Promise<Answer>;
  readonly runForAll?: (given: Readonly<z.output<Input>>, contexts: readonly CallContext[]) => Promise<Answer>;
  readonly asksNoTracker?: true;
}

/** What a tool does, loaded by its first call: most servers are asked for a few tools, and start earlier without the others. */
export const loadedByCall =
  <Given>(load: () => Promise<{ readonly run: (given: Given, context: CallContext) => Promise<Answer> }>) =>
  async (given: Given, context: CallContext): Promise<Answer> =>
    (await load()).run(given, context);

/** Defines a tool whose handler gets exactly the arguments that its input schema describes. */
export function defineTool<Input extends z.ZodObject>({ run, runForAll, ...defined }: Definition<Input>): Tool {
  const description = { ...defined, input: onDemand(defined.input) };
  return {
    ...description,
    call: async (given, context) => run(checkArguments(description, given), context),
    ...(runForAll && {
      callForAll: async (given, contexts) => runForAll(checkArguments(description, given), contexts),
    }),
  };
}

/** How a tracker is identified beyond one call: by its URL, and its name too if several accounts share the URL. */
export async function identityIn({
  trackerIdentity,
  client,
}: Pick<ToolContext, 'trackerIdentity' | 'client'>): Promise<string> {
  return trackerIdentity ?? (await client.url());
}
