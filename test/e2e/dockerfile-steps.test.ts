import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { type Copy, DockerfileParser } from 'dockerfile-ast';
import { expect, onTestFinished, test } from 'vitest';
import { instructionsOf, sourcesOf, variablesOf } from '../packages/dockerfile-rules.ts';
import { newFolder } from '../support/folders.ts';
import { runCli, sharedSandbox } from './support/run-cli.ts';

/** Follows the steps of the Dockerfile without an engine. Only the base image and npm ci remain untested. */

const run = promisify(execFile);
const folder = await newFolder();

test('the steps of the Dockerfile build a server that passes its health check', { timeout: 180_000 }, async () => {
  const file = DockerfileParser.parse(await readFile('Dockerfile', 'utf8'));
  const [build, image] = [join(folder, 'build'), join(folder, 'app')];
  await Promise.all([linkPackages(build), linkPackages(image)]);
  const isOfImage = (copy: Copy) => copy.getRange().start.line > (file.getFROMs().at(-1)?.getRange().start.line ?? 0);
  const fromHere = file.getCOPYs().filter((copy) => copy.getFromFlag() === null);
  for (const copy of fromHere) await copyInto(isOfImage(copy) ? image : build, sourcesOf(copy));
  const commands = instructionsOf(file, 'RUN').map((instruction) => instruction.getArgumentsContent());
  expect(commands).toContain('npm run build');
  await run(process.execPath, ['build/bundle.js'], { cwd: build });
  const fromBuild = file.getCOPYs().filter((copy) => copy.getFromFlag() !== null);
  expect(fromBuild.flatMap(sourcesOf)).toEqual(['/build/dist']);
  await cp(join(build, 'dist'), join(image, 'dist'), { recursive: true });

  const tokens = join(folder, 'tokens.json');
  await runCli(['token', '--tokens', tokens, 'add', 'ann', '--read']);
  const port = await freePort();
  const env = {
    ...variablesOf(file.getENVs()),
    ...sharedSandbox(),
    PATH: process.env['PATH'] ?? '',
    TRACKER_MCP_TOKENS: tokens,
    TRACKER_MCP_HOST: '127.0.0.1',
    TRACKER_MCP_PORT: String(port),
  };
  const words = (text: string | null | undefined) => JSON.parse(text ?? '[]') as string[];
  const [entry, given] = [file.getENTRYPOINTs()[0], file.getCMDs()[0]].map((one) => words(one?.getArgumentsContent()));
  const [program = '', ...start] = [...(entry ?? []), ...(given ?? [])];
  const server = spawn(program, start, { cwd: image, env, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void server.kill('SIGKILL'));
  const exited = once(server, 'exit');
  await serving(server);
  const check = file.getHEALTHCHECKs()[0]?.getArgumentsContent() ?? '';
  const [asks = '', ...asked] = words(/CMD (\[.*\])$/.exec(check)?.[1]);
  await run(asks, asked, { cwd: image, env });
  server.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  await expect(run(asks, asked, { cwd: image, env })).rejects.toMatchObject({ code: 1 });
});

/** Replaces npm ci: links the installed packages. */
async function linkPackages(home: string): Promise<void> {
  await mkdir(join(home, 'node_modules'), { recursive: true });
  for (const name of await readdir('node_modules')) {
    if (!name.startsWith('.'))
      await symlink(join(process.cwd(), 'node_modules', name), join(home, 'node_modules', name), 'junction');
  }
}

async function copyInto(home: string, sources: readonly string[]): Promise<void> {
  for (const source of sources) await cp(source, join(home, basename(source)), { recursive: true });
}

/** Waits until the server says that it serves. */
async function serving({ stderr }: ChildProcess): Promise<void> {
  for await (const line of createInterface(stderr ?? Readable.from([]))) if (line.includes('serving MCP at')) return;
  throw new Error('the server ended before it served');
}

/** A free port below the range that systems use for outgoing connections. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const listener = createServer().listen(port, '127.0.0.1');
    const isFree = await once(listener, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    listener.close();
    await once(listener, 'close');
    return port;
  }
}
