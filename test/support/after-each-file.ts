import { afterAll } from 'vitest';
import { closeAll } from './closing.ts';

// Files share the modules that they import, so each closes what it opened.
afterAll(closeAll);
