import * as z from 'zod';
import { isTimeZone } from '../api/parameters.ts';
import { parseJson } from '../api/text/json.ts';
import { type JsonForm, jsonFormOf, writtenAs } from './json-form.ts';

/**
 * The configuration: one schema over flags, environment and defaults. `--help`, the README's table and mcp.json.example
 * are made from it.
 */
export interface Setting {
  /** The command line's name of it; absent where it has none. */
  readonly flag?: string;
  /** What stands for the value in the help; absent for a switch. */
  readonly value?: string;
  readonly variable: string;
  readonly description: string;
  /** The default in words, where the schema cannot tell it. */
  readonly fallback?: string;
  /** A value to begin with, for the example of a client's configuration. */
  readonly example?: string;
  /** Never shown, logged or put into an error. */
  readonly isSecret?: true;
  /** Whether it names a file, which a server that is started in another folder has to find too. */
  readonly isPath?: true;
  /** What a configuration file calls it, where that is not its variable without TRACKER_, in lower case. */
  readonly inFile?: string;
  /** Whether it says where one tracker is or what its key is: then no two trackers share it. */
  readonly locates?: true;
  /** Whether all trackers of a server have it in common; what belongs to a command of its own is so too. */
  readonly isServers?: true;
  /** The one command that takes it; absent where every command that reaches a tracker does. */
  readonly command?: 'http';
  /** Whether more could be written without it than with it: then a blank or misspelt one stops the start. */
  readonly limitsWrites?: true;
}

function setting<Schema extends z.ZodType>(schema: Schema, about: Setting): Schema {
  return schema.meta({ setting: about });
}

const booleans: Readonly<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false };
const switchSchema = writtenAs(
  z
    .string()
    .refine((text) => text.toLowerCase() in booleans, 'must be 1/0 or true/false')
    .transform((text) => booleans[text.toLowerCase()] ?? false),
  { type: 'boolean' },
);

const choice = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  writtenAs(z.string().toLowerCase().pipe(z.enum(values)), { type: 'string', enum: values });

const notPort = 'must be a port, from 0 to 65535';
const isPort = (text: string) => /^\d{1,5}$/.test(text) && Number(text) < 65_536;

const amount = writtenAs(
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,6})?$/, 'must be an amount such as 0.50')
    .transform(Number),
  { type: 'number', minimum: 0 },
);

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** A list by comma; an empty one would allow nothing, which nobody means. */
const list = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  writtenAs(
    z
      .string()
      .transform((text) =>
        text
          .split(',')
          .map((part) => part.trim())
          .filter(Boolean),
      )
      .pipe(z.array(item).min(1, 'must not be empty')),
    { type: 'array', items: jsonFormOf(item), minItems: 1 },
  );

const campaignId = writtenAs(
  z
    .string()
    .regex(/^[1-9]\d*$/, 'must be campaign IDs')
    .transform(Number),
  { type: 'integer', minimum: 1 },
);

/** A program and its arguments: no shell reads them, so they need no quoting. */
const program = writtenAs(
  z.string().transform((text, context): readonly string[] => {
    const words = parseJson(text);
    if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string')) return words;
    context.addIssue({
      code: 'custom',
      message: 'must be a JSON list of a program and its arguments, such as ["pass", "show", "tracker"]',
    });
    return z.NEVER;
  }),
  { type: 'array', items: { type: 'string' }, minItems: 1, isJsonText: true },
);

/** Scheme, host and port of web pages; one that names more or less would never match. */
const origin = z
  .string()
  .refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    'must be origins such as https://app.example.com',
  );

const redisUrl = z
  .string()
  .refine((text) => /^rediss?:\/\/./.test(text) && URL.canParse(text), 'must be URLs such as redis://127.0.0.1:6379');

const areOfOneKind = (urls: readonly string[]) => new Set(urls.map((url) => url.split(':')[0])).size <= 1;

