// Runs commands of the built program one after another, in a thread that has loaded it once. Each command gets its own arguments,
// environment and standard streams, and leaves nothing of them to the next. The thread's `process` is its own: neither the
// environment nor the exit code of the tests is touched.
import { dirname, join } from 'node:path';
import process from 'node:process';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { parentPort } from 'node:worker_threads';

/** Thrown where a command would end the process. */
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
    // What the entry of a process loads, or takes from what was compiled. Another address loads it anew, which starts the command;
    // what it imports is there already.
    const modules = pathToFileURL(join(dirname(cli), 'main.js'));
    const { default: done } = await import(`${modules}?run=${runs}`);
    await done;
  } catch (error) {
    if (error !== ended) throw error;
  }
  for (const undo of restore) undo();
  parentPort.postMessage({ code: process.exitCode ?? 0, ...written });
});

/** Takes what is written to a stream, until it is undone. */
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

/** Has the listeners that are added meanwhile removed when it is undone. */
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
