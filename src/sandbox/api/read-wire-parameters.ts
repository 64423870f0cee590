import type { HonoRequest } from 'hono';

/** The parameters of a request by wire name, as text. */
export type WireParameters = ReadonlyMap<string, string>;

/**
 * The parameters of a GET or POST request, "Common rules" 1: from the query string, and on a POST from the form-encoded body
 * too, which wins. Of a repeated parameter the last one counts.
 */
export async function readWireParameters(request: HonoRequest): Promise<WireParameters> {
  const query = new URL(request.url).searchParams;
  if (request.method !== 'POST') return new Map(query);
  return new Map([...query, ...new URLSearchParams(await request.text())]);
}
