import type { Endpoint, WireParameters } from '../api/endpoints.ts';

/** What was there before a write, by the names of its tool's arguments; an argument whose value was not known is left out. */
export type ValuesBefore = Readonly<Record<string, unknown>>;

/** The request of a write as the guard sees it: it judges, asks about and records what will be sent, and nothing beside it. */
export interface WriteRequest {
  readonly endpoint: Endpoint;
  /** What was given, by the names of the tool's arguments. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The parameters exactly as they are sent, with the key masked. */
  readonly shown: WireParameters;
}

/** One request of a write. */
export interface Step<Request extends WriteRequest> {
  readonly request: Request;
  /** What was there before, as far as the tracker said. */
  readonly before?: ValuesBefore | undefined;
}
