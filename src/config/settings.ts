import * as z from 'zod';
import {
  amount,
  bare,
  baseUrl,
  campaignIds,
  choice,
  currency,
  list,
  listMatching,
  origins,
  program,
  redisUrls,
  switchValue,
  text,
  timeZone,
  whole,
} from './values.ts';

/** What the table says of a setting beside how its text is read. */
interface About {
  readonly description: string;
  /** What stands for the value in the help; absent for a switch. */
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
  /** Whether it names a file, which a server that is started in another folder has to find too. */
  readonly isPath?: true;
  /** Whether it says where one tracker is or what its key is: then no two trackers share it. */
  readonly locates?: true;
  /** Whether all trackers of a server have it in common; settings of one command are so too. */
  readonly isServers?: true;
  /** The one command that takes it; absent if every command that reaches a tracker does. */
  readonly command?: 'http';
  /** Whether more could be written without it than with it: then a blank or misspelt one stops the start. */
  readonly limitsWrites?: true;
}

/**
 * The configuration: one table for flags, variables and the file. `--help`, the tables in docs, mcp.json.example and the published
 * schema are made from it. The key `maxBid` makes the flag `--max-bid`, the variable TRACKER_MAX_BID and `max_bid` in a file.
 */
export interface Setting extends About {
  readonly key: keyof Settings;
  readonly flag?: string;
  readonly variable: string;
  readonly inFile: string;
  /** The default as text; empty if there is none. */
  readonly fallback: string;
  /** What it may be, as JSON. */
  readonly schema: z.ZodType;
  /** The few words that it may be, in lower case; none if it may be more than that. */
  readonly choices: readonly string[];
}

const setting = <Schema extends z.ZodType>(schema: Schema, about: About): Schema => schema.meta({ about });

const serving = <Schema extends z.ZodType>(schema: Schema, about: About): Schema =>
  setting(schema, { ...about, command: 'http' });

const port = whole(0, 65_535, 'a port');

