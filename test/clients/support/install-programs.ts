import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npm } from '../../../build/programs.js';
import { type Program, packageFolder, programs, programsFolder, startOf } from './programs.ts';

const run = promisify(execFile);

/** In addition to npm's own retries. */
const maxAttempts = 2;

const dependencies = Object.fromEntries(programs.map(({ package: name, version }) => [name, version]));

/** Written after a complete install. */
const readyFile = join(programsFolder, 'ready.json');
const ready = JSON.stringify({ dependencies, platform: process.platform, arch: process.arch });

/**
 * Installs the chat programs, unless they are installed.
 *
 * @throws Error if npm cannot install one: tests must fail then, not be skipped
 */
export default async function installPrograms(): Promise<void> {
  if ((await readFile(readyFile, 'utf8').catch(() => undefined)) === ready) return;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await installAll();
      return await writeFile(readyFile, ready);
    } catch (error) {
      if (attempt < maxAttempts) continue;
      const wanted = Object.entries(dependencies).map((parts) => parts.join('@'));
      const [why = ''] = String(error).split('\nnpm error A complete log');
      throw new Error(`npm could not install the chat programs to test with: ${wanted.join(', ')}.\n${why}`);
    }
  }
}

async function installAll(): Promise<void> {
  await rm(programsFolder, { recursive: true, force: true });
  await mkdir(join(programsFolder, 'home'), { recursive: true });
  await writeFile(join(programsFolder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const [program, ...given] = npm;
  // Not every npm runs package scripts, and some would compile optional parts. The required ones run below.
  const options = ['--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund', '--prefer-offline'];
  await run(program, [...given, 'install', ...options, '--loglevel=error'], { cwd: programsFolder });
  await Promise.all(programs.map(complete));
}

/** Sets up a program and checks its version: npm does not report a missing optional binary. */
async function complete(program: Program): Promise<void> {
  const { command, version, setUp, environment } = program;
  if (setUp !== undefined) await run(process.execPath, [setUp], { cwd: packageFolder(program) });
  const [file, ...given] = await startOf(program);
  const home = join(programsFolder, 'home');
  const env = { ...process.env, HOME: home, USERPROFILE: home, ...environment };
  const { stdout } = await run(file, [...given, '--version'], { env });
  if (!stdout.includes(version)) throw new Error(`${command} is not version ${version}, but prints: ${stdout}`);
}
