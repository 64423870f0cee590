import type { Endpoint, WireParameters } from '../api/endpoints.ts';

/** The request of a write as the guard sees it: it judges, asks about and records what will be sent, and nothing beside it. */
export interface WriteRequest {
  readonly endpoint: Endpoint;
  /** What was given, by the names of the tool's arguments. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The parameters exactly as they are sent, with the key masked. */
  readonly shown: WireParameters;
}
