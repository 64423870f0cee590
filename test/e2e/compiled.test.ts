import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { keepCompiled } from '../../build/compiled/keep-compiled.js';

test('V8 takes what the build keeps, so that a start compiles nothing anew', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'compiled-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  // The Node that runs the tests need not be the one that built.
  await keepCompiled(join(folder, 'compiled'));
  const [source, cachedData] = await Promise.all([
    readFile('dist/program.cjs', 'latin1'),
    readFile(join(folder, 'compiled')),
  ]);
  // Functions that ran are in it with what is inside them; where none did, it is a third.
  // Half of that is there without a run.
  expect(cachedData.length).toBeGreaterThan(1_000_000);
  expect(new Script(source, { filename: 'dist/program.cjs', cachedData }).cachedDataRejected).toBe(false);
});

test('the script is ASCII, which is read as one byte a character, and imports nothing, which it could not', async () => {
  const bytes = await readFile('dist/program.cjs');
  expect(bytes.findIndex((byte) => byte > 0x7f)).toBe(-1);
  expect(bytes.toString('latin1').match(/\bimport\(/g)).toBeNull();
});
