/** Told of what happens, for whoever measures it. Nothing it does changes what happens. */
export interface Observer {
  /** `asked`: the call waits for a person's answer. */
  readonly toolCalled?: (tool: string, outcome: 'ok' | 'error' | 'asked', seconds: number) => void;
  /** @param status absent where no answer came */
  readonly trackerAnswered?: (endpoint: string, status: number | undefined, seconds: number) => void;
  readonly readRepeated?: (endpoint: string) => void;
  /** The guard kept a call from being carried out. */
  readonly callRefused?: (tool: string) => void;
}
