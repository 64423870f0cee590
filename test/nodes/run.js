// Runs the end-to-end tests of the built server under each Node that is supported: node test/nodes/run.js [--smoke]
// With --smoke it is one short session under each: seconds instead of minutes. npm installs the Nodes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { npm } from '../../build/programs.js';

const versions = [20, 22, 24];
const endToEnd = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'processes', '--project', 'alone'];
const tests = process.argv.includes('--smoke') ? ['test/nodes/smoke.js'] : endToEnd;

let failed = 0;
for (const version of versions) {
  const [program, ...given] = [...npm, 'exec', '--yes', `--package=node@${version}`, '--', 'node', ...tests];
  const child = spawn(program, given, { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'}  Node ${version}`);
  if (code !== 0) failed += 1;
}
process.exitCode = failed === 0 ? 0 : 1;
