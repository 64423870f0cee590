// Runs a script as src/cli.ts does, and writes what V8 has compiled of it when the process ends: node build/compiled/run-and-keep.js SCRIPT FILE
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import v8 from 'node:v8';
import { Script } from 'node:vm';

const [filename, written] = process.argv.splice(2).map((file) => resolve(file));
const script = new Script(readFileSync(filename, 'latin1'), { filename });
// V8 takes what is kept only under the same flags, and a start has those it has here, before src/client/v8-flags.ts sets any.
v8.setFlagsFromString = () => undefined;
process.once('exit', () => writeFileSync(written, script.createCachedData()));
script.runInThisContext()(createRequire(filename), filename);
