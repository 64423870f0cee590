/**
 * The walls: which room may import which. docs/design.md has a picture of the rooms.
 *
 * A row applies to files whose path below src starts with `files`; if several rows match, the longest applies. Imports within a
 * top-level room are free unless `own` restricts them. Types, dynamic imports and re-exports count as imports.
 */
export interface Wall {
  readonly files: string;
  /** Top-level rooms and files of src that may be imported. */
  readonly rooms: readonly string[];
  /** Packages that may be imported, including their subpaths; `node:*` means all modules of Node. */
  readonly packages: readonly string[];
  /** The files of the same top-level room that may be imported; by default all. */
  readonly own?: readonly string[];
  readonly because: string;
}

export const walls: readonly Wall[] = [
  {
    files: 'api/',
    rooms: [],
    packages: ['zod', 'leven', 'node:async_hooks', 'node:events'],
    because: 'api is the tracker’s API as data, for all rooms above it',
  },
  {
    files: 'answer/',
    rooms: ['api'],
    packages: [],
    because: 'answer has the words for what is found, by code; who finds it gives codes and data',
  },
  {
    files: 'files/',
    rooms: [],
    packages: ['node:*'],
    because: 'files is how every room above it reads and writes a path, and knows no content',
  },
  {
    files: 'guard/',
    rooms: ['api', 'files'],
    packages: ['zod', 'node:*'],
    because: 'guard stands on api, and keeps files',
  },
  {
    files: 'client/',
    rooms: ['api'],
    packages: ['zod', 'node:*', 'undici', 'fast-xml-parser', 'lru-cache'],
    because: 'client stands on api alone; it meets the sandbox over HTTP',
  },
  {
    files: 'client/mask-visitors.ts',
    rooms: ['api'],
    packages: ['bowser', 'ipaddr.js'],
    own: [],
    because: 'masking reads addresses and user agents, and nothing else does',
  },
  { files: 'analysis/', rooms: ['api', 'answer'], packages: ['zod'], because: 'analysis is pure, and gives codes' },
  {
    files: 'analysis/reconcile/',
    rooms: ['api', 'answer'],
    packages: ['papaparse'],
    because: 'a statement can be any kind of CSV; its parser is loaded when needed',
  },
  {
    files: 'analysis/statistics/',
    rooms: ['api'],
    packages: [],
    because: 'statistics are formulas over numbers',
  },
  {
    files: 'analysis/sql',
    rooms: ['api', 'answer'],
    packages: ['node:*', '@duckdb/node-api'],
    because: 'the query engine is the one part of analysis that opens something',
  },
  {
    files: 'redis/',
    rooms: ['api', 'guard', 'client'],
    packages: ['@redis/client', 'node:*'],
    because: 'redis implements interfaces of other rooms, which do not know it',
  },
  {
    files: 'tools/',
    rooms: ['api', 'answer', 'guard', 'client', 'analysis'],
    packages: ['zod', 'p-map', 'lru-cache', 'entities'],
    because: 'tools know no protocol, and open no files or connections themselves',
  },
  {
    files: 'mcp/',
    rooms: ['api', 'answer', 'files', 'guard', 'client', 'analysis', 'tools'],
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
    because: 'mcp is the protocol, and no room below it knows one',
  },
  {
    files: 'mcp/start-tracing.ts',
    rooms: ['api'],
    packages: ['@opentelemetry', 'node:async_hooks'],
    own: [],
    because: 'tracing only observes',
  },
  {
    files: 'views/',
    rooms: ['api', 'answer', 'analysis', 'tools'],
    packages: ['@modelcontextprotocol'],
    because: 'views run in a browser, know the shapes that tools return, and format numbers like the terminal',
  },
  {
    files: 'sandbox/',
    rooms: ['api', 'files'],
    packages: ['@duckdb/node-api', 'hono', 'bowser', 'lru-cache', 'zod', 'node:*'],
    because: 'sandbox stands on api; it meets the client over HTTP',
  },
  {
    files: 'sandbox/rotation/',
    rooms: ['api'],
    packages: ['node:crypto'],
    own: ['sandbox/rotation/', 'sandbox/store/schema.ts'],
    because: 'choosing the page of a visitor needs no database and no HTTP',
  },
  {
    files: 'commands/',
    rooms: [
      ...['api', 'answer', 'files', 'guard', 'client', 'analysis', 'tools', 'mcp', 'sandbox', 'redis'],
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
    because: 'commands connect the rooms; their packages are for the command line and for files of clients',
  },
  {
    files: 'config.ts',
    rooms: ['config'],
    packages: [],
    because: 'config is read once and passed down',
  },
  {
    files: 'config/',
    rooms: ['api', 'files'],
    packages: ['zod', 'jsonc-parser', 'node:*'],
    because: 'config has the parts of config.ts: the table of settings, its readers, and keys',
  },
  { files: 'version.ts', rooms: ['package.json'], packages: [], because: 'the version is only in package.json' },
  {
    files: 'main.ts',
    rooms: ['commands'],
    packages: [],
    because: 'main only runs the command line',
  },
  {
    files: 'cli.ts',
    rooms: ['main.ts'],
    packages: ['node:*'],
    because: 'cli enables the compile cache and starts the program',
  },
];

/**
 * Inner rooms and files that other top-level rooms may import. Files directly in a top-level room are open to every room that the
 * walls allow; files in its folders are closed unless they are listed here.
 */
export interface Door {
  readonly files: string;
  /** Path prefixes of the files that may import it; `''` means all. */
  readonly from: readonly string[];
  readonly because: string;
}

export const doors: readonly Door[] = [
  { files: 'api/text/', from: [''], because: 'text is cleaned and names are compared in the same way everywhere' },
  {
    files: 'analysis/columns/',
    from: ['tools/', 'commands/', 'views/'],
    because: 'tools, the terminal and the view show columns, numbers and totals',
  },
  {
    files: 'analysis/reconcile/',
    from: ['tools/', 'commands/'],
    because: 'the tool and the command read statements',
  },
  { files: 'tools/reconcile/', from: ['commands/'], because: '`reconcile` shows every line, and reads larger files' },
  { files: 'analysis/statistics/', from: ['tools/'], because: 'compare_pages presents the statistics' },
  { files: 'analysis/sql/', from: ['tools/'], because: 'query_report uses the engine, and names its tables' },
  {
    files: 'tools/explain/present.ts',
    from: ['commands/terminal/', 'views/'],
    because: 'the terminal and the view show what explain_change returns',
  },
  { files: 'tools/present/', from: ['commands/', 'mcp/', 'views/'], because: 'other rooms show the results of tools' },
  {
    files: 'mcp/http/',
    from: ['commands/'],
    because: 'only the HTTP server loads it, never a server over stdio',
  },
];
