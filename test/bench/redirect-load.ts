import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What a server did with the requests of some seconds. */
export interface RedirectFigures {
  readonly requests: number;
  /** How many were not redirected, by status. */
  readonly refused: ReadonlyMap<string, number>;
  readonly requestsPerSecond: number;
  /** Milliseconds from the request to the whole answer, sorted. */
  readonly latencies: readonly number[];
}

/**
 * Sends GET requests over keep-alive connections, one at a time on each. They are written straight to the sockets, because the
 * load must cost less than what it measures. Answers that are not redirects must have a body that ends with a line feed.
 *
 * @param paths used in turn
 */
export async function loadRedirects(
  url: string,
  paths: readonly string[],
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<RedirectFigures> {
  const { hostname, port } = new URL(url);
  const messages = paths.map((path) => Buffer.from(requestText(path, `${hostname}:${port}`)));
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(hostname, Number(port))));
  const latencies: number[] = [];
  const refused = new Map<string, number>();
  let sent = 0;
  const started = performance.now();
  const end = started + 1000 * seconds;
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve, reject) => {
          let sentAt = 0;
          let answer = '';
          const next = () => {
            sentAt = performance.now();
            if (sentAt >= end) return resolve();
            const message = messages[sent++ % messages.length];
            if (message) socket.write(message);
          };
          socket.on('error', reject);
          socket.on('data', (data: string) => {
            answer += data;
            if (!isComplete(answer)) return;
            const [, status = ''] = answer.split(' ', 2);
            if (status !== '302') refused.set(status, (refused.get(status) ?? 0) + 1);
            answer = '';
            latencies.push(performance.now() - sentAt);
            next();
          });
          next();
        }),
    ),
  );
  const elapsed = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.destroy();
  return {
    requests: latencies.length,
    refused,
    requestsPerSecond: latencies.length / elapsed,
    latencies: latencies.sort((a, b) => a - b),
  };
}

/** A redirect ends with its headers, every other answer with a line feed. */
function isComplete(answer: string): boolean {
  return answer.startsWith('HTTP/1.1 302') ? answer.endsWith('\r\n\r\n') : /\r\n\r\n[\s\S]*\n$/.test(answer);
}

async function open(host: string, port: number): Promise<Socket> {
  const socket = connect(port, host).setNoDelay().setEncoding('latin1');
  await once(socket, 'connect');
  return socket;
}

function requestText(path: string, host: string): string {
  return [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}`,
    'User-Agent: Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
    'Accept: text/html',
    'Referer: https://www.example.com/search',
    '\r\n',
  ].join('\r\n');
}
