import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  type CallToolResult,
  CallToolResultSchema,
  type ClientCapabilities,
  ElicitRequestSchema,
  type ElicitResult,
  type Tool as ListedTool,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import type {
  JsonSchemaType,
  JsonSchemaValidator,
  jsonSchemaValidator as Validators,
} from '@modelcontextprotocol/sdk/validation/types.js';
import type { Transport } from '@modelcontextprotocol/server';
import { Keyring } from '../../src/client/mask-key.ts';
import { TrackerClient } from '../../src/client/tracker-client.ts';
import { Guard, type Policy } from '../../src/guard/guard.ts';
import { createServerFactory, type ServerFactory } from '../../src/mcp/server.ts';
import { allTools } from '../../src/tools/catalogue.ts';
import type { Tool, ToolContext } from '../../src/tools/define-tool.ts';
import { PastFigures } from '../../src/tools/past-figures.ts';
import { RecentTables } from '../../src/tools/recent-tables.ts';
import { Trackers } from '../../src/tools/trackers.ts';
import { closeAfterTests } from './closing.ts';

export const apiKey = 'k3y-of/the tests+&=';

export interface ConnectOptions {
  /** Base URL of the tracker; without it no tracker can be reached. */
  readonly url?: string;
  readonly apiKey?: string;
  readonly policy?: Partial<Policy>;
  readonly timeZone?: string;
  readonly now?: () => Date;
  readonly tools?: readonly Tool[];
  /** What the tools work with, in the place of what is made of the other options. */
  readonly context?: ToolContext;
  /** What the client calls itself. */
  readonly name?: string;
  readonly timeoutMs?: number;
  /** What money is in. */
  readonly currency?: string;
  /** Several trackers by name, in place of one. */
  readonly trackers?: Readonly<Record<string, ConnectOptions>>;
  /** The one of them that reads are about where a call names none. */
  readonly byDefault?: string;
  /** What the client announces, beside what follows from the other options. */
  readonly capabilities?: ClientCapabilities;
  /** Answers the question put to a person; without it the client cannot ask. */
  readonly person?: (question: string) => ElicitResult | Promise<ElicitResult>;
}

export interface Connection {
  readonly client: Client;
  readonly listed: readonly ListedTool[];
  /** What the server reported as its own defects. */
  readonly defects: readonly unknown[];
  call(name: string, given?: Readonly<Record<string, unknown>>): Promise<CallToolResult>;
  /** The data of a call that succeeds; fails with the text of one that does not. */
  data<Data = Record<string, unknown>>(name: string, given?: Readonly<Record<string, unknown>>): Promise<Data>;
  /** The text of a call that fails; fails where it succeeds. */
  refusal(name: string, given?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** The SDK's own validator, which makes the check of a schema once: to make all anew for each client took longer than most tests. */
const validator = new AjvJsonSchemaValidator();
const checks = new Map<string, JsonSchemaValidator<unknown>>();
const jsonSchemaValidator: Validators = {
  getValidator<Data>(schema: JsonSchemaType) {
    const key = JSON.stringify(schema);
    const check = checks.get(key) ?? validator.getValidator<unknown>(schema);
    checks.set(key, check);
    return check as JsonSchemaValidator<Data>;
  },
};

function openRecentTables(): RecentTables {
  const recentTables = new RecentTables();
  closeAfterTests(() => recentTables.close());
  return recentTables;
}

/** What the tools of a server work with, whose tracker client asks a tracker over HTTP. */
export function contextFor(options: ConnectOptions, keyring = new Keyring()): ToolContext {
  const { policy, timeZone = 'UTC', now = () => new Date(), timeoutMs = 10_000, currency } = options;
  const tracker = { url: options.url ?? 'http://127.0.0.1:9', apiKey: options.apiKey ?? apiKey };
  return {
    client: new TrackerClient({
      tracker,
      method: 'post',
      format: 'json',
      timeoutMs,
      observer: policy?.observer,
      keyring,
    }),
    guard: new Guard({ readOnly: false, limits: {}, confirm: false, ...policy }),
    recentTables: openRecentTables(),
    pastFigures: new PastFigures(),
    timeZone,
    currency,
    now,
  };
}

/** Trackers of one server, whose tables one query can be about. */
export function severalTrackers(trackers: NonNullable<ConnectOptions['trackers']>, byDefault?: string): Trackers {
  const keyring = new Keyring();
  const recentTables = openRecentTables();
  const named = Object.entries(trackers).map(([name, { policy, context, ...options }]) => ({
    name,
    context: {
      ...(context ?? contextFor({ ...options, policy: { tracker: name, ...policy } }, keyring)),
      recentTables,
    },
  }));
  return new Trackers(named, byDefault);
}

/** A server with this tracker alone. */
export function oneTracker(context: ToolContext): Trackers {
  return new Trackers([{ name: '', context }]);
}

/** Makes servers of this project. */
export function serversFor(options: ConnectOptions, onDefect: (error: unknown) => void): ServerFactory {
  const { tools = allTools, byDefault } = options;
  const trackers = options.trackers
    ? severalTrackers(options.trackers, byDefault)
    : oneTracker(options.context ?? contextFor(options));
  return createServerFactory({ version: '0.0.0', tools, trackers, onDefect });
}

/**
 * Links the stock client of the older protocol to a server of this project. The tools are listed first, so that the SDK holds
 * every structured result against its output schema.
 */
export async function connect(options: ConnectOptions = {}): Promise<Connection> {
  const { person } = options;
  const defects: unknown[] = [];
  const { create } = serversFor(options, (error) => defects.push(error));
  const capabilities: ClientCapabilities = { ...options.capabilities, ...(person ? { elicitation: {} } : {}) };
  const client = new Client(
    { name: options.name ?? 'test-client', version: '1.0.0' },
    { capabilities, jsonSchemaValidator },
  );
  if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message));
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([create({ era: 'legacy' }).connect(theirs as Transport), client.connect(ours)]);
  closeAfterTests(() => client.close());
  const { tools: listed } = await client.listTools();
  const call = async (name: string, given: Readonly<Record<string, unknown>> = {}): Promise<CallToolResult> =>
    CallToolResultSchema.parse(await client.callTool({ name, arguments: given }));
  return {
    client,
    listed,
    defects,
    call,
    data: async <Data>(name: string, given?: Readonly<Record<string, unknown>>) => {
      const result = await call(name, given);
      if (result.isError) throw new Error(`${name} failed: ${textOf(result)}`, { cause: defects.at(-1) });
      return result.structuredContent as Data;
    },
    refusal: async (name, given) => {
      const result = await call(name, given);
      if (!result.isError) throw new Error(`${name} succeeded: ${textOf(result)}`);
      if (result.structuredContent !== undefined) throw new Error(`${name} failed with data beside the text`);
      return textOf(result);
    },
  };
}

/** A person who answers whatever they are asked, and what they were asked. */
export function askedPerson(answer: ElicitResult = { action: 'accept', content: { agree: true } }) {
  const questions: string[] = [];
  const person = (question: string): ElicitResult => {
    questions.push(question);
    return answer;
  };
  return { questions, person };
}

/** The text of a result, which is its only content. */
export function textOf({ content }: CallToolResult): string {
  const [block] = content;
  if (content.length !== 1 || block?.type !== 'text') throw new Error(`not one text: ${JSON.stringify(content)}`);
  return block.text;
}
