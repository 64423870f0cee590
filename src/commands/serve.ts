import { setTimeout } from 'node:timers/promises';
import { type Configuration, ConfigurationFailure, noTracker } from '../config.ts';
import { openTracing } from '../mcp/open-tracing.ts';
import { serveStdio } from '../mcp/stdio.ts';
import { allTools } from '../tools/catalogue.ts';
import { identity, version } from '../version.ts';
import { openTrackers } from './open-trackers.ts';
import { onEndSignal, printToStderr } from './process.ts';

/** After a signal, for calls under way and for closing. Clients kill a server that does not end within 2 s. */
const [callsTimeoutMs, closeTimeoutMs] = [1000, 500];

/**
 * Serves over standard input and output until the client hangs up or a signal comes. stdout is only for the protocol.
 *
 * After the client hangs up, the calls under way are finished, and it gets the answers if it still reads. A signal ends the server
 * within seconds. Without a tracker it serves all the same, so that a client can show the failures of its calls.
 *
 * @throws ConfigurationFailure if no tracker is set and no client has sent anything
 */
export async function serve(configuration: Configuration): Promise<void> {
  const tracing = await openTracing(process.env, version, printToStderr);
  const observer = tracing?.observer;
  const open = await openTrackers(configuration, { observer, keepsChanges: true });
  const { trackers, approving } = open;
  const onDefect = (error: unknown) => console.error('tracker-mcp: defect:', error);
  // Runs after the connection is open, so that the server answers early. The client gets a failure with its next call.
  const isMissing = configuration.trackers.some(({ config }) => config.tracker === 'none');
  const onOpened = () => (isMissing ? printToStderr(noTracker) : open.start());
  const { hungUp, hasReceived, idle } = serveStdio(
    { identity, tools: allTools, trackers, observer, hasViews: configuration.server.views === 'on', onDefect },
    onOpened,
  );
  onEndSignal(async () => {
    await Promise.race([Promise.all([idle(), approving?.writes.stop()]), setTimeout(callsTimeoutMs)]);
    await Promise.race([Promise.all([open.close(), tracing?.close()]), setTimeout(closeTimeoutMs)]);
    process.exit(0);
  });
  if (process.stdin.isTTY) {
    printToStderr('serving MCP over standard input and output, for a client to talk to. Ctrl+C ends it.');
  }
  try {
    await hungUp;
  } finally {
    open.hangUp();
    await Promise.all([idle(), approving?.writes.stop()]);
    await open.close();
    // Does not wait for a trace collector that does not answer.
    const isFlushed = (await tracing?.close()) ?? true;
    if (!isFlushed) setImmediate(() => process.exit());
  }
  if (isMissing && !hasReceived()) throw new ConfigurationFailure(noTracker);
}
