import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Observer } from '../../api/observer.ts';
import { textFor } from '../../api/text/destinations.ts';
import type { ApprovedListener } from '../../tools/approved-writes.ts';

/** The fields of a log line, for programs that read it. */
export interface LogFields {
  /**
   * `start`, `stop`, `call`, `proposed`, `sent`, `refused`, `access`, `defect`, `sign_in` or `decision`; `message` or absent if the
   * line is only one.
   */
  readonly event?: string;
  /** Whether only the JSON log has the line. */
  readonly routine?: true;
  readonly [field: string]: string | number | boolean | undefined;
}

export type Log = (message: string, fields?: LogFields) => void;

/** Writes lines for a person (`text`), or an object per line with the time and the fields (`json`). */
export function createLog(format: 'text' | 'json', write: (line: string) => void): Log {
  if (format === 'json') {
    return (message, { routine, ...fields } = {}) => {
      const line = { time: new Date().toISOString(), message, ...fields };
      write(JSON.stringify(line, (_, value) => (typeof value === 'string' ? textFor('log', value) : value)));
    };
  }
  return (message, fields) => {
    if (!fields?.routine) write(textFor('log', `tracker-mcp: ${message}`));
  };
}

/** Logs each tool call, and each write that waits for a person. */
export function logCalls(log: Log): Observer {
  return {
    toolCalled: (tool, outcome, seconds, { token, requestId }) =>
      log(`called ${tool}: ${outcome}`, {
        event: 'call',
        request_id: requestId,
        token,
        tool,
        outcome,
        ms: Math.round(seconds * 1000),
        routine: true,
      }),
    writeProposed: (tool, proposal, { token, requestId }) =>
      log(`${tool} waits for a person as proposal ${proposal}`, {
        event: 'proposed',
        request_id: requestId,
        token,
        tool,
        proposal,
        routine: true,
      }),
  };
}

/** Logs how each approved write ended. */
export function logSent(log: Log): ApprovedListener {
  return ({ proposal: { id, tool, holder }, approver }, { state, change, message }) =>
    log(`proposal ${id}, approved by ${approver}: ${state}`, {
      event: 'sent',
      token: holder?.name,
      approver,
      tool,
      proposal: id,
      outcome: state,
      change,
      reason: message,
      routine: true,
    });
}

const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export interface Metrics {
  readonly observer: Required<Pick<Observer, 'toolCalled' | 'atTracker'>>;
  /** Adds a metric of whether Redis can be used. */
  readonly watchRedis: (isAvailable: () => boolean) => void;
  readonly contentType: string;
  /** The metrics in the text format of Prometheus. */
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
        const labels = tracker === undefined ? {} : { tracker };
        return {
          trackerAnswered: (tool, status = 0, seconds) =>
            trackerSeconds.observe({ tool, status: status === 0 ? 'none' : String(status), ...labels }, seconds),
          readRepeated: (tool) => retries.inc({ tool, ...labels }),
          callRefused: (tool) => refusals.inc({ tool, ...labels }),
        };
      },
    },
    watchRedis: (isAvailable) => {
      new Gauge({
        name: 'tracker_mcp_redis_up',
        help: 'Whether Redis can be used, which replicas share; 0: reads go on, writes are refused',
        registers,
        collect() {
          this.set(isAvailable() ? 1 : 0);
        },
      });
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
