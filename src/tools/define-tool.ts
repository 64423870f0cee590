import type { z } from 'zod';
import type { Access } from '../api/endpoints.ts';
import type { TrackerClient } from '../client/tracker-client.ts';
import type { Ask, Guard } from '../guard/guard.ts';
import type { RecentTables } from './recent-tables.ts';

/** Arguments of a tool after its input schema has checked them. */
export type Arguments = Readonly<Record<string, unknown>>;

/** What a tool works with; the same for every call of a server. */
export interface ToolContext {
  readonly client: TrackerClient;
  readonly guard: Guard;
  /** The tables that answers brought, for queries over them; absent where no later call could query them. */
  readonly recentTables?: RecentTables | undefined;
  /** The zone that periods such as "yesterday" are cut in, where the call names none. */
  readonly timeZone: string;
  readonly now: () => Date;
}

/** What belongs to one call. */
export interface CallContext extends ToolContext {
  /** What the caller's program is called. */
  readonly caller: string;
  /** Asks the person behind the caller. */
  readonly ask: Ask;
  /** Fires when the caller has no more use for the answer. */
  readonly signal?: AbortSignal | undefined;
  /** Told of a long download as it goes: bytes so far, and in all where that is known. */
  readonly onProgress?: ((received: number, total: number | undefined) => void) | undefined;
}

/** What a tool gives back: the whole answer as data, and the same in less as text. */
export interface ToolResult {
  readonly structured: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A tool as an agent sees it, and what it does. It knows no protocol. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Declared once: annotations, read-only mode and retries follow from it. */
  readonly access: Access;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  /** @throws Failure that says what happened and what to do */
  readonly run: (given: Arguments, context: CallContext) => Promise<ToolResult>;
}
