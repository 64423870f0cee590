/** Where a call comes from, in the words of the W3C Trace Context; empty if the caller does not trace. */
export interface TraceOrigin {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
}

/** Told of what happens at one tracker. Nothing it does changes what happens. */
export interface TrackerObserver {
  /**
   * @param status absent if no answer came
   * @param resent how often the same read was sent before
   */
  readonly trackerAnswered?: (endpoint: string, status: number | undefined, seconds: number, resent: number) => void;
  readonly readRepeated?: (endpoint: string) => void;
  /** The guard kept a call from being carried out. */
  readonly callRefused?: (tool: string) => void;
}

/** Whose call it is; empty over standard input and output. */
export interface Caller {
  /** The name of the token. */
  readonly token?: string | undefined;
  /** The ID of the HTTP request. */
  readonly requestId?: string | undefined;
}

/** Called as things happen, to measure them. Nothing it does changes what happens. */
export interface Observer {
  /** Carries out a call of a tool, so that what happens meanwhile can be kept apart from other calls. */
  readonly duringCall?: <Result>(tool: string, origin: TraceOrigin, run: () => Promise<Result>) => Promise<Result>;
  /** `asked`: the call waits for a person's answer. One call may ask several trackers. */
  readonly toolCalled?: (tool: string, outcome: 'ok' | 'error' | 'asked', seconds: number, caller: Caller) => void;
  /** @param tracker the name it was configured by; undefined if there is but one */
  readonly atTracker?: (tracker: string | undefined) => TrackerObserver;
}

/** Calls both functions, as far as they are there. */
function both<Args extends readonly unknown[]>(
  one: ((...args: Args) => void) | undefined,
  other: ((...args: Args) => void) | undefined,
): (...args: Args) => void {
  return (...args) => {
    one?.(...args);
    other?.(...args);
  };
}

/** Passes everything on to both. */
export function bothObservers(one: Observer, other: Observer): Required<Observer> {
  return {
    duringCall: (tool, origin, run) => {
      const inner = () => other.duringCall?.(tool, origin, run) ?? run();
      return one.duringCall?.(tool, origin, inner) ?? inner();
    },
    toolCalled: both(one.toolCalled, other.toolCalled),
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
