import { dirname, join } from 'node:path';

/** See npm.d.ts. On Windows `npm` is a script of the shell, so its JavaScript is run instead, which stands beside Node. */
export const npm =
  process.platform === 'win32'
    ? [process.execPath, join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js')]
    : ['npm'];
