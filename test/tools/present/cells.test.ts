import { expect, test } from 'vitest';
import { foldNumbered } from '../../../src/api/text/names.ts';

const split = (text: string) => text.split(',').filter(Boolean);

test.each([
  ['Extra1,Extra2,Extra3,City', 'Extra1 to Extra3,City'],
  ['Name4,Value4,Name5,Value5,Name6,Value6', 'Name4 to Name6,Value4 to Value6'],
  ['Extra1,Extra2,Extra4,Extra5,Extra6', 'Extra1,Extra2,Extra4 to Extra6'],
  ['Offer,Offer2', 'Offer,Offer2'],
  ['Extra01,Extra02,Extra03', 'Extra01,Extra02,Extra03'],
  ['1,2,3', '1,2,3'],
  ['', ''],
])('%j becomes %j', (names, folded) => {
  expect(foldNumbered(split(names))).toEqual(split(folded));
});
