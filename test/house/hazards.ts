/**
 * What once went wrong and no rule of the linter stops: hazards.test.ts holds every file against this table. Comments are
 * never looked at, and quoted text only if a row says so.
 */
export interface Hazard {
  /** What stands in the code, as a reader would name it. */
  readonly name: string;
  readonly pattern: RegExp;
  /** A line that the row stops, so that a row cannot stop nothing. */
  readonly example: string;
  /** The beginnings of the paths it is looked for in; src alone without it. */
  readonly within?: readonly string[];
  /** Looked for in quoted text, too. */
  readonly isInQuotes?: boolean;
  readonly because: string;
  readonly instead: string;
  /** The beginnings of the paths that may, each with the reason; a row that nothing needs any more fails. */
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
    because: 'what strangers typed would read as the words of this server',
    instead: 'quoted() or mention() of src/api/text/tracker-text.ts',
  },
  {
    name: 'process.exit',
    pattern: /\bprocess\.exit(Code)?\b/,
    example: 'process.exit(1)',
    because: 'writes under way would end and their outcome would be lost',
    instead: 'throw a Failure; the command turns it into an exit code',
    allowed: { 'src/commands/': 'they own the exit code' },
  },
  {
    name: 'Math.random',
    pattern: /\bMath\.random\b/,
    example: 'Math.random() < share',
    because: 'what it decides cannot be repeated in a test, and it is no secret either',
    instead: 'a Random that is handed in, or node:crypto for what must not be guessed',
    allowed: { 'src/client/retry.ts': 'only spreads retries in time' },
  },
  {
    name: 'the wall clock',
    pattern: /\bDate\.now\b/,
    example: 'const end = Date.now() + 10_000',
    because: 'a clock that was set back for hours kept a circuit open, and a kept answer young, for as long',
    instead: 'performance.now() for all that waits or ages',
    allowed: {
      'src/client/retry.ts': 'Retry-After may name a moment',
      'src/redis/shared-state.ts': 'replicas share when a question ends',
      'src/mcp/open-questions.ts': 'replicas share when a question ends',
      'src/mcp/start-tracing.ts': 'spans have times of day',
      'src/mcp/http/token-file.ts': 'a token expires at a time of day',
      'src/commands/secrets.ts': 'a token expires at a time of day',
      'src/commands/review/webhook.ts': 'the receiver of a webhook checks its time of day',
      'src/commands/sandbox/traffic.ts': 'the days that visitors fall on',
      'src/sandbox/send-visitors.ts': 'tells the visitors of two runs apart',
    },
  },
  {
    name: 'AbortSignal.any and AbortSignal.timeout',
    pattern: /\bAbortSignal\.(any|timeout)\b/,
    example: 'AbortSignal.any([one, AbortSignal.timeout(5)])',
    because: 'one over the other was collected before it fired on Node 20',
    instead: 'an AbortController and setTimeout, and take both away in the end',
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
    because: 'a day is cut in the zone of the tracker, never in that of this machine',
    instead: 'the UTC methods on a moment of that zone, as in src/tools/period.ts',
    within: ['src/', 'test/'],
  },
  {
    name: 'a date read from free text',
    pattern: /\bnew Date\((['"`]|[a-z]\w*\))|\bnew Date\([\w.]*(text|value|cell|header)\)/i,
    example: 'new Date(text)',
    because: 'what has no zone is read in that of this machine, and nearly anything is read as some date',
    instead: 'a pattern first, then the day with T00:00:00Z behind it',
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
    because: 'the same answer would read otherwise on another machine',
    instead: "name the locale: 'en-US'",
    within: ['src/', 'test/'],
    isInQuotes: true,
  },
  {
    name: 'parseInt and parseFloat',
    pattern: /\bparse(Int|Float)\(/,
    example: 'parseFloat(cell)',
    because: 'they read the beginning and drop the rest: 12abc is 12, and 1,234 is 1',
    instead: 'numberIn of src/analysis/columns/columns.ts, or Number() behind a pattern',
    allowed: {
      'src/client/decode/xml.ts': 'hexadecimal, behind a pattern',
    },
  },
  {
    name: 'a path from URL.pathname',
    pattern: /new URL\([^()]*(\([^()]*\)[^()]*)*\)\.pathname/,
    example: "new URL('a.ts', import.meta.url).pathname",
    because: 'spaces and letters such as ü come out as %20 and %C3%BC, and on Windows a slash stands first',
    instead: 'fileURLToPath()',
    within: everywhere,
    isInQuotes: true,
  },
  {
    name: 'waiting for the file system while serving',
    pattern: /\b(read|write|append|exists|stat|mkdir|rm|open)\w*Sync\(/,
    example: "readFileSync('a')",
    because: 'every other call waits with it',
    instead: 'node:fs/promises',
    allowed: {
      'src/config/': 'reads keys before anything is served',
      'src/commands/install/': 'is a command that serves nothing',
      'src/analysis/sql/query-process.ts': 'looks once whether there is a shell, before the first query',
    },
  },
  {
    name: 'a name of a tracker compared by hand',
    pattern: /\bplainName\b/,
    example: "plainName(column) === 'subid'",
    because: 'how trackers call a thing stands once, and a list beside it will lack what the other learned',
    instead: 'a row of src/api/vocabulary.ts, read by nameOf, indexNamed or fieldNamed',
    allowed: {
      'src/api/': 'the vocabulary and the comparison are here',
      'src/client/decode/words.ts': 'some names mean a thing by their end, and values are compared likewise',
      'src/client/decode/verdict.ts': 'hands on how a field is called, and knows codes by their end',
      'src/client/decode/payload.ts': 'compares a list with the noun of its endpoint',
      'src/tools/tokens.ts': 'slots and their labels are the account’s own names',
      'src/analysis/visit-groups.ts': 'compares what a caller asked for',
      'src/analysis/columns/formats.ts': 'compares arguments of the specification',
    },
  },
  {
    name: 'a list of names in a text',
    pattern: /'[a-z\d]+( [a-z\d]+)+'\.split\(/,
    example: "new Set('subid clickid'.split(' '))",
    because: 'how trackers call a thing stands once, and a list beside it will lack what the other learned',
    instead: 'a row of src/api/vocabulary.ts',
    isInQuotes: true,
    allowed: {
      'src/client/decode/words.ts': 'what values say, not names',
      'src/client/decode/body.ts': 'elements of HTML',
      'src/analysis/columns/columns.ts': 'words inside of names, which say that a column holds text',
    },
  },
  {
    name: 'yes or no told by hand',
    pattern: /\((?:0\|(?:no|false)|1\|(?:yes|true))\|/,
    example: 'if (/^(1|yes|true)$/i.test(cell)) {}',
    because: 'what trackers write for yes and no stands once, and a list beside it will lack what the other learned',
    instead: 'yesOrNo or saysActive of src/api/yes-no.ts',
    isInQuotes: true,
    allowed: { 'src/client/decode/': 'a no beside an answer may be a code, and says that it failed' },
  },
  {
    name: 'certificates that are not checked',
    pattern: /rejectUnauthorized:\s*false|NODE_TLS_REJECT_UNAUTHORIZED/,
    example: 'connect({ rejectUnauthorized: false })',
    because: 'the key would go to anybody who answers',
    instead: 'NODE_EXTRA_CA_CERTS for an authority of one’s own',
    within: everywhere,
    allowed: { 'src/client/probe.ts': 'only looks at the certificate, to say what is wrong with it' },
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
      'build/programs.js': 'knows where each system keeps its browsers',
      'test/support/system.ts': 'names what only some systems have',
      'test/bench/raw-client.ts': 'does without if the system does not tell',
    },
  },
];
