import { readFile } from 'node:fs/promises';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { compiledFile } from '../../build/compiled/keep-compiled.js';

test('V8 takes what the build kept, so that a start compiles nothing anew', async () => {
  const [source, cachedData] = await Promise.all([readFile('dist/program.cjs', 'latin1'), readFile(compiledFile)]);
  // A function that was compiled is in it with its inside; without its first run the whole would be some bytes a function.
  expect(cachedData.length).toBeGreaterThan(1_000_000);
  const script = new Script(source, { filename: 'dist/program.cjs', cachedData });
  expect(script.cachedDataRejected).toBe(false);
});

test('the script is ASCII, which is read as one byte a character, and imports nothing, which it could not', async () => {
  const bytes = await readFile('dist/program.cjs');
  expect(bytes.findIndex((byte) => byte > 0x7f)).toBe(-1);
  expect(bytes.toString('latin1').match(/\bimport\(/g)).toBeNull();
});
