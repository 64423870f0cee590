import { setTimeout } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { serveStdio } from '../mcp/stdio.ts';
import { catalogue } from '../tools/catalogue.ts';
import type { Tool } from '../tools/define-tool.ts';
import { version } from '../version.ts';
import { onEndSignal } from './end-signals.ts';
import { openTracker } from './open-tracker.ts';

/** How long a call under way may still take after a signal; clients kill what does not end within 2 s. */
const maxFarewellMs = 1000;

/**
 * Serves over standard input and output until the client hangs up or a signal comes. stdout is the protocol's alone.
 *
 * A client that closes its side after a last call still gets the answer, and the calls of one that is gone are finished; a
 * signal ends the server soon.
 */
export async function serve(config: Config): Promise<void> {
  const tracker = await openTracker(config);
  const calls = new Set<Promise<unknown>>();
  const onDefect = (error: unknown) => console.error('tracker-mcp: defect:', error);
  const { context } = tracker;
  const hungUp = serveStdio({ version, tools: catalogue.map((tool) => following(tool, calls)), context, onDefect });
  // What the first call needs is loaded once the client's first message is answered.
  process.stdin.once('data', () => setImmediate(tracker.start, onStartFailure));
  onEndSignal(async () => {
    await Promise.race([Promise.allSettled(calls), setTimeout(maxFarewellMs)]);
    process.exit(0);
  });
  if (process.stdin.isTTY) {
    console.error('tracker-mcp: serving MCP over standard input and output, for a client to talk to. Ctrl+C ends it.');
  }
  try {
    await hungUp;
  } finally {
    tracker.hangUp();
    await Promise.allSettled(calls);
    if (tracker.isStartingInVain()) endOnceWritten();
    else await tracker.close();
  }
}

/** Ends the process when what was written has left it, with the exit code that is set by then. */
function endOnceWritten(): void {
  setImmediate(() => process.stdout.write('', () => process.exit()));
}

/** The next call reports it to the client; the log tells whoever looks for the reason. */
function onStartFailure(error: Error): void {
  console.error(`tracker-mcp: ${error.message}`);
}

/** The tool, with its calls under way in a set. */
function following(tool: Tool, calls: Set<Promise<unknown>>): Tool {
  return {
    ...tool,
    call: (given, context) => {
      const call = tool.call(given, context);
      calls.add(call);
      const forget = () => calls.delete(call);
      call.then(forget, forget);
      return call;
    },
  };
}
