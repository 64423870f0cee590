import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What a server made of a number of requests. */
export interface RedirectFigures {
  readonly requestsPerSecond: number;
  /** Milliseconds from the request to the whole answer, sorted. */
  readonly latencies: readonly number[];
}

/**
 * Sends GET requests over kept-alive connections, one at a time on each, written straight to the sockets: the load must
 * cost less than what it measures. Every answer must be a 302 without a body.
 *
 * @param paths taken in turns
 */
export async function loadRedirects(
  url: string,
  paths: readonly string[],
  { connections, requests }: { readonly connections: number; readonly requests: number },
): Promise<RedirectFigures> {
  const { hostname, port } = new URL(url);
  const messages = paths.map((path) => Buffer.from(requestText(path, `${hostname}:${port}`)));
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(hostname, Number(port))));
  const latencies: number[] = [];
  let sent = 0;
  const started = performance.now();
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve, reject) => {
          let at = 0;
          let answer = '';
          const next = () => {
            if (sent >= requests) return resolve();
            const message = messages[sent++ % messages.length];
            at = performance.now();
            if (message) socket.write(message);
          };
          socket.on('error', reject);
          socket.on('data', (data: string) => {
            answer += data;
            if (!answer.endsWith('\r\n\r\n')) return;
            if (!answer.startsWith('HTTP/1.1 302')) return reject(new Error(`No redirect: ${answer}`));
            answer = '';
            latencies.push(performance.now() - at);
            next();
          });
          next();
        }),
    ),
  );
  const seconds = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.destroy();
  return { requestsPerSecond: latencies.length / seconds, latencies: latencies.sort((a, b) => a - b) };
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
