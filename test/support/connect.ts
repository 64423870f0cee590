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
import { type DecimalMark, TrackerNumbers } from '../../src/api/tracker-numbers.ts';
import { Keyring } from '../../src/client/mask-key.ts';
import { TrackerClient } from '../../src/client/tracker-client.ts';
import { Guard, type Policy } from '../../src/guard/guard.ts';
import { createServerFactory, type ServerFactory } from '../../src/mcp/server.ts';
import { ToolListings } from '../../src/mcp/tools.ts';
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
  /** The context of the tools, instead of one from the other options. */
  readonly context?: ToolContext;
  /** The name of the client. */
  readonly name?: string;
  readonly timeoutMs?: number;
  /** The currency of all money. */
  readonly currency?: string;
  /** The configured decimal mark of the tracker. */
  readonly decimal?: DecimalMark;
  /** Several trackers by name, instead of one. */
  readonly trackers?: Readonly<Record<string, ConnectOptions>>;
  /** The tracker of reads that name none. */
  readonly byDefault?: string;
  /** Capabilities of the client, in addition to those from the other options. */
  readonly capabilities?: ClientCapabilities;
  /** Whether the server offers views. */
  readonly hasViews?: boolean;
  /** Answers the question put to a person; without it the client cannot ask. */
  readonly person?: (question: string) => ElicitResult | Promise<ElicitResult>;
}

export interface Connection {
  readonly client: Client;
  readonly listed: readonly ListedTool[];
  /** The defects that the server reported. */
  readonly defects: readonly unknown[];
  call(name: string, given?: Readonly<Record<string, unknown>>): Promise<CallToolResult>;
  /** Returns the data of a call; throws its text if it fails. */
  data<Data = Record<string, unknown>>(name: string, given?: Readonly<Record<string, unknown>>): Promise<Data>;
  /** Returns the text of a call that fails; throws if it succeeds. */
  refusal(name: string, given?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** The SDK's validator, which compiles each schema once: compiling all for each client took longer than most tests. */
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

/** The context of tools whose client asks a tracker over HTTP. */
export function contextFor(options: ConnectOptions, keyring = new Keyring()): ToolContext {
  const { policy, timeZone = 'UTC', now = () => new Date(), timeoutMs = 10_000, currency, decimal } = options;
  const tracker = { url: options.url ?? 'http://127.0.0.1:9', apiKey: options.apiKey ?? apiKey };
  return {
    client: new TrackerClient({
      tracker,
      method: 'post',
      format: 'json',
      timeoutMs,
      numbers: new TrackerNumbers(decimal),
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

/** The trackers of one server, with tables that one query can join. */
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

/** The only tracker of a server. */
export function oneTracker(context: ToolContext): Trackers {
  return new Trackers([{ name: '', context }]);
}

/** Kept for all servers of the same tools: making a listing took most of the time of a connection. */
const listingsOf = new WeakMap<readonly Tool[], ToolListings>();

/** Makes servers of this project. */
export function serversFor(options: ConnectOptions, onDefect: (error: unknown) => void): ServerFactory {
  const { tools = allTools, byDefault, hasViews = true } = options;
  const trackers = options.trackers
    ? severalTrackers(options.trackers, byDefault)
    : oneTracker(options.context ?? contextFor(options));
  const listings = listingsOf.get(tools) ?? new ToolListings(tools);
  listingsOf.set(tools, listings);
  return createServerFactory({ identity: { version: '0.0.0' }, tools, trackers, hasViews, onDefect, listings });
}

/**
 * Connects the stock client of the older protocol to a server of this project. It lists the tools first, so that the SDK checks
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
      if (result.structuredContent !== undefined) throw new Error(`${name} failed with data in addition to the text`);
      return textOf(result);
    },
  };
}

/** A person with one answer to all questions, and the questions. */
export function askedPerson(answer: ElicitResult = { action: 'accept', content: { agree: true } }) {
  const questions: string[] = [];
  const person = (question: string): ElicitResult => {
    questions.push(question);
    return answer;
  };
  return { questions, person };
}

/** The only content of a result, a text. */
export function textOf({ content }: CallToolResult): string {
  const [block] = content;
  if (content.length !== 1 || block?.type !== 'text') throw new Error(`not one text: ${JSON.stringify(content)}`);
  return block.text;
}
