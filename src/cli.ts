#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

/**
 * Starts the program. Most of its start would be V8 compiling it, so the build also makes it as one script, and keeps what V8
 * compiled of that. It is good for the very Node that built it; any other loads the modules.
 */
const script = fileURLToPath(new URL('./program.cjs', import.meta.url));
const compiled = fileURLToPath(new URL(`./program-${process.version}-${process.arch}.compiled`, import.meta.url));

if (existsSync(compiled)) runScript(readFileSync(compiled));
else await import('./main.ts');

function runScript(cachedData: Buffer): void {
  const run = new Script(readFileSync(script, 'latin1'), { filename: script, cachedData }).runInThisContext();
  (run as (require: NodeJS.Require, filename: string) => void)(createRequire(script), script);
  // V8 has copied what it needs. Giving the rest to nobody frees it now, and not at some full collection.
  structuredClone(cachedData, { transfer: [cachedData.buffer as ArrayBuffer] });
}
