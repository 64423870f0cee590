/**
 * The walls: who may import whom. The rooms and their floors are drawn in docs/design.md.
 *
 * A row is for the files whose path below src begins with its `files`; where several rows fit, the longest counts.
 * Importing from the same top-level room is free, but for `own`. A type, a dynamic import and a re-export are imports.
 */
export interface Wall {
  readonly files: string;
  /** The top-level rooms and files of src that may be imported. */
  readonly rooms: readonly string[];
  /** The packages that may be imported: a name covers what is inside the package; `node:*` is all of Node's modules. */
  readonly packages: readonly string[];
  /** What of the same top-level room may be imported; without it, all. */
  readonly own?: readonly string[];
  readonly because: string;
}

export const walls: readonly Wall[] = [
  {
    files: 'api/',
    rooms: [],
    packages: ['zod', 'leven', 'node:events'],
    because: 'api is the tracker’s API as data, for everybody above it',
  },
  { files: 'guard/', rooms: ['api'], packages: ['zod', 'node:*'], because: 'guard stands on api alone' },
  {
    files: 'client/',
    rooms: ['api'],
    packages: ['zod', 'node:*', 'undici', 'fast-xml-parser', 'lru-cache'],
    because: 'client stands on api alone; it meets the sandbox over HTTP',
  },
  { files: 'analysis/', rooms: ['api'], packages: ['zod'], because: 'analysis stands on api alone, and is pure' },
  {
    files: 'analysis/reconcile/',
    rooms: ['api'],
    packages: ['papaparse'],
    because: 'a statement comes as CSV of any kind; its parser is loaded when one comes',
  },
  {
    files: 'analysis/statistics/',
    rooms: ['api'],
    packages: [],
    because: 'statistics are formulas over numbers',
  },
  {
    files: 'analysis/sql',
    rooms: ['api'],
    packages: ['node:*', '@duckdb/node-api'],
    because: 'the query engine is the one part of analysis that opens something',
  },
  {
    files: 'redis/',
    rooms: ['api', 'guard', 'client'],
    packages: ['@redis/client', 'node:*'],
    because: 'redis keeps what replicas share, behind the interfaces of those who use it, who know nothing of it',
  },
  {
    files: 'tools/',
    rooms: ['api', 'guard', 'client', 'analysis'],
    packages: ['zod', 'p-map', 'lru-cache'],
    because: 'tools know no protocol and open nothing themselves',
  },
  {
    files: 'mcp/',
    rooms: ['api', 'guard', 'client', 'analysis', 'tools'],
    packages: [
      '@modelcontextprotocol',
      'hono',
      '@hono/node-server',
      'jose',
      'lru-cache',
      'prom-client',
      'zod',
      'node:*',
    ],
    because: 'mcp is the protocol, and nothing below it knows one',
  },
  {
    files: 'mcp/start-tracing.ts',
    rooms: ['api'],
    packages: ['@opentelemetry', 'node:async_hooks'],
    own: [],
    because: 'tracing watches what happens, and takes no part in it',
  },
  {
    files: 'views/',
    rooms: ['api', 'analysis', 'tools'],
    packages: ['@modelcontextprotocol'],
    because: 'views run in a browser, know the shapes that tools return, and write numbers as the terminal does',
  },
  {
    files: 'sandbox/',
    rooms: ['api'],
    packages: ['@duckdb/node-api', 'hono', '@hono/node-server', 'bowser', 'lru-cache', 'zod', 'node:*'],
    because: 'sandbox stands on api alone; it meets the client over HTTP',
  },
  {
    files: 'sandbox/rotation/',
    rooms: ['api'],
    packages: ['node:crypto'],
    own: ['sandbox/rotation/', 'sandbox/store/schema.ts'],
    because: 'which page a visitor gets is worked out without a database and without HTTP',
  },
  {
    files: 'commands/',
    rooms: [
      ...['api', 'guard', 'client', 'analysis', 'tools', 'mcp', 'sandbox', 'redis'],
      ...['config', 'config.ts', 'version.ts'],
    ],
    packages: [
      'commander',
      'fast-string-width',
      'jsonc-parser',
      '@decimalturn/toml-patch',
      'leven',
      'undici',
      'zod',
      'node:*',
    ],
    because: 'commands wire the rooms together; of packages they know those of the command line and of clients’ files',
  },
  {
    files: 'config.ts',
    rooms: ['config'],
    packages: [],
    because: 'config is read once; what it read is handed down',
  },
  {
    files: 'config/',
    rooms: ['api'],
    packages: ['zod', 'jsonc-parser', 'node:*'],
    because: 'config is what config.ts is made of: the table of settings, what reads them, and keys',
  },
  { files: 'version.ts', rooms: ['package.json'], packages: [], because: 'the version stands in package.json alone' },
  {
    files: 'main.ts',
    rooms: ['commands'],
    packages: [],
    because: 'main runs the command line, and knows nothing else',
  },
  {
    files: 'cli.ts',
    rooms: ['main.ts'],
    packages: ['node:*'],
    because: 'cli has V8 keep what it compiles, and starts the program',
  },
];

/**
 * The inner rooms and files that other top-level rooms may reach. What stands flat in a top-level room is its doorway
 * and open to all whom the walls let in; an inner room is closed unless it stands here.
 */
export interface Door {
  readonly files: string;
  /** The beginnings of the paths of those who may come in; `''` is everybody. */
  readonly from: readonly string[];
  readonly because: string;
}

export const doors: readonly Door[] = [
  { files: 'api/text/', from: [''], because: 'text is cleaned and names are compared in one way everywhere' },
  {
    files: 'analysis/columns/',
    from: ['tools/', 'commands/', 'views/'],
    because: 'tools, the terminal and the view show columns, their numbers and their totals',
  },
  {
    files: 'analysis/reconcile/',
    from: ['tools/', 'commands/'],
    because: 'the tool and the command read the statement that they are given',
  },
  { files: 'tools/reconcile/', from: ['commands/'], because: '`reconcile` shows every line, and its file is larger' },
  { files: 'analysis/statistics/', from: ['tools/'], because: 'compare_pages says what the statistics found' },
  { files: 'analysis/sql/', from: ['tools/'], because: 'query_report asks the engine, and names what can be asked' },
  {
    files: 'tools/explain/present.ts',
    from: ['commands/terminal/', 'views/'],
    because: 'the terminal and the view show what explain_change returns',
  },
  { files: 'tools/present/', from: ['commands/', 'mcp/', 'views/'], because: 'what a tool returns is shown by others' },
  {
    files: 'tools/rotation/',
    from: ['commands/terminal/'],
    because: 'the terminal shows rotations, changes and their undoing as tables',
  },
  {
    files: 'mcp/http/',
    from: ['commands/'],
    because: 'HTTP is loaded where it is served, and never by a server over stdio',
  },
];
