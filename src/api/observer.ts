/** The trace that a call belongs to, as W3C Trace Context; empty if the caller does not trace. */
export interface TraceOrigin {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** Watches one tracker, without any effect on calls. */
export interface TrackerObserver {
  /**
   * @param status absent if there was no answer
   * @param resent how many times this read had been sent before
   */
  readonly trackerAnswered?: (endpoint: string, status: number | undefined, seconds: number, resent: number) => void;
  readonly readRepeated?: (endpoint: string) => void;
  /** The guard refused a call. */
  readonly callRefused?: (tool: string) => void;
}

/** The caller of a tool; empty over standard input and output. */
export interface Caller {
  readonly token?: string | undefined;
  readonly requestId?: string | undefined;
}

/** Watches the server, without any effect on calls. */
export interface Observer {
  /** Wraps a call of a tool, so that everything inside it can be attributed to it. */
  readonly duringCall?: <Result>(tool: string, origin: TraceOrigin, run: () => Promise<Result>) => Promise<Result>;
  /** `asked`: the call waits for a person's answer. One call may ask several trackers. */
  readonly toolCalled?: (tool: string, outcome: 'ok' | 'error' | 'asked', seconds: number, caller: Caller) => void;
  /** A write now waits for a person. */
  readonly writeProposed?: (tool: string, proposal: string, caller: Caller) => void;
  /** @param tracker its configured name; undefined if there is only one */
  readonly atTracker?: (tracker: string | undefined) => TrackerObserver;
}

/** Calls both functions, if they exist. */
function both<Args extends readonly unknown[]>(
  one: ((...args: Args) => void) | undefined,
  other: ((...args: Args) => void) | undefined,
): (...args: Args) => void {
  return (...args) => {
    one?.(...args);
    other?.(...args);
  };
}

/** Passes everything to both observers. */
export function bothObservers(one: Observer, other: Observer): Required<Observer> {
  return {
    duringCall: (tool, origin, run) => {
      const inner = () => other.duringCall?.(tool, origin, run) ?? run();
      return one.duringCall?.(tool, origin, inner) ?? inner();
    },
    toolCalled: both(one.toolCalled, other.toolCalled),
    writeProposed: both(one.writeProposed, other.writeProposed),
    atTracker: (tracker) => {
      const [first, second] = [one.atTracker?.(tracker), other.atTracker?.(tracker)];
      return {
        trackerAnswered: both(first?.trackerAnswered, second?.trackerAnswered),
        readRepeated: both(first?.readRepeated, second?.readRepeated),
        callRefused: both(first?.callRefused, second?.callRefused),
      };
    },
  };
}
