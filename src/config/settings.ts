import * as z from 'zod';
import { isTimeZone } from '../api/parameters.ts';
import { ownValue, parseJson } from '../api/text/json.ts';
import { decimalMarks } from '../api/tracker-numbers.ts';

/** What the table has for a setting in addition to its schema. */
interface About {
  readonly description: string;
  /** The placeholder for the value in the help, FILE or DIR for a path, if it is not the last word of the key. */
  readonly value?: string;
  readonly hasNoFlag?: true;
  /** The variable, if it is not made from the key. */
  readonly variable?: string;
  /** The name in a configuration file, if it is not made from the variable. */
  readonly nameInFile?: string;
  /** A sample value, for the example of a client’s configuration. */
  readonly example?: string;
  /** Never shown, logged or put into an error. */
  readonly isSecret?: true;
  /** A value of a path that is not a path. */
  readonly keyword?: string;
  /** The URL or the key of one tracker: no two trackers share it. */
  readonly locates?: true;
  /** All trackers of a server share it. The settings of `http` are shared as well. */
  readonly isPerServer?: true;
  /** Without it more could be written, so the server does not start if it is blank or misspelt. */
  readonly limitsWrites?: true;
}

type Details = Omit<About, 'description'>;

// The kinds of values. Each takes JSON, and has one error message that says what is right.

const text = z.string('must be a text');

type Words = readonly [string, ...string[]];

/** One of a few words. */
const word = <const Values extends Words>(...values: Values) => {
  const error = `must be one of ${values.join(', ')}`;
  return z.string(error).toLowerCase().pipe(z.enum(values, error));
};

/** One of a few words; the first is the default. */
const choice = <const Values extends Words>(...values: Values) => word(...values).default(values[0]);

const whole = (min: number, max: number, what: string) => {
  const error = `must be ${what}, from ${min} to ${max}`;
  return z.int(error).min(min, error).max(max, error);
};

const port = whole(0, 65_535, 'a port');

const matching = (error: string, isRight: (value: string) => boolean) =>
  z.string(error).refine(isRight, { error, abort: true });

/** A list of at least one item; in text, commas separate them. */
const list = <Item extends z.ZodType>(error: string, item: Item) => z.array(item, error).min(1, 'must not be empty');

const texts = (error = 'must be a list of texts', isRight: (value: string) => boolean = () => true) =>
  list(error, matching(error, isRight));

const hosts = (example: string, pattern: RegExp) =>
  texts(`must be host names such as ${example}`, (host) => pattern.test(host));

const idError = 'must be campaign IDs';
const campaignIds = list(idError, z.int(idError).min(1, idError));

/** A program and its arguments. No shell reads them, so they need no quotes. In text it is JSON as well. */
const programError = 'must be a JSON list of a program and its arguments, such as ["pass", "show", "tracker"]';
const program = z.array(z.string(programError), programError).min(1, programError).meta({ isJsonText: true });

const currency = matching('must be the ISO 4217 code of a currency, such as USD or EUR', (code) =>
  Intl.supportedValuesOf('currency').includes(code.toUpperCase()),
).toUpperCase();

/** Scheme, host and port: more or less would never match. */
const origins = texts(
  'must be origins such as https://app.example.com',
  (origin) => URL.canParse(origin) && new URL(origin).origin === origin,
);

const redisUrls = texts(
  'must be URLs such as redis://127.0.0.1:6379',
  (url) => /^rediss?:\/\/./.test(url) && URL.canParse(url),
).refine((urls) => new Set(urls.map((url) => url.split(':')[0])).size <= 1, 'must be all redis:// or all rediss://');

/** The URL of a tracker, without the slash at its end: calls append their path. */
const baseUrl = matching(
  'must be a URL that starts with http:// or https:// and ends with its path: no user name, no password, no ? and no #',
  (value) => {
    const { protocol, username, password, search, hash } = URL.canParse(value) ? new URL(value) : { protocol: '' };
    return /^https?:$/.test(protocol) && !username && !password && !search && !hash;
  },
).overwrite((value) => {
  const { origin, pathname } = new URL(value);
  return origin + pathname.replace(/(?<!\/)\/+$/, '');
});

const setting = <Schema extends z.ZodType>(schema: Schema, description: string, details: Details = {}): Schema =>
  schema.meta({ about: { ...details, description } });

const path = (description: string, details?: Details) =>
  setting(text.optional(), description, { value: 'FILE', ...details });
const listOf = <Item extends z.ZodType>(items: z.ZodArray<Item>, description: string, details?: Details) =>
  setting(items.optional(), description, { value: 'LIST', ...details });
const webUrl = (error: string, description: string) =>
  setting(z.url({ protocol: /^https?$/, error }).optional(), description, { value: 'URL' });
const toggle = (description: string, details?: Details) =>
  setting(z.boolean('must be true or false; as a variable 1/0 or true/false').default(false), description, details);

