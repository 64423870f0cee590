import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { closeAfterTests } from './closing.ts';
import { isRoot, isWindows } from './system.ts';

const run = promisify(execFile);

const ofUnix = [
  ['leads back to itself', (path: string) => symlink(path, path)],
  ['a pipe', (path: string) => run('mkfifo', [path])],
  ['a socket', listenAt],
] as const;

/** What can be at a path instead of a file, by the word that a message has for it. Windows has only some, and a device needs root. */
export const specialFiles: readonly (readonly [word: string, make: (path: string) => Promise<unknown>])[] = [
  ['a folder', (path) => mkdir(path)],
  ...(isWindows ? [] : ofUnix),
  // A copy of the null device: should the program replace it, the machine keeps its own.
  ...(isRoot ? [['a device', (path: string) => run('mknod', [path, 'c', '1', '3'])] as const] : []),
];

function listenAt(path: string): Promise<void> {
  const server = createServer();
  closeAfterTests(() => server.close());
  return new Promise((resolve, reject) => server.once('error', reject).listen(path, resolve));
}
