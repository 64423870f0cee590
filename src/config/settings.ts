import * as z from 'zod';
import * as is from './values.ts';

/** What the table says of a setting beside how its text is read, and what it is for. */
interface About {
  /** What stands for the value in the help, FILE or DIR for a path; absent for a switch. */
  readonly value?: string;
  readonly hasNoFlag?: true;
  /** The variable, if it is not made from the key. */
  readonly variable?: string;
  /** The name in a configuration file, if it is not made from the variable. */
  readonly inFile?: string;
  /** The default in words, if the schema has none. */
  readonly fallback?: string;
  /** A value to begin with, for the example of a client's configuration. */
  readonly example?: string;
  /** Never shown, logged or put into an error. */
  readonly isSecret?: true;
  /** Whether it says where one tracker is or what its key is: then no two trackers share it. */
  readonly locates?: true;
  /** Whether all trackers of a server have it in common; settings of `http` are so too. */
  readonly isServers?: true;
  /** Whether more could be written without it than with it: then a blank or misspelt one stops the start. */
  readonly limitsWrites?: true;
}

const setting = <Schema extends z.ZodType>(schema: Schema, description: string, about: About = {}): Schema =>
  schema.meta({ about: { ...about, description } });

const amount = (description: string, about: About) =>
  setting(is.amount.optional(), description, { ...about, value: 'AMOUNT' });
const file = (description: string, about: About = {}) =>
  setting(is.text.optional(), description, { ...about, value: 'FILE' });
const directory = (description: string, about: About) =>
  setting(is.text.optional(), description, { ...about, value: 'DIR' });
const toggle = (description: string, about: About = {}) => setting(is.switchValue, description, about);

/** What every command takes that reaches a tracker. */
const general = {
  url: setting(is.baseUrl.optional(), 'base URL of the tracker, with its subfolder if it has one', {
    value: 'URL',
    example: 'https://tracker.example.com',
    locates: true,
  }),
  apiKey: setting(is.text.optional(), 'API key from the tracker’s general settings', {
    value: 'KEY',
    example: 'paste-the-key-here',
    isSecret: true,
    locates: true,
  }),
  apiKeyFile: file('file that holds the API key; TRACKER_API_KEY beats it', {
    hasNoFlag: true,
    inFile: 'key_file',
    locates: true,
  }),
  keyCommand: setting(
    is.program.optional(),
    'program that prints the API key, as a JSON list with its arguments; the other two beat it',
    { hasNoFlag: true, locates: true },
  ),
  sandbox: toggle('use the embedded tracker with sample data, instead of a URL', { locates: true }),
  method: setting(
    is.choice(['post', 'get']).default('post'),
    'post or get; get puts the key into URLs, for trackers that take nothing else',
    { value: 'METHOD' },
  ),
  format: setting(is.choice(['json', 'xml']).default('json'), 'json or xml, the format asked of the tracker', {
    value: 'FORMAT',
  }),
  timezone: setting(is.timeZone.optional(), 'the tracker’s own time zone, in which periods such as yesterday are cut', {
    value: 'ZONE',
    fallback: 'UTC',
  }),
  currency: setting(
    is.currency.optional(),
    'currency that the tracker counts money in, as its ISO 4217 code; without it only what the tracker writes is shown',
    { value: 'CODE' },
  ),
  timeout: setting(
    is.whole(100, 999_999, 'milliseconds').default(30_000),
    'deadline of one tool call in milliseconds, retries included',
    { value: 'MS', variable: 'TRACKER_TIMEOUT_MS' },
  ),
  readOnly: toggle('no writing tool is listed or can be called; beats every other setting', { limitsWrites: true }),
  tools: setting(is.list(is.text).optional(), 'only these tools, by comma', { value: 'LIST', limitsWrites: true }),
  allowCampaigns: setting(is.campaignIds.optional(), 'campaigns that may be changed, IDs by comma', {
    value: 'LIST',
    limitsWrites: true,
  }),
  allowPredefined: toggle(
    'with campaigns limited: predefined offers and landing pages, which other campaigns may use, can be changed too',
  ),
  allowUrlHosts: setting(
    is.listMatching('must be host names such as example.com or *.example.com', /^(\*\.)?[a-z\d.-]+$/i).optional(),
    'hosts that page and offer URLs may be set to, by comma; *.example.com is its subdomains',
    { value: 'LIST', limitsWrites: true },
  ),
  maxBid: amount('highest bid that may be set', { limitsWrites: true }),
  maxPayout: amount('highest payout that may be set', { limitsWrites: true }),
  confirm: setting(
    is.choice(['off', 'elicit', 'approve']).default('off'),
    'off, or a person must agree to each write. elicit: a client that cannot ask is refused; approve: the write waits for a person on a terminal or page',
    { value: 'HOW', limitsWrites: true },
  ),
  proposals: directory(
    'directory where writes wait for a person, shared by servers and those who approve; without it, one in the user’s state directory',
    { isServers: true },
  ),
  approvers: file(
    'file of those who may approve, which the command approver makes; without it, one in the user’s configuration directory',
    { isServers: true, limitsWrites: true },
  ),
  pastDaysDir: directory(
    'directory where figures of past days are kept for later runs, without visitors or keys; none keeps them in memory alone; without it, one in the user’s cache directory',
    { isServers: true },
  ),
  auditLog: file('file that gets two JSON lines for each write: before it is sent, and when its outcome is known', {
    limitsWrites: true,
  }),
  config: file('JSON file that names several trackers, each with its own URL, key and limits; docs/config-file.md'),
};

