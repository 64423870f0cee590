/// <reference path="./undici-parts.d.cts" />
import { setFlagsFromString } from 'node:v8';
import type { Dispatcher } from 'undici';
// The whole of undici, which a proxy needs, also loads fetch and the copy of undici inside Node.
import Agent from 'undici/lib/dispatcher/agent.js';
import { proxyOptions } from '../proxies.ts';
import { maxHeaderBytes } from './exchange.ts';

export type Connections = Readonly<Record<'reads' | 'writes', Dispatcher>>;

/**
 * Opens the connections to a tracker. Reads share kept-alive sockets. Each write gets a new socket: if the tracker closed a
 * kept one at that moment, the outcome of the write would be unknown.
 *
 * A proxy from the environment is used, except for this machine itself.
 *
 * @param inFlight how many sockets are open at a time
 */
export async function openConnections(inFlight: Readonly<Record<keyof Connections, number>>): Promise<Connections> {
  compileLess();
  const proxies = proxyOptions();
  const ProxyAgent = proxies && (await import('undici/index.js')).default.EnvHttpProxyAgent;
  const open = (options: ConstructorParameters<typeof Agent>[0]) =>
    ProxyAgent ? new ProxyAgent({ ...options, ...proxies }) : new Agent(options);
  // A request ends with the deadline of its call; undici's own limits would end long answers early.
  const common = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: maxHeaderBytes };
  return {
    reads: open({ ...common, connections: inFlight.reads, pipelining: 1 }),
    writes: open({ ...common, connections: inFlight.writes, pipelining: 0 }),
  };
}

/**
 * Keeps V8 from compiling code that works already into faster code that does not pay. V8 reads the flags whenever it compiles.
 *
 * WebAssembly: for undici's HTTP parser, one function of 34 KB, this took 36 MB on Node 20 and up to 230 ms of a second core at the first
 * answers, and no request got faster.
 *
 * JavaScript: on Node 20, functions must run four times as much as usual first, which takes a fifth off the CPU of small calls. Later
 * versions are patient by themselves, have no such flag, and print an error about it.
 */
function compileLess(): void {
  const flags = ['--no-wasm-dynamic-tiering', '--no-wasm-tier-up'];
  if (process.version.startsWith('v20.')) flags.push('--interrupt-budget=270336');
  for (const flag of flags) setFlagsFromString(flag);
}
