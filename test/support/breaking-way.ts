import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from './listening.ts';
import { writingTools } from './specified.ts';

/** How a write breaks: refused by the server, its answer lost before or after it was carried out, or carried out and never answered. */
export type Break = 'status 500' | 'lost before' | 'lost after' | 'hangs';

/** A way to a tracker over HTTP, which records the writes and can break one of them. */
export async function startBreakingWay(target: string) {
  const paths = new Set(writingTools.map(({ path }) => `/api/${path}/`));
  let writes: Readonly<Record<string, string>>[] = [];
  let broken: { readonly at: number; readonly how: Break } | undefined;
  let onHang = () => {};
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const isWrite = paths.has(`${request.url}`.replace(/\/?(?:\?.*)?$/, '/'));
    if (isWrite) {
      const { key: _, format: __, ...sent } = Object.fromEntries(new URLSearchParams(body));
      writes.push(sent);
    }
    const how = isWrite && writes.length === broken?.at ? broken.how : undefined;
    if (how === 'lost before') return request.socket.destroy();
    if (how === 'status 500') return response.writeHead(500).end('{"Status":"Error"}');
    const reply = await fetch(new URL(`${request.url}`, target), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
    const answer = await reply.text();
    if (how === 'lost after') return request.socket.destroy();
    if (how === 'hangs') return onHang();
    return response.writeHead(reply.status).end(answer);
  });
  return {
    url: await listening(server),
    /** Breaks the write with this number, counted from the last call of `writes`. Resolves once it hangs. */
    breakAt: (at: number, how: Break) => {
      broken = { at, how };
      return new Promise<void>((resolve) => {
        onHang = resolve;
      });
    },
    /** The parameters of the writes since the last call, without the key. Ends what breaks. */
    writes: () => {
      const all = writes;
      writes = [];
      broken = undefined;
      return all;
    },
  };
}