const maxAmount = (description: string) => {
  const error = 'must be a number, an amount such as 0.50';
  const amount = z.number(error).min(0, error).max(999_999_999, error);
  return setting(amount.optional(), description, { value: 'AMOUNT', limitsWrites: true });
};

/** The settings of every command that reaches a tracker. */
const general = {
  url: setting(baseUrl.optional(), 'base URL of the tracker, with its subfolder if it has one', {
    example: 'https://tracker.example.com',
    locates: true,
  }),
  apiKey: setting(text.optional(), 'API key from the tracker’s general settings', {
    example: 'paste-the-key-here',
    isSecret: true,
    locates: true,
  }),
  apiKeyFile: path('file that contains the API key; TRACKER_API_KEY overrides it', {
    hasNoFlag: true,
    nameInFile: 'key_file',
    locates: true,
  }),
  keyCommand: setting(
    program.optional(),
    'program that prints the API key, as a JSON list with its arguments; the other two override it',
    { hasNoFlag: true, locates: true },
  ),
  sandbox: toggle('use the embedded tracker with sample data, instead of a URL', { locates: true }),
  method: setting(
    choice('post', 'get'),
    'post or get; get puts the key into URLs, for trackers that accept nothing else',
  ),
  format: setting(choice('json', 'xml'), 'json or xml, the format requested from the tracker'),
  timezone: setting(
    matching('must be a named time zone such as Europe/Berlin', isTimeZone).optional(),
    'the tracker’s own time zone, for periods such as yesterday; where no zone is set, they are resolved in UTC, and none is ' +
      'sent unless a call names one',
    { value: 'ZONE' },
  ),
  currency: setting(
    currency.optional(),
    'currency of the tracker’s amounts, as its ISO 4217 code; without it, money is shown as the tracker writes it',
    { value: 'CODE' },
  ),
  decimal: setting(
    word(...decimalMarks).optional(),
    'point or comma, the decimal mark of the tracker’s numbers, for answers that do not show it themselves',
    { value: 'MARK' },
  ),
  timeout: setting(
    whole(100, 999_999, 'milliseconds').default(30_000),
    'deadline of a tool call in milliseconds, including retries',
    { value: 'MS', variable: 'TRACKER_TIMEOUT_MS' },
  ),
  readOnly: toggle('no writing tool is listed or can be called; overrides every other setting', { limitsWrites: true }),
  maskVisitors: toggle(
    'in every answer, IP addresses of visitors are cut to /24 or /48, and user agents to browser, system and device',
  ),
  views: setting(
    choice('on', 'off'),
    'on, or off for a host that fails to draw results as pages: then they are text and data alone',
    { value: 'HOW', isPerServer: true },
  ),
  tools: listOf(texts(), 'only these tools, separated by commas', { limitsWrites: true }),
  allowCampaigns: listOf(campaignIds, 'IDs of campaigns that may be changed, separated by commas', {
    limitsWrites: true,
  }),
  allowPredefined: toggle(
    'with limited campaigns: also allow changes to predefined offers and landing pages, which other campaigns may use',
  ),
  allowUrlHosts: listOf(
    hosts('example.com or *.example.com', /^(\*\.)?[a-z\d.-]+$/i),
    'hosts allowed in page and offer URLs, separated by commas; *.example.com means its subdomains',
    { limitsWrites: true },
  ),
  maxBid: maxAmount('maximum bid'),
  maxPayout: maxAmount('maximum payout'),
  maxChanges: setting(
    whole(1, 999_999, 'a number of requests').optional(),
    'maximum number of requests that one act, and all acts of a UTC day, may send; taking a change back does not count',
    { value: 'COUNT', limitsWrites: true },
  ),
  confirm: setting(
    choice('off', 'elicit', 'approve'),
    'off, or a person must confirm each write. elicit: the client asks, and the write is refused if it cannot; approve: the write waits for a person on a terminal or page',
    { value: 'HOW', limitsWrites: true },
  ),
  proposals: path(
    'directory for writes that wait for a person, shared by servers and approvers; by default in the user’s state directory',
    { value: 'DIR', isPerServer: true },
  ),
  approvers: path(
    'file of approvers, created by the command approver; by default in the user’s configuration directory',
    { isPerServer: true, limitsWrites: true },
  ),
  pastDaysDir: path(
    'directory where figures of past days are kept for later runs, without visitors or keys; none keeps them only in memory; by default in the user’s cache directory',
    { value: 'DIR', isPerServer: true, keyword: 'none' },
  ),
  auditLog: path(
    'file that gets two JSON lines for each write: before it is sent, and when its outcome is known; without it, changes are kept in the user’s state directory, but not over HTTP; none keeps them only in memory',
    { limitsWrites: true, keyword: 'none' },
  ),
  config: path('JSON file with several trackers, each with its own URL, key and limits; see docs/config-file.md'),
};

