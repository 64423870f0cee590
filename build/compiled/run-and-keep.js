// Runs a script as src/cli.ts does, and writes what V8 has compiled of it when the process ends: node build/run-and-keep.js SCRIPT FILE
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

const [filename, written] = process.argv.splice(2).map((file) => resolve(file));
const script = new Script(readFileSync(filename, 'latin1'), { filename });
process.once('exit', () => {
  // V8 takes it only where its flags are the same, and those of a start are not yet changed by src/client/webassembly.ts.
  setFlagsFromString('--wasm-dynamic-tiering');
  setFlagsFromString('--wasm-tier-up');
  writeFileSync(written, script.createCachedData());
});
script.runInThisContext()(createRequire(filename), filename);