/** Every setting as the text that a flag or a variable gives it. */
export const schema = z.object({
  url: setting(z.string().transform(readBaseUrl).optional(), {
    flag: '--url',
    value: 'URL',
    variable: 'TRACKER_URL',
    description: 'base URL of the tracker, with its subfolder where it has one',
    example: 'https://tracker.example.com',
    locates: true,
  }),
  apiKey: setting(z.string().optional(), {
    flag: '--api-key',
    value: 'KEY',
    variable: 'TRACKER_API_KEY',
    description: 'API key from the tracker’s general settings',
    example: 'paste-the-key-here',
    isSecret: true,
    locates: true,
  }),
  apiKeyFile: setting(z.string().optional(), {
    value: 'FILE',
    variable: 'TRACKER_API_KEY_FILE',
    description: 'file that holds the API key; TRACKER_API_KEY beats it',
    isPath: true,
    inFile: 'key_file',
    locates: true,
  }),
  keyCommand: setting(program.optional(), {
    variable: 'TRACKER_KEY_COMMAND',
    description: 'program that prints the API key, as a JSON list with its arguments; the other two beat it',
    locates: true,
  }),
  sandbox: setting(switchSchema.default(false), {
    flag: '--sandbox',
    variable: 'TRACKER_SANDBOX',
    description: 'use the embedded tracker with sample data, instead of a URL',
    locates: true,
  }),
  method: setting(choice(['post', 'get']).default('post'), {
    flag: '--method',
    value: 'METHOD',
    variable: 'TRACKER_METHOD',
    description: 'post or get; get puts the key into URLs, for trackers that take nothing else',
  }),
  format: setting(choice(['json', 'xml']).default('json'), {
    flag: '--format',
    value: 'FORMAT',
    variable: 'TRACKER_FORMAT',
    description: 'json or xml, the format asked of the tracker',
  }),
  timezone: setting(z.string().refine(isTimeZone, 'must be a named time zone such as Europe/Berlin').optional(), {
    flag: '--timezone',
    value: 'ZONE',
    variable: 'TRACKER_TIMEZONE',
    description: 'the tracker’s own time zone, in which periods such as yesterday are cut',
    fallback: 'UTC',
  }),
  currency: setting(
    z
      .string()
      .toUpperCase()
      .refine((code) => currencies.has(code), 'must be the ISO 4217 code of a currency, such as USD or EUR')
      .optional(),
    {
      flag: '--currency',
      value: 'CODE',
      variable: 'TRACKER_CURRENCY',
      description:
        'currency that the tracker counts money in, as its ISO 4217 code; without it only what the tracker writes is shown',
    },
  ),
  timeout: setting(
    writtenAs(
      z
        .string()
        .regex(/^[1-9]\d{2,5}$/, 'must be milliseconds, from 100 to 999999')
        .default('30000')
        .transform(Number),
      { type: 'integer', minimum: 100, maximum: 999_999 },
    ),
    {
      flag: '--timeout',
      value: 'MS',
      variable: 'TRACKER_TIMEOUT_MS',
      description: 'deadline of one tool call in milliseconds, retries included',
    },
  ),
  readOnly: setting(switchSchema.default(false), {
    flag: '--read-only',
    variable: 'TRACKER_READ_ONLY',
    description: 'no writing tool is listed or can be called; beats every other setting',
    limitsWrites: true,
  }),
  tools: setting(list(z.string()).optional(), {
    flag: '--tools',
    value: 'LIST',
    variable: 'TRACKER_TOOLS',
    description: 'only these tools, by comma',
    limitsWrites: true,
  }),
  allowCampaigns: setting(list(campaignId).optional(), {
    flag: '--allow-campaigns',
    value: 'LIST',
    variable: 'TRACKER_ALLOW_CAMPAIGNS',
    description: 'campaigns that may be changed, IDs by comma',
    limitsWrites: true,
  }),
  allowPredefined: setting(switchSchema.default(false), {
    flag: '--allow-predefined',
    variable: 'TRACKER_ALLOW_PREDEFINED',
    description:
      'with campaigns limited: predefined offers and landing pages, which other campaigns may use, can be changed too',
  }),
  allowUrlHosts: setting(
    list(
      z.string().regex(/^(\*\.)?[a-z\d.-]+$/i, 'must be host names such as example.com or *.example.com'),
    ).optional(),
    {
      flag: '--allow-url-hosts',
      value: 'LIST',
      variable: 'TRACKER_ALLOW_URL_HOSTS',
      description: 'hosts that page and offer URLs may be set to, by comma; *.example.com is its subdomains',
      limitsWrites: true,
    },
  ),
  maxBid: setting(amount.optional(), {
    flag: '--max-bid',
    value: 'AMOUNT',
    variable: 'TRACKER_MAX_BID',
    description: 'highest bid that may be set',
    limitsWrites: true,
  }),
  maxPayout: setting(amount.optional(), {
    flag: '--max-payout',
    value: 'AMOUNT',
    variable: 'TRACKER_MAX_PAYOUT',
    description: 'highest payout that may be set',
    limitsWrites: true,
  }),
  confirm: setting(choice(['off', 'elicit', 'approve']).default('off'), {
    flag: '--confirm',
    value: 'HOW',
    variable: 'TRACKER_CONFIRM',
    description:
      'off, or a person must agree to each write. elicit: a client that cannot ask is refused; approve: the write waits for a person on a terminal or page',
    limitsWrites: true,
  }),
  proposals: setting(z.string().optional(), {
    flag: '--proposals',
    value: 'DIR',
    variable: 'TRACKER_PROPOSALS',
    description:
      'directory where writes wait for a person, shared by servers and those who approve; without it, one in the user’s state directory',
    isPath: true,
    isServers: true,
  }),
  approvers: setting(z.string().optional(), {
    flag: '--approvers',
    value: 'FILE',
    variable: 'TRACKER_APPROVERS',
    description:
      'file of those who may approve, which the command approver makes; without it, one in the user’s configuration directory',
    isPath: true,
    isServers: true,
    limitsWrites: true,
  }),
  auditLog: setting(z.string().optional(), {
    flag: '--audit-log',
    value: 'FILE',
    variable: 'TRACKER_AUDIT_LOG',
    description: 'file that gets two JSON lines for each write: before it is sent, and when its outcome is known',
    isPath: true,
    limitsWrites: true,
  }),
  config: setting(z.string().optional(), {
    flag: '--config',
    value: 'FILE',
    variable: 'TRACKER_CONFIG',
    description: 'JSON file that names several trackers, each with its own URL, key and limits; docs/config-file.md',
    isPath: true,
  }),
  host: setting(z.string().default('127.0.0.1'), {
    flag: '--host',
    value: 'HOST',
    variable: 'TRACKER_MCP_HOST',
    description: 'address to serve on; one that others reach needs tokens or OAuth',
    command: 'http',
  }),
  port: setting(
    writtenAs(z.string().refine(isPort, notPort).default('3333').transform(Number), {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
    }),
    {
      flag: '--port',
      value: 'PORT',
      variable: 'TRACKER_MCP_PORT',
      description: 'port to serve on; 0 is any free one',
      command: 'http',
    },
  ),
  allowHosts: setting(
    list(z.string().regex(/^[a-z\d.-]+$|^\[[\da-f:]+\]$/i, 'must be host names such as mcp.example.com')).optional(),
    {
      flag: '--allow-hosts',
      value: 'LIST',
      variable: 'TRACKER_MCP_ALLOW_HOSTS',
      description: 'names under which the server is reached, by comma, beside this machine’s own',
      command: 'http',
    },
  ),
  allowOrigins: setting(list(origin).optional(), {
    flag: '--allow-origins',
    value: 'LIST',
    variable: 'TRACKER_MCP_ALLOW_ORIGINS',
    description: 'origins whose web pages may call, by comma, such as https://app.example.com',
    command: 'http',
  }),
  tokens: setting(z.string().optional(), {
    flag: '--tokens',
    value: 'FILE',
    variable: 'TRACKER_MCP_TOKENS',
    description: 'file of the bearer tokens that are taken; the command token makes them',
    isPath: true,
    command: 'http',
  }),
  oauthIssuer: setting(z.url({ protocol: /^https?$/, error: 'must be a URL' }).optional(), {
    flag: '--oauth-issuer',
    value: 'URL',
    variable: 'TRACKER_MCP_OAUTH_ISSUER',
    description: 'authorization server whose access tokens are taken, instead of a file',
    command: 'http',
  }),
  oauthAudience: setting(z.url({ protocol: /^https?$/, error: 'must be the URL of this server' }).optional(), {
    flag: '--oauth-audience',
    value: 'URL',
    variable: 'TRACKER_MCP_OAUTH_AUDIENCE',
    description: 'URL of this server as clients know it, /mcp included, for which access tokens must be made out',
    command: 'http',
  }),
  rateLimit: setting(
    writtenAs(
      z
        .string()
        .regex(/^[1-9]\d{0,5}$/, 'must be requests a minute, from 1 to 999999')
        .transform(Number)
        .optional(),
      { type: 'integer', minimum: 1, maximum: 999_999 },
    ),
    {
      flag: '--rate-limit',
      value: 'NUMBER',
      variable: 'TRACKER_MCP_RATE_LIMIT',
      description: 'requests a minute that each token may make, over all servers that share a Redis',
      command: 'http',
    },
  ),
  redis: setting(list(redisUrl).refine(areOfOneKind, 'must be all redis:// or all rediss://').optional(), {
    flag: '--redis',
    value: 'URL',
    variable: 'TRACKER_MCP_REDIS',
    description:
      'Redis or Valkey that several servers share, redis:// or rediss://; nodes of a cluster by comma; a password makes it a secret',
    isSecret: true,
    command: 'http',
  }),
  drain: setting(
    writtenAs(
      z
        .string()
        .regex(/^\d{1,4}$/, 'must be seconds, from 0 to 9999')
        .default('30')
        .transform(Number),
      { type: 'integer', minimum: 0, maximum: 9999 },
    ),
    {
      flag: '--drain',
      value: 'SECONDS',
      variable: 'TRACKER_MCP_DRAIN',
      description: 'how long calls under way may take once SIGTERM came',
      command: 'http',
    },
  ),
  metricsPort: setting(
    writtenAs(z.string().refine(isPort, notPort).transform(Number).optional(), {
      type: 'integer',
      minimum: 0,
      maximum: 65_535,
    }),
    {
      flag: '--metrics-port',
      value: 'PORT',
      variable: 'TRACKER_MCP_METRICS_PORT',
      description: 'port to serve /metrics on by itself; without it, /metrics is beside /mcp',
      command: 'http',
    },
  ),
  logFormat: setting(choice(['text', 'json']).default('text'), {
    flag: '--log-format',
    value: 'FORMAT',
    variable: 'TRACKER_MCP_LOG_FORMAT',
    description: 'of the log on stderr: text, or json, an object a line, with calls and sign-ins too',
    command: 'http',
  }),
  sessions: setting(switchSchema.default(false), {
    flag: '--sessions',
    variable: 'TRACKER_MCP_SESSIONS',
    description: 'keep a session for each client of the older protocol, which can then be asked for a yes',
    command: 'http',
  }),
});

