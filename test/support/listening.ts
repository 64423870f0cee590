import type { AddressInfo, Server } from 'node:net';

const servers: Server[] = [];

/** Has a server listen on a free port of this machine until the tests of the file are done; returns its URL. */
export async function listening(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Ends the servers that the tests of a file started, and the connections to them. */
export function closeServers(): void {
  for (const server of servers.splice(0)) {
    if ('closeAllConnections' in server) (server.closeAllConnections as () => void)();
    server.close();
  }
}