/** Further settings of the command `http`. */
const httpSettings = {
  host: setting(text.default('127.0.0.1'), 'address to serve on; one that others can reach needs tokens or OAuth'),
  port: setting(port.default(3333), 'port to serve on; 0 picks a free one'),
  allowHosts: listOf(
    hosts('mcp.example.com', /^[a-z\d.-]+$|^\[[\da-f:]+\]$/i),
    'host names of the server, separated by commas, in addition to those of this machine',
  ),
  allowOrigins: listOf(
    origins,
    'origins of web pages that may call, separated by commas, such as https://app.example.com',
  ),
  tokens: path('file of accepted bearer tokens, created by the command token'),
  oauthIssuer: webUrl('must be a URL', 'authorization server whose access tokens are accepted, instead of a file'),
  oauthAudience: webUrl(
    'must be the URL of this server',
    'URL of this server as clients use it, including /mcp; access tokens must be issued for it',
  ),
  rateLimit: setting(
    whole(1, 999_999, 'requests a minute').optional(),
    'requests per minute for each token, over all servers that share a Redis',
    { value: 'NUMBER' },
  ),
  redis: setting(
    redisUrls.optional(),
    'Redis or Valkey shared by several servers, redis:// or rediss://; cluster nodes separated by commas; a password makes it a secret',
    { value: 'URL', isSecret: true },
  ),
  stopDelay: setting(
    whole(0, 600, 'seconds').default(1),
    'time after SIGTERM in which requests are still accepted while /readyz returns 503, so that load balancers notice',
    { value: 'SECONDS' },
  ),
  drain: setting(whole(0, 9999, 'seconds').default(30), 'time for running calls to finish after SIGTERM', {
    value: 'SECONDS',
  }),
  metricsPort: setting(port.optional(), 'separate port for /metrics; without it, /metrics is on the same port as /mcp'),
  logFormat: setting(
    choice('text', 'json'),
    'format of the log on stderr: text, or json with one object per line, including calls and sign-ins',
  ),
  sessions: toggle('keep a session for each client of the older protocol, so that it can be asked to confirm'),
};

/**
 * The configuration: one table for flags, variables and the file. `--help`, the tables in docs, mcp.json.example and the published
 * schema are made from it. The key `maxBid` makes the flag `--max-bid`, the variable TRACKER_MAX_BID and `max_bid` in a file.
 */
export const schema = z.object({ ...general, ...httpSettings });

export type Settings = z.infer<typeof schema>;

/** A row of the table, with the names made from its key. */
export type Setting = (typeof settings)[number];

export const settings = Object.entries(schema.shape).map(([key, field]) => {
  const { about } = field.meta() as { about: About };
  const words = key.replace(/[A-Z]/g, ' $&').toLowerCase().split(' ');
  const command = key in httpSettings ? 'http' : undefined;
  const defaultName = `${command ? 'mcp_' : ''}${words.join('_')}`;
  const variable = about.variable ?? `TRACKER_${defaultName.toUpperCase()}`;
  const defaultValue = field.safeParse(undefined).data;
  const kind = bare(field);
  return {
    key: key as keyof Settings,
    /** Text, and empty if there is no default. */
    fallback: defaultValue ? String(defaultValue) : '',
    nameInFile: variable.replace('TRACKER_', '').toLowerCase(),
    ...about,
    /** Undefined for a switch. */
    value: kind instanceof z.ZodBoolean ? undefined : (about.value ?? words.at(-1)?.toUpperCase()),
    /** The one command that takes it; undefined if every command that reaches a tracker does. */
    command,
    flag: about.hasNoFlag ? undefined : `--${words.join('-')}`,
    variable,
    isPath: about.value === 'FILE' || about.value === 'DIR',
    schema: field as z.ZodType,
    /** The allowed words, in lower case; empty if the value is not one of a few words. */
    choices: kind instanceof z.ZodEnum ? kind.options.map(String) : [],
  };
});

/** A schema without its optional, default and pipe. */
function bare(field: z.core.$ZodType): z.core.$ZodType {
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault) return bare(field.unwrap());
  return field instanceof z.ZodPipe ? bare(field.out) : field;
}

const booleans: Readonly<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false };

/** Turns text into the JSON that a schema takes. Text that does not fit comes back as it is, and the schema refuses it. */
export function parseText(text: string, schema: z.core.$ZodType): unknown {
  const kind = bare(schema);
  if (kind instanceof z.ZodBoolean) return ownValue(booleans, text.toLowerCase()) ?? text;
  if (kind instanceof z.ZodNumber) return /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : text;
  if (!(kind instanceof z.ZodArray)) return text;
  if (kind.meta()?.['isJsonText']) return parseJson(text) ?? text;
  const items = text.split(',').map((item) => item.trim());
  return items.filter(Boolean).map((item) => parseText(item, kind.element));
}
