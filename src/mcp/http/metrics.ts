import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Observer } from '../../api/observer.ts';

const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export interface Metrics {
  readonly observer: Required<Pick<Observer, 'toolCalled' | 'atTracker'>>;
  /** Also counts from now on whether Redis can be used. */
  readonly watchRedis: (isThere: () => boolean) => void;
  readonly contentType: string;
  /** What was counted, in the text format of Prometheus. */
  readonly text: () => Promise<string>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counter = (name: string, labelNames: string[], help: string) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, labelNames: string[], help: string) =>
    new Histogram({ name, help, labelNames, buckets: secondsBuckets, registers });
  const calls = counter(
    'tracker_mcp_tool_calls_total',
    ['tool', 'outcome'],
    'Calls of tools, by tool and outcome; asked: a person had to answer first',
  );
  const callSeconds = histogram('tracker_mcp_tool_call_seconds', ['tool'], 'How long calls of a tool took');
  const trackerSeconds = histogram(
    'tracker_mcp_tracker_request_seconds',
    ['tool', 'status', 'tracker'],
    'How long the tracker took to answer a request, by tool and HTTP status; none: no answer came',
  );
  const retries = counter(
    'tracker_mcp_tracker_retries_total',
    ['tool', 'tracker'],
    'Reads that were sent to the tracker again',
  );
  const refusals = counter(
    'tracker_mcp_guard_refusals_total',
    ['tool', 'tracker'],
    'Calls that the guard refused: not offered, past a limit, or without a yes',
  );
  return {
    observer: {
      toolCalled: (tool, outcome, seconds) => {
        calls.inc({ tool, outcome });
        callSeconds.observe({ tool }, seconds);
      },
      atTracker: (tracker) => {
        // One tracker needs no name.
        const named = tracker === undefined ? {} : { tracker };
        return {
          trackerAnswered: (tool, status = 0, seconds) =>
            trackerSeconds.observe({ tool, status: status === 0 ? 'none' : String(status), ...named }, seconds),
          readRepeated: (tool) => retries.inc({ tool, ...named }),
          callRefused: (tool) => refusals.inc({ tool, ...named }),
        };
      },
    },
    watchRedis: (isThere) => {
      new Gauge({
        name: 'tracker_mcp_redis_up',
        help: 'Whether Redis can be used, which replicas share; 0: reads go on, writes are refused',
        registers,
        collect() {
          this.set(isThere() ? 1 : 0);
        },
      });
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
