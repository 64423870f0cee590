import { afterAll } from 'vitest';
import { closeConnections } from './connect.ts';

// Files share the modules they import, so that each is loaded once; what one of them opened must not outlive it.
afterAll(closeConnections);
