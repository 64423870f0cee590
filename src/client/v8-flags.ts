import { setFlagsFromString } from 'node:v8';

/** What is used of WebAssembly, whose types come with those of browsers. */
interface WebAssemblyParts {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: Readonly<Record<string, object>>) => { readonly exports: unknown };
}

const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyParts }).WebAssembly;

/**
 * From now on V8 compiles WebAssembly once, quickly, and not a second time into faster code.
 *
 * undici's parser of HTTP has a function so large that the second time takes up to 33 MB and a fifth of a second of another
 * core, with the first answer of a tracker; and no request gets faster by it (docs/decisions/v8-flags.md).
 */
export function compileOnce(): void {
  setFlags('--no-wasm-dynamic-tiering', '--no-wasm-tier-up');
}

/** Instantiates a module that is worth the faster code, whatever else is compiled how. */
export function instantiate(bytes: Uint8Array, imports: Readonly<Record<string, object>>): unknown {
  setFlags('--no-wasm-dynamic-tiering', '--wasm-tier-up', '--no-wasm-lazy-compilation');
  try {
    return new Instance(new Module(bytes), imports).exports;
  } finally {
    setFlags('--wasm-lazy-compilation');
    compileOnce();
  }
}

/** How much a function has to run before V8 makes faster code of it, by V8's version: less than half of what it takes by itself. */
const soonerFlags: Readonly<Record<string, string>> = {
  // Node 20
  '11.3': '--interrupt-budget=30000',
  // Node 22
  '12.4': '--invocation-count-for-turbofan=1000',
};

/** Few sessions of an agent read so often: who did is a server in use all day, or will be. */
const answersOfBusyServer = 300;

let answers = 0;

/**
 * Counts an answer that was read. After many of them V8 makes faster code of functions sooner, since little is learned from more
 * calls of the same kind. Ahead of that it would make faster code of what a short session needs twice.
 */
export function optimizeWhenBusy(): void {
  answers += 1;
  if (answers !== answersOfBusyServer) return;
  const [version] = /^\d+\.\d+/.exec(process.versions.v8) ?? [];
  const flag = soonerFlags[version ?? ''];
  if (flag !== undefined) setFlags(flag);
}

/** V8 looks at these flags whenever it compiles, so they can be changed while it runs. */
function setFlags(...flags: string[]): void {
  for (const flag of flags) setFlagsFromString(flag);
}
