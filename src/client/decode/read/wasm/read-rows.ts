/**
 * The loop over the rows of a large answer. It is AssemblyScript, which is TypeScript with the types of WebAssembly: compiled
 * ahead of time, it is as fast with the first row as with the last. `npm run wasm` writes ../row-loop-module.ts from it.
 *
 * It reads one block of a text at a time. An index counts from the start of the text; an address is where a byte stands here.
 */

// What is rare is asked of ../row-loop.ts: each takes and gives an index in the text, or -1.
declare function endOfOtherGap(start: i32, column: i32): i32;
declare function endOfEscaped(start: i32): i32;
declare function endOfBare(start: i32): i32;
declare function nextRow(endOfRow: i32): i32;
declare function isNothing(start: i32): bool;

const minus: u8 = 0x2d;
const point: u8 = 0x2e;
const zero: u8 = 0x30;

const powersOfTen = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
]);

/** Instead of an address: the block ends before the row does; there is no row here. */
const incomplete: usize = 0;
const noRow: usize = 1;

/** The bits of a column's kind: some cell is filled; some is no plain number. */
const filledBit: u8 = 1;
const otherBit: u8 = 2;

let width: i32 = 0;
let room: i32 = 0;
let startMark: i32 = -1;
let endMark: i32 = -1;
let escapeMark: i32 = -1;
let maxDigits: usize = 0;
let lengthOfLink: i32 = 0;
let lengthBetween: i32 = 0;
/** The index of the block, the address behind it, and whether the text ends there too. */
let base: i32 = 0;
let blockEnd: usize = 0;
let isLast: bool = false;

// Addresses of what ../row-loop.ts puts here, and takes from here.
export let sums: usize = 0;
/** Column by column. */
export let values: usize = 0;
/** Row by row, the index at which each cell starts. */
export let starts: usize = 0;
export let decimals: usize = 0;
export let gapLengths: usize = 0;
export let gaps: usize = 0;
/** What stands between two rows, and the first gap behind it. */
export let link: usize = 0;
export let kinds: usize = 0;
export let block: usize = 0;

/** Where the next row begins; -1 behind the last. */
export let next: i32 = 0;
/** The index behind the last row; -1 where something that is no row came instead of the next one. */
export let endOfRow: i32 = 0;

/** @param rows how many a block holds at most */
export function layOut(columns: i32, rows: i32, bytesOfGaps: i32, bytesOfLink: i32): void {
  width = columns;
  room = rows;
  lengthOfLink = bytesOfLink;
  sums = __heap_base;
  values = sums + 8 * <usize>columns;
  starts = values + 8 * <usize>columns * rows;
  decimals = starts + 4 * <usize>columns * rows;
  gapLengths = decimals + 4 * <usize>columns;
  gaps = gapLengths + 4 * (<usize>columns + 1);
  link = gaps + bytesOfGaps;
  kinds = link + bytesOfLink;
  block = kinds + columns;
}

/** @param bytesBetween how much of the link stands ahead of the row */
export function setForm(start: i32, end: i32, escaping: i32, digits: i32, bytesBetween: i32): void {
  startMark = start;
  endMark = end;
  escapeMark = escaping;
  maxDigits = digits;
  lengthBetween = bytesBetween;
}

/**
 * Reads the whole rows of the block.
 *
 * @param start the index of the block; a row begins there
 * @param isEnd whether the text ends where the block does
 * @param limit the index from which on no row is begun
 * @returns how many it has read
 */
export function readRows(start: i32, length: i32, isEnd: bool, max: i32, limit: i32): i32 {
  base = start;
  isLast = isEnd;
  blockEnd = block + length;
  // Ends the last cell too, so that no byte has to be compared with the end of the block.
  store<u8>(blockEnd, <u8>endMark);
  next = start;
  endOfRow = start;
  let row = 0;
  while (row < max && next >= 0 && next < limit && addressOf(next) < blockEnd) {
    const end = readRow(addressOf(next), row);
    if (end === noRow) endOfRow = -1;
    if (end <= noRow) break;
    row++;
    endOfRow = indexOf(end);
    next = startOfNext(end);
  }
  addUp(row);
  return row;
}

function addressOf(index: i32): usize {
  return block + (index - base);
}

function indexOf(address: usize): i32 {
  return base + <i32>(address - block);
}

/** @returns the address that a question to the outside led to */
function reached(index: i32): usize {
  if (index < 0) return noRow;
  return addressOf(index) > blockEnd ? incomplete : addressOf(index);
}

/** @returns the address behind the row */
function readRow(start: usize, row: i32): usize {
  let address = start;
  let gap = gaps;
  let cell = starts + 4 * <usize>(row * width);
  for (let column = 0; address > noRow; column++) {
    const length = load<i32>(gapLengths + 4 * <usize>column);
    address = endOfGap(address, gap, length, column);
    if (address <= noRow || column === width) break;
    if (address === blockEnd) return incomplete;
    gap += length;
    const isMarked = startMark < 0 || load<u8>(address) === startMark;
    const lengthOfMark = startMark >= 0 && isMarked ? 1 : 0;
    address += lengthOfMark;
    store<i32>(cell, indexOf(address));
    cell += 4;
    address = readCell(address, row, column, isMarked);
    if (address > noRow) address += lengthOfMark;
  }
  return address;
}

