import { afterAll } from 'vitest';
import { closeConnections } from '../../support/connect.ts';
import { removeFolders } from '../../support/folders.ts';
import { closeServers } from '../../support/listening.ts';
import { closeClients } from './clients.ts';
import { endThread } from './run-command.ts';

// Files share their imported modules, so each closes what it opened.
afterAll(async () => {
  await closeClients();
  await closeConnections();
  await endThread();
  closeServers();
  await removeFolders();
});
