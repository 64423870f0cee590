import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { withSharedShapes } from '../../build/compiled/shared-shapes.js';

test('objects are what they were', () => {
  const script = `
    const some = { a: 1, ...JSON.parse('{"__proto__":2}'), get b() { return 3; } };
    const { ...rest } = some;
    const inner = ({ ...left }, [first] = [{ ...left, c: { ...some } }]) => first;
    [{ ...some, a: 4 }, { ...rest }, { a: 5, ...some }, { ...some, ...{ ...rest, b: 6 } }, inner({ ...some, d: '{...e,f}' })];
  `;
  const changed = withSharedShapes(script);
  expect(changed.split('...null,')).toHaveLength(8);
  // Values of another context have other prototypes.
  const madeBy = (text: string) => JSON.stringify(runInNewContext(text));
  expect(madeBy(changed)).toBe(madeBy(script));
  expect(madeBy(changed)).toContain('"__proto__":2');
});

test('what cannot be read is not built', () => {
  expect(() => withSharedShapes('const { = 1')).toThrow('does not parse');
});

test('V8 gives all objects of one spread the same shape', async () => {
  const make = withSharedShapes('(index) => ({ ...{ some: index, other: [] }, more: index })');
  const script = `
    const made = Array.from({ length: 1000 }, (_, index) => (${make})(index));
    console.log(made.every((one) => %HaveSameMap(one, made[0])));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--allow-natives-syntax', '--eval', script]);
  expect(stdout.trim()).toBe('true');
});

test('every script that is built is written so', async () => {
  const names = (await readdir('dist')).filter((name) => /\.c?js$/.test(name));
  expect(names).toContain('program.cjs');
  for (const name of names) {
    const script = await readFile(join('dist', name), 'utf8');
    expect(withSharedShapes(script) === script, name).toBe(true);
  }
});
