import { Agent, createServer } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { playVisitor, readProfile } from '../../src/sandbox/play-visitor.ts';
import { listening } from '../support/listening.ts';

test('a visitor continues if the server closed an idle connection', async () => {
  const used = new Set<Socket>();
  const served: string[] = [];
  const server = createServer((request, response) => {
    // A server may close an idle connection just when the next request is sent.
    if (used.has(request.socket)) return request.socket.destroy();
    used.add(request.socket);
    served.push(request.url?.split('?', 1)[0] ?? '');
    if (request.url?.startsWith('/adclick.php')) return response.end('OK');
    const page = request.url?.startsWith('/base.php') ? '1' : '2';
    return response
      .writeHead(302, { location: 'https://example.com/', 'tracker-page': page, 'set-cookie': 'tracker_subid=a_1_1' })
      .end();
  });
  const url = await listening(server);
  const page = { active: true, level: 1, path: 1 };
  const journey = await playVisitor({
    agent: new Agent({ keepAlive: true, maxSockets: 1 }),
    campaign: {
      link: `${url}/base.php?c=1`,
      placeholders: new Map(),
      pages: new Map([
        [1, { ...page, id: 1, kind: 'landing', name: 'Page' }],
        [2, { ...page, id: 2, kind: 'offer', name: 'Offer' }],
      ]),
      isDirectLink: false,
      hasOptionGroups: false,
    },
    profile: readProfile('{"default":{"click":1,"convert":1}}'),
    random: () => 0.5,
    name: 'one',
  });
  expect(journey).toMatchObject({ pages: [1, 2], clicked: [1], conversion: { offer: 2 } });
  expect(served).toEqual(['/base.php', '/base2.php', '/adclick.php']);
});
