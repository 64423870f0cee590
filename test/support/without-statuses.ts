import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listening } from './listening.ts';

/** A tracker like another, whose answers to these paths below /api/ have no statuses; `asked` are the paths it is asked for. */
export async function withoutStatuses(url: string, has: (path: string) => boolean) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const answer = await fetch(url + request.url, {
      ...{ method: request.method ?? 'GET', headers: { 'content-type': request.headers['content-type'] ?? '' } },
      ...(body === '' ? {} : { body }),
    });
    const path = (request.url ?? '').replace(/^\/api\/|\/?(\?.*)?$/g, '');
    asked.push(path);
    const whole = await answer.text();
    response.end(has(path) ? whole.replaceAll(/"status": ?("[^"]*"|null),?/gi, '') : whole);
  });
  return { url: await listening(server), asked };
}