/** What stands ahead of a cell: most of a report is the names of its columns, again in each row. */
function endOfGap(start: usize, gap: usize, length: i32, column: i32): usize {
  const fits = start + length <= blockEnd;
  if (fits && isSame(start, gap, length)) return start + length;
  return fits || isLast ? reached(endOfOtherGap(indexOf(start), column)) : incomplete;
}

function startOfNext(end: usize): i32 {
  const isLinked = lengthOfLink > 0 && end + lengthOfLink <= blockEnd && isSame(end, link, lengthOfLink);
  return isLinked ? indexOf(end) + lengthBetween : nextRow(indexOf(end));
}

/** Eight or four bytes at a time; the last of them may begin inside those before. */
function isSame(one: usize, another: usize, length: i32): bool {
  if (length >= 8) {
    const last = length - 8;
    for (let offset = 0; offset < last; offset += 8) {
      if (load<u64>(one + offset) !== load<u64>(another + offset)) return false;
    }
    return load<u64>(one + last) === load<u64>(another + last);
  }
  if (length >= 4) {
    const last = length - 4;
    return load<u32>(one) === load<u32>(another) && load<u32>(one + last) === load<u32>(another + last);
  }
  for (let offset = 0; offset < length; offset++) {
    if (load<u8>(one + offset) !== load<u8>(another + offset)) return false;
  }
  return true;
}

/** @returns the address behind the cell, where its end mark is if it has one */
function readCell(start: usize, row: i32, column: i32, isMarked: bool): usize {
  const kind = load<u8>(kinds + column);
  if (!(kind & otherBit)) {
    const place = values + 8 * <usize>(column * room + row);
    const end = readNumber(start, place, column, isMarked);
    if (end !== noRow) return end;
    const isEmpty = isMarked ? load<u8>(start) === endMark : isNothing(indexOf(start));
    if (isEmpty) store<f64>(place, NaN);
    else store<u8>(kinds + column, kind | otherBit);
  }
  return isMarked ? endOfMarked(start) : reached(endOfBare(indexOf(start)));
}

/** @returns the address behind a cell that is a plain number; `noRow` where it is none */
function readNumber(start: usize, place: usize, column: i32, isMarked: bool): usize {
  const isNegative = load<u8>(start) === minus;
  const first = isNegative ? start + 1 : start;
  let digits: u64 = 0;
  let address = first;
  for (let digit = digitAt(address); digit <= 9; digit = digitAt(++address)) digits = digits * 10 + digit;
  const pointAt = address;
  let places: usize = 0;
  if (load<u8>(pointAt) === point) {
    address++;
    for (let digit = digitAt(address); digit <= 9; digit = digitAt(++address)) digits = digits * 10 + digit;
    places = address - 1 - pointAt;
    if (places === 0) return address < blockEnd ? noRow : incomplete;
  }
  if (address >= blockEnd) return incomplete;
  const whole = pointAt - first;
  const isPadded = whole > 1 && load<u8>(first) === zero;
  const length = address - first;
  if (whole === 0 || isPadded || length > maxDigits || (isMarked && load<u8>(address) !== endMark)) return noRow;
  const most = decimals + 4 * <usize>column;
  if (places > load<u32>(most)) store<u32>(most, <u32>places);
  // Whole numbers of 15 digits and powers of ten are exact, so their quotient is rounded as `Number` would.
  const value = places === 0 ? <f64>digits : <f64>digits / load<f64>(powersOfTen + 8 * places);
  store<f64>(place, isNegative ? 0 - value : value);
  store<u8>(kinds + column, filledBit);
  return address;
}

/** @returns more than 9 where there is none */
function digitAt(address: usize): u32 {
  return <u32>load<u8>(address) - zero;
}

function endOfMarked(start: usize): usize {
  const end = endMark;
  const escaping = escapeMark;
  let address = start;
  let byte: i32 = load<u8>(address);
  while (byte !== end && byte !== escaping) byte = load<u8>(++address);
  if (byte === end) return address < blockEnd ? address : incomplete;
  return reached(endOfEscaped(indexOf(start)));
}

/** Rows that were cut off are read again, so that only whole ones count. */
function addUp(rows: i32): void {
  for (let column = 0; column < width; column++) {
    if (load<u8>(kinds + column) & otherBit) continue;
    let sum = load<f64>(sums + 8 * <usize>column);
    const first = values + 8 * <usize>(column * room);
    const end = first + 8 * <usize>rows;
    for (let place = first; place < end; place += 8) {
      const value = load<f64>(place);
      if (!F64.isNaN(value)) sum += value;
    }
    store<f64>(sums + 8 * <usize>column, sum);
  }
}