/** Every setting by its key. */
export const schema = z.object({
  url: setting(baseUrl.optional(), {
    value: 'URL',
    description: 'base URL of the tracker, with its subfolder if it has one',
    example: 'https://tracker.example.com',
    locates: true,
  }),
  apiKey: setting(text.optional(), {
    value: 'KEY',
    description: 'API key from the tracker’s general settings',
    example: 'paste-the-key-here',
    isSecret: true,
    locates: true,
  }),
  apiKeyFile: setting(text.optional(), {
    value: 'FILE',
    hasNoFlag: true,
    description: 'file that holds the API key; TRACKER_API_KEY beats it',
    isPath: true,
    inFile: 'key_file',
    locates: true,
  }),
  keyCommand: setting(program.optional(), {
    hasNoFlag: true,
    description: 'program that prints the API key, as a JSON list with its arguments; the other two beat it',
    locates: true,
  }),
  sandbox: setting(switchValue, {
    description: 'use the embedded tracker with sample data, instead of a URL',
    locates: true,
  }),
  method: setting(choice(['post', 'get']).default('post'), {
    value: 'METHOD',
    description: 'post or get; get puts the key into URLs, for trackers that take nothing else',
  }),
  format: setting(choice(['json', 'xml']).default('json'), {
    value: 'FORMAT',
    description: 'json or xml, the format asked of the tracker',
  }),
  timezone: setting(timeZone.optional(), {
    value: 'ZONE',
    description: 'the tracker’s own time zone, in which periods such as yesterday are cut',
    fallback: 'UTC',
  }),
  currency: setting(currency.optional(), {
    value: 'CODE',
    description:
      'currency that the tracker counts money in, as its ISO 4217 code; without it only what the tracker writes is shown',
  }),
  timeout: setting(whole(100, 999_999, 'milliseconds').default(30_000), {
    value: 'MS',
    variable: 'TRACKER_TIMEOUT_MS',
    description: 'deadline of one tool call in milliseconds, retries included',
  }),
  readOnly: setting(switchValue, {
    description: 'no writing tool is listed or can be called; beats every other setting',
    limitsWrites: true,
  }),
  tools: setting(list(text).optional(), {
    value: 'LIST',
    description: 'only these tools, by comma',
    limitsWrites: true,
  }),
  allowCampaigns: setting(campaignIds.optional(), {
    value: 'LIST',
    description: 'campaigns that may be changed, IDs by comma',
    limitsWrites: true,
  }),
  allowPredefined: setting(switchValue, {
    description:
      'with campaigns limited: predefined offers and landing pages, which other campaigns may use, can be changed too',
  }),
  allowUrlHosts: setting(
    listMatching('must be host names such as example.com or *.example.com', /^(\*\.)?[a-z\d.-]+$/i).optional(),
    {
      value: 'LIST',
      description: 'hosts that page and offer URLs may be set to, by comma; *.example.com is its subdomains',
      limitsWrites: true,
    },
  ),
  maxBid: setting(amount.optional(), {
    value: 'AMOUNT',
    description: 'highest bid that may be set',
    limitsWrites: true,
  }),
  maxPayout: setting(amount.optional(), {
    value: 'AMOUNT',
    description: 'highest payout that may be set',
    limitsWrites: true,
  }),
  confirm: setting(choice(['off', 'elicit', 'approve']).default('off'), {
    value: 'HOW',
    description:
      'off, or a person must agree to each write. elicit: a client that cannot ask is refused; approve: the write waits for a person on a terminal or page',
    limitsWrites: true,
  }),
  proposals: setting(text.optional(), {
    value: 'DIR',
    description:
      'directory where writes wait for a person, shared by servers and those who approve; without it, one in the user’s state directory',
    isPath: true,
    isServers: true,
  }),
  approvers: setting(text.optional(), {
    value: 'FILE',
    description:
      'file of those who may approve, which the command approver makes; without it, one in the user’s configuration directory',
    isPath: true,
    isServers: true,
    limitsWrites: true,
  }),
  pastDaysDir: setting(text.optional(), {
    value: 'DIR',
    description:
      'directory where figures of past days are kept for later runs, without visitors or keys; none keeps them in memory alone; without it, one in the user’s cache directory',
    isPath: true,
    isServers: true,
  }),
  auditLog: setting(text.optional(), {
    value: 'FILE',
    description: 'file that gets two JSON lines for each write: before it is sent, and when its outcome is known',
    isPath: true,
    limitsWrites: true,
  }),
  config: setting(text.optional(), {
    value: 'FILE',
    description: 'JSON file that names several trackers, each with its own URL, key and limits; docs/config-file.md',
    isPath: true,
  }),
  host: serving(text.default('127.0.0.1'), {
    value: 'HOST',
    description: 'address to serve on; one that others reach needs tokens or OAuth',
  }),
  port: serving(port.default(3333), { value: 'PORT', description: 'port to serve on; 0 is any free one' }),
  allowHosts: serving(
    listMatching('must be host names such as mcp.example.com', /^[a-z\d.-]+$|^\[[\da-f:]+\]$/i).optional(),
    { value: 'LIST', description: 'names under which the server is reached, by comma, beside this machine’s own' },
  ),
  allowOrigins: serving(origins.optional(), {
    value: 'LIST',
    description: 'origins whose web pages may call, by comma, such as https://app.example.com',
  }),
  tokens: serving(text.optional(), {
    value: 'FILE',
    description: 'file of the bearer tokens that are taken; the command token makes them',
    isPath: true,
  }),
  oauthIssuer: serving(z.url({ protocol: /^https?$/, error: 'must be a URL' }).optional(), {
    value: 'URL',
    description: 'authorization server whose access tokens are taken, instead of a file',
  }),
  oauthAudience: serving(z.url({ protocol: /^https?$/, error: 'must be the URL of this server' }).optional(), {
    value: 'URL',
    description: 'URL of this server as clients know it, /mcp included, for which access tokens must be made out',
  }),
  rateLimit: serving(whole(1, 999_999, 'requests a minute').optional(), {
    value: 'NUMBER',
    description: 'requests a minute that each token may make, over all servers that share a Redis',
  }),
  redis: serving(redisUrls.optional(), {
    value: 'URL',
    description:
      'Redis or Valkey that several servers share, redis:// or rediss://; nodes of a cluster by comma; a password makes it a secret',
    isSecret: true,
  }),
  drain: serving(whole(0, 9999, 'seconds').default(30), {
    value: 'SECONDS',
    description: 'how long calls under way may take once SIGTERM came',
  }),
  metricsPort: serving(port.optional(), {
    value: 'PORT',
    description: 'port to serve /metrics on by itself; without it, /metrics is beside /mcp',
  }),
  logFormat: serving(choice(['text', 'json']).default('text'), {
    value: 'FORMAT',
    description: 'of the log on stderr: text, or json, an object a line, with calls and sign-ins too',
  }),
  sessions: serving(switchValue, {
    description: 'keep a session for each client of the older protocol, which can then be asked for a yes',
  }),
});

/** What is set, by setting key. */
export type Settings = z.infer<typeof schema>;

/** Every setting, in the order of the help. */
export const settings: readonly Setting[] = Object.entries(schema.shape).map(([key, field]) => {
  const row = field.meta()?.['about'] as About;
  const { hasNoFlag, ...about } = row;
  const words = key.replace(/[A-Z]/g, ' $&').toLowerCase().split(' ');
  const ownName = `${about.command ? 'mcp_' : ''}${words.join('_')}`;
  const variable = about.variable ?? `TRACKER_${ownName.toUpperCase()}`;
  const byDefault = field.safeParse(undefined).data;
  const kind = bare(field);
  return {
    inFile: variable.replace('TRACKER_', '').toLowerCase(),
    fallback: byDefault ? String(byDefault) : '',
    ...about,
    ...(hasNoFlag ? {} : { flag: `--${words.join('-')}` }),
    variable,
    schema: field,
    choices: kind instanceof z.ZodEnum ? kind.options.map(String) : [],
    key: key as keyof Settings,
  };
});

/** The table's row of a setting. */
export function settingOf(key: keyof Settings): Setting {
  const found = settings.find((one) => one.key === key);
  if (!found) throw new TypeError(`no setting ${key}`);
  return found;
}
