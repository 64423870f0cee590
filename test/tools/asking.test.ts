import { expect, test } from 'vitest';
import { paceOf } from '../../src/tools/asking.ts';
import type { CallContext } from '../../src/tools/define-tool.ts';
import { contextFor } from '../support/connect.ts';

test('a computation stops when its call is cancelled', async () => {
  const call = new AbortController();
  const pace = paceOf({ ...contextFor({}), signal: call.signal } as CallContext);
  await pace.rest();
  call.abort();
  await expect(pace.rest()).rejects.toMatchObject({ happened: 'The call was cancelled.' });
});
