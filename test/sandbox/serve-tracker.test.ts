import { expect, test } from 'vitest';
import { listeningFailure } from '../../src/sandbox/serve-tracker.ts';

test.each([
  ['EADDRINUSE', 'Port 80 is in use.'],
  ['EACCES', 'Port 80 may not be used: the system gives it to privileged processes alone.'],
  ['ENOBUFS', 'Port 80 cannot be used: listen ENOBUFS.'],
])('%s on listening is told in words, with what to do', (code, said) => {
  const { message } = listeningFailure(Object.assign(new Error(`listen ${code}`), { code }), 80);
  expect(message).toBe(`${said} Choose another with --port, or 0 for a free one.`);
});
