import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonOf } from '../../../src/api/text/json.ts';

test('the JSON of a record is what JSON.stringify makes of it, however often it is asked for', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.option(fc.jsonValue(), { nil: undefined })), (record) => {
      expect(jsonOf(record)).toBe(JSON.stringify(record));
      expect(jsonOf({ ...record })).toBe(JSON.stringify(record));
    }),
  );
});
