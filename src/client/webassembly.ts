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
 * core, with the first answer of a tracker; and no request gets faster by it (docs/decisions/webassembly.md).
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

/** V8 reads these whenever it compiles a module, so they can be changed while it runs. */
function setFlags(...flags: string[]): void {
  for (const flag of flags) setFlagsFromString(flag);
}
