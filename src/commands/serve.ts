import type { Config } from '../config.ts';
import { serveStdio } from '../mcp/stdio.ts';
import { catalogue } from '../tools/catalogue.ts';
import { version } from '../version.ts';
import { openTracker } from './open-tracker.ts';

/** Serves over standard input and output until the client hangs up. stdout is the protocol's alone. */
export async function serve(config: Config): Promise<void> {
  const { context, close } = openTracker(config);
  const onDefect = (error: unknown) => console.error('tracker-mcp: defect:', error);
  await serveStdio({ version, tools: catalogue, context, onDefect });
  await close();
}
