import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from '../../support/listening.ts';

/** A load balancer: each request goes to the next server. A read without an answer goes to another; a write fails. */
export async function startRoundRobin(targets: readonly string[], writingTools: Set<string>) {
  /** The URL of the replica for each request, in order. */
  const handed: string[] = [];
  let turn = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const isWrite = writingTools.has(String(request.headers['mcp-name']));
    turn += 1;
    const first = turn % targets.length;
    for (const target of [...targets.slice(first), ...targets.slice(0, first)]) {
      handed.push(target);
      try {
        const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
        const answer = await fetch(target, { method: 'POST', headers: headers as Record<string, string>, body });
        const answered = await answer.text();
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
        return void response.end(answered);
      } catch {
        if (isWrite) break;
      }
    }
    response.writeHead(502, { 'content-type': 'application/json' });
    response.end('{"error":{"code":502,"message":"no server answered"}}');
  });
  return { url: `${await listening(server)}/mcp`, handed };
}
