import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { setup } from './support/fixture.ts';
import { startTracker } from './support/tracker.ts';

test.each(['/api/stats/', '/adclick.php'])(
  'a request to %s that is broken off leaves nothing in the log',
  async (path) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const tracker = await startTracker(setup);
    const socket = connect(Number(new URL(tracker.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const head = ['Host: tracker', 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 1000'];
    socket.write([`POST ${path} HTTP/1.1`, ...head, '', 'key=the'].join('\r\n'));
    // A request sent later is answered later: by then the first one is being read.
    expect((await tracker.ask('campaign/list')).Status).toBe('OK');
    socket.destroy();
    await once(socket, 'close');
    expect((await tracker.ask('campaign/list')).Status).toBe('OK');
    await tracker.close();
    expect(log.mock.calls).toEqual([]);
    log.mockRestore();
  },
);
