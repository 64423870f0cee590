/**
 * What is known to go wrong, as a table that hazards.test.ts holds every file against. Each row was a fault once, or is a
 * trap that was measured. Comments are never looked at, and quoted text only where a row says so.
 */
export interface Hazard {
  /** What stands in the code, as a reader would name it. */
  readonly name: string;
  readonly pattern: RegExp;
  /** A line that the row stops, so that a row cannot stop nothing. */
  readonly example: string;
  /** The beginnings of the paths it is looked for in; src alone where nothing is said. */
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
    name: 'console.log and its like',
    pattern: /\bconsole\b(?!\.error\()/,
    example: 'console.log(answer)',
    because: 'stdout belongs to the protocol, and one stray line ends a session',
    instead: 'console.error in a command, or process.stdout.write where a command prints its result',
  },
  {
    name: 'console outside the commands',
    pattern: /\bconsole\b/,
    example: 'console.error(error)',
    because: 'what serves does not choose where it is told of',
    instead: 'hand in a function that is told, as `onDefect` is, or throw',
    allowed: {
      'src/commands/': 'they know their terminal',
      'src/sandbox/': 'a service of its own, whose defects go to its own stderr',
    },
  },
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
    allowed: {
      'src/mcp/completion.ts': 'a completion is a value, and no sentence',
      'src/tools/rotation/group-effect.ts': 'shows a percentage by a function of its own',
    },
  },
  {
    name: 'fetch',
    pattern: /(?<![.\w])fetch\(|globalThis\.fetch\b/,
    example: 'await fetch(url)',
    because: 'it follows redirects with the key in hand, has no bound on what it reads, and knows no proxy',
    instead: 'src/client/http/exchange.ts for a tracker; the route of the embedded tracker for itself',
    allowed: {
      'src/mcp/http/access/oauth.ts':
        'it asks an authorization server that the configuration names, without a key, and refuses redirects',
    },
  },
  {
    name: 'process.env',
    pattern: /\bprocess\.env\b/,
    example: "process.env['TRACKER_URL']",
    because: 'a setting that is read on the way has no flag, no default, no help and no row in the README',
    instead: 'a setting in src/config/settings.ts, handed down',
    allowed: {
      'src/commands/': 'they hand the environment to src/config.ts',
      'src/client/http/connections.ts': 'proxies are set by the system’s variables, not by ours',
      'src/analysis/sql/query-process.ts': 'Windows starts no process without its SystemRoot',
      'src/client/probe.ts': 'check says whether a proxy of the system’s variables is in the way',
    },
  },
  {
    name: 'process.exit',
    pattern: /\bprocess\.exit(Code)?\b/,
    example: 'process.exit(1)',
    because: 'writes under way would end with nobody told of their outcome',
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
    name: 'AbortSignal.any and AbortSignal.timeout',
    pattern: /\bAbortSignal\.(any|timeout)\b/,
    example: 'AbortSignal.any([one, AbortSignal.timeout(5)])',
    because: 'one over the other was collected before it fired on Node 20',
    instead: 'an AbortController and setTimeout, and take both away in the end',
    allowed: { 'src/mcp/ask-person.ts': 'its parts are held by the call and the connection, and none is a timeout' },
  },
  {
    name: 'z.coerce',
    pattern: /\bz\.coerce\b/,
    example: 'z.coerce.number()',
    because: 'it turns an empty text and null into 0, and "false" into true',
    instead: 'what src/api/parameters.ts makes',
  },
  {
    name: 'z.iso',
    pattern: /\bz\.iso\b/,
    example: 'z.iso.date()',
    because: 'it puts 200 characters of pattern into every listing',
    instead: 'the day of src/api/parameters.ts',
  },
  {
    name: 'z.date, z.map, z.set, z.bigint',
    pattern: /\bz\.(date|map|set|bigint|symbol)\(/,
    example: 'z.date()',
    because: 'one schema that has no JSON Schema makes the whole tools/list fail',
    instead: 'text or a number, and a refinement',
  },
  {
    name: 'positive() and its like',
    pattern: /\.(positive|negative|gt|lt)\(/,
    example: 'z.number().positive()',
    because: 'they print exclusiveMinimum, which some clients refuse',
    instead: '.min() and .max()',
    within: ['src/api/', 'src/tools/'],
  },
  {
    name: 'an integer without bounds',
    pattern: /\bint\(\)(?!\s*\.min\()/,
    example: 'z.int()',
    because: 'it prints 9007199254740991 into every listing',
    instead: '.int().min().max()',
    within: ['src/api/', 'src/tools/'],
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
    allowed: { 'src/tools/period.ts': 'gets a moment in milliseconds' },
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
    instead: 'numberIn of src/analysis/columns/loose-numbers.ts, or Number() behind a pattern',
    allowed: {
      'src/client/decode/read/xml.ts': 'hexadecimal, behind a pattern',
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
      'src/analysis/sql/query-process.ts': 'looks once whether there is a shell, before the first query',
    },
  },
  {
    name: 'starting processes',
    pattern: /'node:(child_process|cluster)'/,
    example: "import { spawn } from 'node:child_process';",
    because: 'what an agent says must not come near a command line',
    instead: 'a library; a process of our own is allowed here, with the reason',
    allowed: {
      'src/analysis/sql/query-process.ts':
        'queries run in a process of ours, which gets no word of theirs on its command line',
      'src/config/read-key.ts': 'runs the program that the configuration names, before anything is served',
    },
  },
  {
    name: 'a shell',
    pattern: /\bshell:\s*true\b|\bexec(Sync)?\(\s*[`'"]/,
    example: "exec('ls')",
    because: 'it is another one on each system, and reads what it gets as code',
    instead: 'execFile or spawn of process.execPath, with a list of arguments',
    within: everywhere,
    isInQuotes: true,
  },
  {
    name: 'code from text',
    pattern: /(?<![.\w])eval\(|\bnew Function\(|\bnode:vm\b/,
    example: "new Function('return 1')",
    because: 'strangers type what passes through here',
    instead: 'a table of functions',
    within: ['src/', 'build/'],
  },
  {
    name: 'markup from text',
    pattern: /\b(inner|outer)HTML\b|\binsertAdjacentHTML\b|\bdocument\.write\b/,
    example: 'row.innerHTML = keyword',
    because: 'keywords and referrers are typed by strangers',
    instead: 'textContent, and element() of src/views/element.ts',
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
      'src/client/decode/envelope.ts': 'hands on how a field is called, and knows codes by their end',
      'src/client/decode/shapes/find-payload.ts': 'compares a list with the noun of its endpoint',
      'src/analysis/token-labels.ts': 'slots and their labels are the account’s own names',
      'src/tools/tokens/': 'slots and their labels are the account’s own names',
      'src/tools/present/labelled.ts': 'slots and their labels are the account’s own names',
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
      'src/client/decode/read/body.ts': 'elements of HTML',
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
    because: 'the key would go to whoever answers',
    instead: 'NODE_EXTRA_CA_CERTS for an authority of one’s own',
    within: everywhere,
    allowed: { 'src/client/probe.ts': 'only looks at the certificate, to say what is wrong with it' },
  },
  {
    name: 'a test that does not run',
    pattern: /\b(test|it|describe|suite)\.(only|skip|skipIf|runIf|todo|fails)\b/,
    example: "test.skip('some', () => {})",
    because: 'a check that does not run is none',
    instead: 'mend it or delete it; what only some systems can do comes from test/support/system.ts as a list',
    within: ['test/'],
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
      'test/bench/raw-client.ts': 'does without where the system does not tell',
    },
  },
];
