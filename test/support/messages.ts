/** The headers that clients of the protocol send over HTTP. */
export const clientHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** The JSON of an answer, which may be the only event of a stream. */
export function jsonIn(text: string) {
  const json = text.startsWith('event:') ? (/^data: (.*)$/m.exec(text)?.[1] ?? '') : text;
  return json === '' ? {} : JSON.parse(json);
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

export const toolCall = (name: string, given: object = {}) => ({
  ...{ jsonrpc: '2.0', id: 7, method: 'tools/call' },
  params: { name, arguments: given },
});
