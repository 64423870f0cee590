import { AnswerProblem } from './answer-problem.ts';
import type { TreeRecord } from './read/tree.ts';

/**
 * How much of an answer is read. Bytes are bounded while they come in, but a few of them can make a value that takes many
 * more: what is counted here keeps the largest answer within some hundred megabytes.
 */
const maxValues = 10_000_000;
const maxRows = 1_000_000;
const maxCells = 20_000_000;

/** Records that large are slow to go through. */
const maxFields = 250_000;

/** A value takes two characters at least, so that a shorter text need not be counted. */
const minCountedLength = 2 * maxValues;

/** @throws AnswerProblem where JSON may hold more values than are read */
export function boundValues(text: string): void {
  if (text.length < minCountedLength) return;
  let values = 0;
  for (let index = text.indexOf(','); index >= 0; index = text.indexOf(',', index + 1)) {
    values += 1;
    if (values > maxValues) throw new AnswerProblem('too-many');
  }
}

/** @throws AnswerProblem where a table is larger than any that is read */
export function boundTable(rows: number, columns = 1): void {
  if (rows > maxRows || rows * columns > maxCells) throw new AnswerProblem('too-many');
}

/** @throws AnswerProblem where a record has more fields than are read */
export function boundFields(record: TreeRecord): void {
  if (Object.keys(record).length > maxFields) throw new AnswerProblem('too-many');
}
