import { AnswerProblem } from './answer-problem.ts';
import type { TreeRecord } from './read/tree.ts';

/**
 * How much of an answer is read. Bytes are bounded while they come in, but a few of them can make a value that takes many
 * more: what is counted here keeps the largest answer within some hundred megabytes.
 */
const mostValues = 10_000_000;
const mostRows = 1_000_000;
const mostCells = 20_000_000;

/** Records that large are slow to go through. */
const mostFields = 250_000;

/** A value takes two characters at least, so that a shorter text need not be counted. */
const shortestCounted = 2 * mostValues;

/** @throws AnswerProblem where JSON may hold more values than are read */
export function boundValues(text: string): void {
  if (text.length < shortestCounted) return;
  let values = 0;
  for (let place = text.indexOf(','); place >= 0; place = text.indexOf(',', place + 1)) {
    values += 1;
    if (values > mostValues) throw new AnswerProblem('too-many');
  }
}

/** @throws AnswerProblem where a table is larger than any that is read */
export function boundTable(rows: number, columns = 1): void {
  if (rows > mostRows || rows * columns > mostCells) throw new AnswerProblem('too-many');
}

/** @throws AnswerProblem where a record has more fields than are read */
export function boundFields(record: TreeRecord): void {
  if (Object.keys(record).length > mostFields) throw new AnswerProblem('too-many');
}
