import { afterAll } from 'vitest';
import { closeMeetingPlaces } from './approving.ts';
import { closeConnections } from './connect.ts';
import { removeFolders } from './folders.ts';
import { closeServers } from './listening.ts';

// Files share the modules they import, so that each is loaded once; what one of them opened must not outlive it.
afterAll(async () => {
  await closeConnections();
  await closeMeetingPlaces();
  closeServers();
  await removeFolders();
});
