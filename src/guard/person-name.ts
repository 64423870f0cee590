import * as z from 'zod';

/** What the holder of a token and an approver are called, in files, logs and the audit trail. */
export const personName = z.string().regex(/^[\w.@-]{1,100}$/, 'must be 1 to 100 letters, digits or any of . _ @ -');
