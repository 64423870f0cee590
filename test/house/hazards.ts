/**
 * Mistakes that were made once and that the linter cannot find: hazards.test.ts checks every file against this table. Comments are
 * ignored, and so is quoted text unless a row includes it.
 */
export interface Hazard {
  /** The mistake, in a few words. */
  readonly name: string;
  readonly pattern: RegExp;
  /** A line that the pattern finds, which proves that it finds something. */
  readonly example: string;
  /** Path prefixes to search; by default src. */
  readonly within?: readonly string[];
  /** Also search quoted text. */
  readonly isInQuotes?: boolean;
  readonly because: string;
  readonly instead: string;
  /** Path prefixes where it is allowed, each with the reason. An entry that is no longer needed fails. */
  readonly allowed?: Readonly<Record<string, string>>;
}

const everywhere = ['src/', 'test/', 'build/'];

export const hazards: readonly Hazard[] = [
  {
    name: 'stdin and stdout outside the commands',
    pattern: /\bprocess\.std(in|out)\b/,
    example: "process.stdout.write('x')",
    because: 'stdout belongs to the protocol',
    instead: 'return what is to be printed',
    allowed: { 'src/commands/': 'they print their results', 'src/mcp/stdio.ts': 'it is the protocol over both' },
  },
  {
    name: 'text from outside in a sentence',
    pattern: /\$\{(?:shown|rawText|rawCell|cleanText)\(/,
    example: ['`The report $', '{shown(name)} is empty.`'].join(''),
    within: ['src/tools/', 'src/analysis/', 'src/client/', 'src/guard/', 'src/mcp/'],
    isInQuotes: true,
    because: 'text typed by strangers would read like text of this server',
    instead: 'quoted() or mention() of src/api/text/tracker-text.ts',
  },
  {
    name: 'text for a destination that was not written for it',
    pattern: /\bas TextFor\b/,
    example: "const text = name as TextFor<'chat'>",
    because: 'a name that a stranger typed would notify, link or run something there',
    instead: 'textFor() of src/api/text/destinations.ts',
    allowed: { 'src/api/text/destinations.ts': 'it writes them' },
  },
  {
    name: 'process.exit',
    pattern: /\bprocess\.exit(Code)?\b/,
    example: 'process.exit(1)',
    because: 'running writes would end, and their outcome would be lost',
    instead: 'throw a Failure; the command turns it into an exit code',
    allowed: { 'src/commands/': 'they own the exit code' },
  },
  {
    name: 'Math.random',
    pattern: /\bMath\.random\b/,
    example: 'Math.random() < share',
    because: 'its decisions cannot be repeated in a test, and it is not secret',
    instead: 'a Random passed as an argument, or node:crypto for anything that must not be guessed',
    allowed: { 'src/client/retry.ts': 'only spreads retries over time' },
  },
  {
    name: 'the wall clock',
    pattern: /\bDate\.now\b/,
    example: 'const end = Date.now() + 10_000',
    because: 'a clock set back by hours kept a circuit open, and a cached answer fresh, for that long',
    instead: 'performance.now() for waiting times and ages',
    allowed: {
      'src/client/retry.ts': 'Retry-After may name a moment',
      'src/redis/shared-state.ts': 'replicas share when a question ends',
      'src/mcp/open-questions.ts': 'replicas share when a question ends',
      'src/mcp/start-tracing.ts': 'spans have times of day',
      'src/mcp/http/token-file.ts': 'a token expires at a time of day',
      'src/commands/secrets.ts': 'a token expires at a time of day',
      'src/commands/review/state.ts': 'a message that waits is dropped days later, by another process',
      'src/commands/review/webhook.ts': 'the receiver of a webhook checks its time of day',
      'src/commands/sandbox/traffic.ts': 'the days that visitors fall on',
      'src/sandbox/send-visitors.ts': 'makes the visitors of two runs different',
    },
  },
  {
    name: 'AbortSignal.any and AbortSignal.timeout',
    pattern: /\bAbortSignal\.(any|timeout)\b/,
    example: 'AbortSignal.any([one, AbortSignal.timeout(5)])',
    because: 'one over the other was collected before it fired on Node 20',
    instead: 'an AbortController and setTimeout, and clear both at the end',
    allowed: {
      'src/mcp/open-questions.ts': 'its parts are held by the call and the connection, and none is a timeout',
    },
  },
  {
    name: 'z.coerce',
    pattern: /\bz\.coerce\b/,
    example: 'z.coerce.number()',
    because: 'it turns an empty text and null into 0, and "false" into true',
    instead: 'what src/api/parameters.ts makes',
  },
  {
    name: 'a local time',
    pattern: /\.[gs]et(Hours|Minutes|Day|Date|Month|FullYear)\(|\.getTimezoneOffset\(|new Date\([^()]*,/,
    example: 'new Date(2026, 0, 1)',
    because: 'days are in the time zone of the tracker, never of this machine',
    instead: 'the UTC methods on a moment of that zone, as in src/tools/period.ts',
    within: ['src/', 'test/'],
  },
  {
    name: 'a date read from free text',
    pattern: /\bnew Date\((['"`]|[a-z]\w*\))|\bnew Date\([\w.]*(text|value|cell|header)\)/i,
    example: 'new Date(text)',
    because: 'without a zone it uses that of this machine, and it accepts nearly anything as a date',
    instead: 'a pattern first, then the day with T00:00:00Z appended',
    within: ['src/api/', 'src/client/', 'src/analysis/', 'src/tools/', 'src/guard/'],
    allowed: {
      'src/tools/period.ts': 'gets a moment in milliseconds',
      'src/analysis/columns/times.ts': 'gets a moment in milliseconds',
    },
  },
  {
    name: 'text by the machine’s language',
    pattern:
      /\.toLocale\w*\(\s*\)|\.localeCompare\(\s*\w+\s*\)|new Intl\.(NumberFormat|DateTimeFormat|Collator)\(\s*\)/,
    example: 'total.toLocaleString()',
    because: 'the same answer would be different on another machine',
    instead: "name the locale: 'en-US'",
    within: ['src/', 'test/'],
    isInQuotes: true,
  },
  {
    name: 'parseInt and parseFloat',
    pattern: /\bparse(Int|Float)\(/,
    example: 'parseFloat(cell)',
    because: 'they read the start and drop the rest: 12abc becomes 12, and 1,234 becomes 1',
    instead: 'numberIn of src/analysis/columns/columns.ts, or Number() behind a pattern',
    allowed: {
      'src/client/decode/xml.ts': 'hexadecimal, behind a pattern',
    },
  },
  {
    name: 'a path from URL.pathname',
    pattern: /new URL\([^()]*(\([^()]*\)[^()]*)*\)\.pathname/,
    example: "new URL('a.ts', import.meta.url).pathname",
    because: 'spaces and letters such as ü become %20 and %C3%BC, and on Windows the path starts with a slash',
    instead: 'fileURLToPath()',
    within: everywhere,
    isInQuotes: true,
  },
  {
    name: 'waiting for the file system while serving',
    pattern: /\b(read|write|append|exists|stat|mkdir|rm|open)\w*Sync\(/,
    example: "readFileSync('a')",
    because: 'it blocks every other call',
    instead: 'node:fs/promises',
    allowed: {
      'src/commands/install/': 'is a command that serves nothing',
      'src/analysis/sql/query-process.ts': 'looks once whether there is a shell, before the first query',
    },
  },
  {
    name: 'a file opened by hand',
    pattern: /['"](node:)?fs(\/promises)?['"]/,
    example: "import { readFile } from 'node:fs/promises'",
    because:
      'a pipe or a device hangs the program, a link becomes a file, and a file that root replaces is lost to its owner',
    instead: 'src/files/',
    isInQuotes: true,
    allowed: {
      'src/files/': 'it is the one place that opens files',
      'src/mcp/views.ts': 'reads a page of this package',
      'src/commands/process.ts': 'looks for this program on the PATH, and opens nothing',
      'src/commands/install/install.ts': 'looks which programs are installed, and opens nothing',
      'src/analysis/sql/query-process.ts': 'looks whether there is a shell, and opens nothing',
    },
  },
  {
    name: 'a name of a tracker compared by hand',
    pattern: /\bplainName\b/,
    example: "plainName(column) === 'subid'",
    because: 'there is one vocabulary, and a second list would miss its additions',
    instead: 'a row of src/api/vocabulary.ts, read by nameOf, indexNamed or fieldNamed',
    allowed: {
      'src/api/': 'the vocabulary and the comparison are here',
      'src/client/decode/words.ts': 'finds some names by their end, and compares values in the same way',
      'src/client/decode/verdict.ts': 'passes field names on, and finds codes by the end of their name',
      'src/client/decode/payload.ts': 'compares a list with the noun of its endpoint',
      'src/tools/tokens.ts': 'slots and their labels are the account’s own names',
      'src/analysis/visit-dimensions.ts': 'compares the argument of a caller',
      'src/analysis/tracking/macros.ts': 'macros and names of traffic sources, which no tracker has',
      'src/analysis/reconcile/headings.ts': 'headings and statuses of networks, which no tracker has',
      'src/analysis/columns/formats.ts': 'compares arguments of the specification',
      'src/analysis/columns/amount-names.ts': 'compares a name without the currency in it',
    },
  },
  {
    name: 'a list of names in a text',
    pattern: /'[a-z\d]+( [a-z\d]+)+'\.split\(/,
    example: "new Set('subid clickid'.split(' '))",
    because: 'there is one vocabulary, and a second list would miss its additions',
    instead: 'a row of src/api/vocabulary.ts',
    isInQuotes: true,
    allowed: {
      'src/client/decode/words.ts': 'words of values, not names',
      'src/client/decode/body.ts': 'elements of HTML',
      'src/analysis/columns/columns.ts': 'words in names of text columns',
    },
  },
  {
    name: 'yes or no compared by hand',
    pattern: /\((?:0\|(?:no|false)|1\|(?:yes|true))\|/,
    example: 'if (/^(1|yes|true)$/i.test(cell)) {}',
    because: 'the words for yes and no are in one place, and a second list would miss its additions',
    instead: 'yesOrNo or activeState of src/api/yes-no.ts',
    isInQuotes: true,
    allowed: { 'src/client/decode/': 'a no next to an answer may be a code for a failure' },
  },
  {
    name: 'certificates that are not checked',
    pattern: /rejectUnauthorized:\s*false|NODE_TLS_REJECT_UNAUTHORIZED/,
    example: 'connect({ rejectUnauthorized: false })',
    because: 'the key would be sent to any server that answers',
    instead: 'NODE_EXTRA_CA_CERTS for your own certificate authority',
    within: everywhere,
    allowed: { 'src/client/probe.ts': 'only inspects the certificate, to explain what is wrong with it' },
  },
  {
    name: 'paths of one system',
    pattern: /['"`]\/(dev|tmp|proc|usr|Applications)\b/,
    example: "open('/dev/null')",
    because: 'install, build and tests run on Linux, macOS and Windows',
    instead: 'tmpdir() and join(), or a device in test/support/system.ts',
    within: ['test/', 'build/'],
    isInQuotes: true,
    allowed: {
      'build/programs.js': 'knows the paths of browsers on each system',
      'test/support/system.ts': 'names paths that only some systems have',
      'test/bench/raw-client.ts': 'works without them',
    },
  },
  {
    name: 'notices that are sentences',
    pattern: /\bnotices\??: (?:readonly )?string\[\]/,
    example: 'function tell(notices: readonly string[]) {}',
    because: 'a fact in a sentence has to be read out of it again, and nobody knows who may read it',
    instead: 'a note: its code and data, with a row in a table of words in src/answer',
    allowed: { 'src/views/': 'they get them said' },
  },
  {
    name: 'a fact read out of our own words',
    pattern:
      /\b(?:notices?|remarks?|message|happened|said|summary|what|since|effect|reason|sentences?|headline)\.(?:includes|match|startsWith|endsWith|split|search|replace|replaceAll)\(|\.(?:test|exec)\((?:notices?|remarks?|message|happened|said|summary|what|since|effect|reason|sentences?|headline)\b/,
    example: "if (!message.includes('TRACKER_')) {}",
    because: 'words change, and then the fact is lost without an error',
    instead: 'a code or a field',
    allowed: {
      'src/analysis/sql/': 'DuckDB has only messages',
      'src/sandbox/': 'DuckDB has only messages',
      'src/client/decode/messages.ts': 'a script that fails has only words',
      'src/client/explain-failure.ts': 'undici has only messages',
      'src/client/http/exchange.ts': 'undici has only messages',
      'src/commands/completion.ts': 'a shell has room for the start of a description',
      'src/redis/connection.ts': 'Redis has only messages',
    },
  },
];
