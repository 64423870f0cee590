import type { AddressInfo, Server } from 'node:net';
import { closeAfterTests } from './closing.ts';

/** Makes a server listen on a free port of this machine until the tests of the file are done. Returns its URL. */
export async function listening(server: Server): Promise<string> {
  closeAfterTests(() => {
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