/** What is set, by setting key. */
export type Settings = z.infer<typeof schema>;

/** Every setting by its key, in the order of the help, with its default as text and its form in a configuration file. */
export const settings: readonly (Setting & {
  readonly key: keyof Settings;
  readonly fallback: string;
  readonly inFile: string;
  readonly form: JsonForm;
})[] = Object.entries(schema.shape).map(([key, field]) => {
  const about = field.meta()?.['setting'] as Setting;
  return {
    fallback: defaultOf(field),
    inFile: about.variable.replace('TRACKER_', '').toLowerCase(),
    ...about,
    form: jsonFormOf(field),
    key: key as keyof Settings,
  };
});

function defaultOf(field: z.ZodType): string {
  const parsed = field.safeParse(undefined);
  return parsed.success && parsed.data !== undefined && parsed.data !== false ? String(parsed.data) : '';
}

/**
 * The few words that a setting may be, in lower case; none where it may be more than that. A choice names them where it
 * refuses another.
 */
export function choicesOf(key: keyof Settings): readonly string[] {
  const [issue] = schema.shape[key].safeParse('').error?.issues ?? [];
  return issue?.code === 'invalid_value' ? issue.values.map(String) : [];
}

/** Whether a setting is set to the same by two texts, however each is written. */
export function saysTheSame(key: keyof Settings, one: string, other: string): boolean {
  const [read, counterpart] = [one, other].map((text) => schema.shape[key].safeParse(text).data);
  return JSON.stringify(read) === JSON.stringify(counterpart);
}

function readBaseUrl(text: string, context: z.RefinementCtx): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const problem =
    !url || !/^https?:$/.test(url.protocol)
      ? 'must be a URL that starts with http:// or https://'
      : url.search || url.hash
        ? 'must end with the path: no ? and no #'
        : url.username || url.password
          ? 'must hold no user name or password'
          : undefined;
  if (problem) context.addIssue({ code: 'custom', message: problem });
  return url ? url.origin + url.pathname.replace(/\/+$/, '') : '';
}
