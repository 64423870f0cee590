import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Observer } from '../../api/observer.ts';

const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export interface Metrics {
  readonly observer: Required<Pick<Observer, 'toolCalled' | 'atTracker'>>;
  /** Also tells from now on whether what replicas share can be used. */
  readonly watchRedis: (isThere: () => boolean) => void;
  readonly contentType: string;
  /** What was counted, in the text format of Prometheus. */
  readonly text: () => Promise<string>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const calls = new Counter({
    name: 'tracker_mcp_tool_calls_total',
    help: 'Calls of tools, by tool and outcome; asked: a person had to answer first',
    labelNames: ['tool', 'outcome'],
    registers,
  });
  const callSeconds = new Histogram({
    name: 'tracker_mcp_tool_call_seconds',
    help: 'How long calls of a tool took',
    labelNames: ['tool'],
    buckets: secondsBuckets,
    registers,
  });
  const trackerSeconds = new Histogram({
    name: 'tracker_mcp_tracker_request_seconds',
    help: 'How long the tracker took to answer a request, by tool and HTTP status; none: no answer came',
    labelNames: ['tool', 'status', 'tracker'],
    buckets: secondsBuckets,
    registers,
  });
  const retries = new Counter({
    name: 'tracker_mcp_tracker_retries_total',
    help: 'Reads that were sent to the tracker again',
    labelNames: ['tool', 'tracker'],
    registers,
  });
  const refusals = new Counter({
    name: 'tracker_mcp_guard_refusals_total',
    help: 'Calls that the guard refused: not offered, past a limit, or without a yes',
    labelNames: ['tool', 'tracker'],
    registers,
  });
  return {
    observer: {
      toolCalled: (tool, outcome, seconds) => {
        calls.inc({ tool, outcome });
        callSeconds.observe({ tool }, seconds);
      },
      atTracker: (tracker) => {
        // Where there is one tracker, nothing has to be told apart.
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
