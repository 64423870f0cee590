import { createLog, createMetrics } from '../../src/mcp/http/monitoring.ts';
import { type HttpOptions, serveHttp } from '../../src/mcp/http/serve-http.ts';
import { allTools } from '../../src/tools/catalogue.ts';
import { closeAfterTests } from './closing.ts';
import { type ConnectOptions, contextFor, oneTracker, severalTrackers } from './connect.ts';
import { clientHeaders, jsonIn } from './messages.ts';

export interface StartedHttp {
  readonly url: string;
  readonly metricsUrl: string;
  readonly defects: readonly unknown[];
  /** The lines that the server logged. */
  readonly logged: readonly string[];
  /** Sends one request. The headers replace those of every client; null leaves one out. */
  post(body: unknown, headers?: Readonly<Record<string, string | null>>): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly id?: unknown;
    readonly result?: { readonly [name: string]: unknown };
    readonly error?: { readonly code: number; readonly message: string };
  };
}

/** Serves over HTTP in this process, on a free port, until the tests of the file are done. */
export async function startHttp(
  options: ConnectOptions = {},
  served: Partial<HttpOptions> = {},
  logFormat: 'text' | 'json' = 'text',
): Promise<StartedHttp> {
  const metrics = createMetrics();
  const defects: unknown[] = [];
  const logged: string[] = [];
  const policy = { ...options.policy, observer: metrics.observer.atTracker(undefined) };
  const trackers = options.trackers
    ? severalTrackers(options.trackers)
    : oneTracker(options.context ?? contextFor({ ...options, policy }));
  const onDefect = (error: unknown) => defects.push(error);
  const { url, metricsUrl, close } = await serveHttp(
    { identity: { version: '0.0.0' }, tools: allTools, trackers, onDefect },
    {
      ...{ host: '127.0.0.1', port: 0, allowHosts: [], allowOrigins: [], isLocal: true },
      ...{ sessions: false, metrics, noticeMs: 1000, drainMs: 30_000 },
      log: createLog(logFormat, (line) => logged.push(line)),
      ...served,
    },
  );
  closeAfterTests(close);
  return {
    url,
    metricsUrl,
    defects,
    logged,
    close,
    post: async (body, headers = {}) => {
      const sent = Object.entries({ ...clientHeaders, ...headers }).filter(
        (header): header is [string, string] => header[1] !== null,
      );
      const response = await fetch(url, {
        method: 'POST',
        headers: Object.fromEntries(sent),
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      return { status: response.status, headers: response.headers, body: jsonIn(await response.text()) };
    },
  };
}

/** The names in the answer to tools/list. */
export function toolNames({ result }: Answer['body']): readonly string[] {
  const { tools = [] } = (result ?? {}) as { tools?: readonly { name: string }[] };
  return tools.map(({ name }) => name);
}
