import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { listening } from '../support/listening.ts';

/** A tracker that answers each request with the bytes of a test, and closes the connection a moment later. */
export async function startRawTracker(answer: (path: string) => Uint8Array) {
  let requests = 0;
  const server = createServer((socket) => {
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (part) => {
      text += part;
      const [head = '', body] = text.split('\r\n\r\n');
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (body === undefined || body.length < length) return;
      text = '';
      requests += 1;
      socket.write(answer(head.split(' ')[1] ?? ''), () => setTimeout(() => socket.end(), 10));
    });
  });
  onTestFinished(() => void server.close());
  return { url: await listening(server), requests: () => requests };
}

/** A response as bytes. */
export function responseOf(headers: readonly string[], body: Uint8Array | string = ''): Buffer {
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\n${headers.join('\r\n')}\r\n\r\n`, 'latin1'),
    Buffer.from(body),
  ]);
}

/** A response of a length that its header says. */
export function encoded(encodings: string, body: Uint8Array | string): Buffer {
  const lines = encodings.split('\n').map((value) => `Content-Encoding: ${value}`);
  return responseOf([...lines, `Content-Length: ${body.length}`], body);
}