/** What the command `http` takes besides. */
const ofServing = {
  host: setting(is.text.default('127.0.0.1'), 'address to serve on; one that others reach needs tokens or OAuth', {
    value: 'HOST',
  }),
  port: setting(is.port.default(3333), 'port to serve on; 0 is any free one', { value: 'PORT' }),
  allowHosts: setting(
    is.listMatching('must be host names such as mcp.example.com', /^[a-z\d.-]+$|^\[[\da-f:]+\]$/i).optional(),
    'names under which the server is reached, by comma, beside this machine’s own',
    { value: 'LIST' },
  ),
  allowOrigins: setting(
    is.origins.optional(),
    'origins whose web pages may call, by comma, such as https://app.example.com',
    { value: 'LIST' },
  ),
  tokens: file('file of the bearer tokens that are taken; the command token makes them'),
  oauthIssuer: setting(
    is.webUrl('must be a URL').optional(),
    'authorization server whose access tokens are taken, instead of a file',
    { value: 'URL' },
  ),
  oauthAudience: setting(
    is.webUrl('must be the URL of this server').optional(),
    'URL of this server as clients know it, /mcp included, for which access tokens must be made out',
    { value: 'URL' },
  ),
  rateLimit: setting(
    is.whole(1, 999_999, 'requests a minute').optional(),
    'requests a minute that each token may make, over all servers that share a Redis',
    { value: 'NUMBER' },
  ),
  redis: setting(
    is.redisUrls.optional(),
    'Redis or Valkey that several servers share, redis:// or rediss://; nodes of a cluster by comma; a password makes it a secret',
    { value: 'URL', isSecret: true },
  ),
  drain: setting(is.whole(0, 9999, 'seconds').default(30), 'how long calls under way may take once SIGTERM came', {
    value: 'SECONDS',
  }),
  metricsPort: setting(is.port.optional(), 'port to serve /metrics on by itself; without it, /metrics is beside /mcp', {
    value: 'PORT',
  }),
  logFormat: setting(
    is.choice(['text', 'json']).default('text'),
    'of the log on stderr: text, or json, an object a line, with calls and sign-ins too',
    { value: 'FORMAT' },
  ),
  sessions: toggle('keep a session for each client of the older protocol, which can then be asked for a yes'),
};

/**
 * The configuration: one table for flags, variables and the file. `--help`, the tables in docs, mcp.json.example and the published
 * schema are made from it. The key `maxBid` makes the flag `--max-bid`, the variable TRACKER_MAX_BID and `max_bid` in a file.
 */
export const schema = z.object({ ...general, ...ofServing });

export type Settings = z.infer<typeof schema>;

/** A row of the table, with what is made from its key and its schema. */
export type Setting = (typeof settings)[number];

export const settings = Object.entries(schema.shape).map(([key, field]) => {
  const { about } = field.meta() as { about: About & { readonly description: string } };
  const words = key.replace(/[A-Z]/g, ' $&').toLowerCase().split(' ');
  const command = key in ofServing ? 'http' : undefined;
  const ownName = `${command ? 'mcp_' : ''}${words.join('_')}`;
  const variable = about.variable ?? `TRACKER_${ownName.toUpperCase()}`;
  const byDefault = field.safeParse(undefined).data;
  const kind = is.bare(field);
  return {
    key: key as keyof Settings,
    /** Text, and empty if there is no default. */
    fallback: byDefault ? String(byDefault) : '',
    inFile: variable.replace('TRACKER_', '').toLowerCase(),
    ...about,
    /** The one command that takes it; undefined if every command that reaches a tracker does. */
    command,
    flag: about.hasNoFlag ? undefined : `--${words.join('-')}`,
    variable,
    /** A server that is started in another folder has to find the file, too. */
    isPath: about.value === 'FILE' || about.value === 'DIR',
    /** What it may be, as JSON. */
    schema: field as z.ZodType,
    /** The few words that it may be, in lower case; none if it may be more than that. */
    choices: kind instanceof z.ZodEnum ? kind.options.map(String) : [],
  };
});
