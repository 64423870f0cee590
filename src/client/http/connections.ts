/// <reference path="./undici-parts.d.cts" />
import { setFlagsFromString } from 'node:v8';
import type { Dispatcher } from 'undici';
// undici as a whole, which a proxy takes, also loads fetch, and with it the copy of undici that Node brings.
import Agent from 'undici/lib/dispatcher/agent.js';

export type Connections = Readonly<Record<'reads' | 'writes', Dispatcher>>;

/**
 * Opens the connections to a tracker. Reads share kept-alive sockets. Each write has a socket of its own, since on a kept one
 * that the tracker is just closing it would be unknown whether it acted.
 *
 * A proxy named in the environment is used, except for this machine itself.
 *
 * @param inFlight how many requests may be, at a time
 */
export async function openConnections(inFlight: Readonly<Record<keyof Connections, number>>): Promise<Connections> {
  skipWasmRecompile();
  const environment = process.env;
  const proxied = Object.keys(environment).some((name) => /^https?_proxy$/i.test(name) && environment[name]);
  const noProxy = [environment['NO_PROXY'] ?? environment['no_proxy'], '127.0.0.1', 'localhost', '[::1]']
    .filter(Boolean)
    .join(',');
  const ProxyAgent = proxied ? (await import('undici/index.js')).default.EnvHttpProxyAgent : undefined;
  const open = (options: ConstructorParameters<typeof Agent>[0]) =>
    ProxyAgent ? new ProxyAgent({ ...options, noProxy }) : new Agent(options);
  // The deadline of the call bounds a request; undici's own limits would only end long answers early.
  const common = { headersTimeout: 0, bodyTimeout: 0 };
  return {
    reads: open({ ...common, connections: inFlight.reads, pipelining: 1 }),
    writes: open({ ...common, connections: inFlight.writes, pipelining: 0 }),
  };
}

/**
 * Has V8 compile WebAssembly once, and not a second time into faster code.
 *
 * undici's parser of HTTP is one function of 34 KB. With the first answers the second time took 36 MB on Node 20 and up to
 * 230 ms of another core, and no request got faster. V8 reads the flags whenever it compiles, so they take effect at once.
 */
function skipWasmRecompile(): void {
  for (const flag of ['--no-wasm-dynamic-tiering', '--no-wasm-tier-up']) setFlagsFromString(flag);
}
