import { realpathSync } from 'node:fs';
import { basename, relative } from 'node:path';

/** The absolute path of the command line that runs, behind any link that npm made to it. */
export function commandLinePath(): string {
  return realpathSync(process.argv[1] ?? '');
}

/** How a person types what runs here: `tracker-mcp`, or `node dist/cli.js` from a clone. */
export function typedName(): string {
  const called = process.argv[1] ?? '';
  if (basename(called).startsWith('tracker-mcp')) return 'tracker-mcp';
  const near = relative(process.cwd(), called);
  return `node ${near.startsWith('..') ? called : near}`;
}
