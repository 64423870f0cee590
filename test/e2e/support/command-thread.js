// Runs commands of the built program one after another, in a thread that has loaded it once. Each command gets its own arguments,
// environment and standard streams. The thread has its own `process`, so the tests' environment and exit code stay untouched.
import { dirname, join } from 'node:path';
import process from 'node:process';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';

/** Thrown when a command would end the process. */
const ended = Symbol('ended');

process.exit = (code) => {
  process.exitCode = code ?? process.exitCode;
  throw ended;
};

let runs = 0;
parentPort.on('message', async ({ cli, given, environment, input }) => {
  const written = { stdout: '', stderr: '' };
  const restore = [...['stdout', 'stderr'].map((name) => takeOutput(name, written)), keepListeners(process)];
  setEnvironment(environment);
  process.argv = [process.execPath, cli, ...given];
  process.exitCode = undefined;
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([Buffer.from(input)]) });
  try {
    runs += 1;
    // A new URL evaluates the entry again, which runs the command; its imports stay loaded.
    const modules = pathToFileURL(join(dirname(cli), 'main.js'));
    const { default: done } = await import(`${modules}?run=${runs}`);
    await done;
  } catch (error) {
    if (error !== ended) throw error;
  }
  for (const undo of restore) undo();
  parentPort.postMessage({ code: process.exitCode ?? 0, ...written });
});

/** Captures what is written to a stream, until it is undone. */
function takeOutput(name, written) {
  const stream = process[name];
  const { write } = stream;
  const restoreListeners = keepListeners(stream);
  stream.write = (chunk, encoding, callback) => {
    written[name] += chunk;
    const done = typeof encoding === 'function' ? encoding : callback;
    if (done) setImmediate(done);
    return true;
  };
  return () => {
    stream.write = write;
    restoreListeners();
  };
}

/** When undone, removes the listeners that were added since. */
function keepListeners(emitter) {
  const before = new Map(emitter.eventNames().map((name) => [name, emitter.rawListeners(name)]));
  return () => {
    for (const name of emitter.eventNames()) {
      for (const listener of emitter.rawListeners(name)) {
        if (!before.get(name)?.includes(listener)) emitter.removeListener(name, listener);
      }
    }
  };
}

function setEnvironment(environment) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
}
