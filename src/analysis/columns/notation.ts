import type { PlainColumn } from '../../api/plain-numbers.ts';
import type { Group, Origin, Table } from '../../api/table.ts';
import { fromTracker, rawText } from '../../api/text/tracker-text.ts';
import type { TrackerNumbers } from '../../api/tracker-numbers.ts';
import { holdsAmounts } from './amount-names.ts';
import { bareNotation, decide, Evidence, type Notation, parseAmount, usualNotation } from './amounts.ts';
import { holdsCounts } from './measures.ts';

/** How the numbers of an answer are written: one notation, which all its columns decide together. */

/** Computes a value once per table and keeps it with the table. */
export function memoizePerTable<Value>(compute: (table: Table) => Value): (table: Table) => Value {
  return (table) => {
    const { derived } = table;
    const known = derived.get(compute);
    if (known !== undefined || derived.has(compute)) return known as Value;
    const value = compute(table);
    derived.set(compute, value);
    return value;
  };
}

/** A decision, and what was learned of the tracker when it was made. */
interface Decision {
  readonly notation: Notation;
  readonly evidence: Evidence;
  readonly learned: TrackerNumbers['learned'];
  readonly hasSeenComma: boolean;
}

/** Kept with the first table of an answer: they are used together. */
const decisionOf = memoizePerTable((): { decision?: Decision } => ({}));

/**
 * The notation of the answer that a table came with. A table that this server made has numbers that can be read alone, and texts of
 * trackers that could not be read, which stay texts.
 */
export function notationOf({ origin }: Table): Notation {
  if (!origin) return bareNotation;
  const { numbers } = origin;
  const [first] = origin.tables;
  const kept = first && decisionOf(first);
  const known = kept?.decision;
  const decision = known && isCurrent(known, numbers) ? known : decideFor(origin, known?.evidence);
  if (kept) kept.decision = decision;
  noteUse(decision, origin);
  return decision.notation;
}

/** What other answers show may settle a notation that the cells of this one leave open. */
function isCurrent({ notation, learned, hasSeenComma }: Decision, numbers: TrackerNumbers): boolean {
  if (notation.by === 'cells' || notation.by === 'setting' || notation.contradiction) return true;
  return learned === numbers.learned && hasSeenComma === numbers.hasSeenComma;
}

function noteUse({ notation, evidence }: Pick<Decision, 'notation' | 'evidence'>, { uses }: Origin): void {
  const { decimal, by } = notation;
  const isShown = by === 'cells' || evidence.open.size > 0 || evidence.byForm.has('comma');
  if (decimal === 'comma' && isShown) uses.comma = true;
  if (by === 'earlier answers' && evidence.open.has('comma')) uses.learned = true;
}

function decideFor({ tables, numbers }: Origin, known: Evidence | undefined): Decision {
  const evidence = known ?? new Evidence();
  if (!known) for (const table of tables) addTable(evidence, table);
  const isOpen = evidence.open.size + evidence.byCount.size > 0 || evidence.byForm.has('comma');
  if (isOpen || numbers.hasSeenComma) for (const table of tables) addOpenPlain(evidence, table);
  const decided = decide(evidence, numbers);
  // Among texts and numbers of JSON, 1.234 may be either, and only texts show how texts are written.
  const isShown = decided.by === 'cells' && decided.decimal === 'point';
  const isDoubtful = !isShown && decided.readsOpenPoint && tables.some(hasMixedAmounts);
  const notation = isDoubtful ? { ...decided, readsOpenPoint: false } : decided;
  return { notation, evidence, learned: numbers.learned, hasSeenComma: numbers.hasSeenComma };
}

const hasMixedAmounts = ({ columns, cells }: Table): boolean =>
  columns.some((name, column) => holdsAmounts(rawText(name)) && typeof cells.typing(column) !== 'string');

const isTyped = ({ cells }: Table, column: number): boolean => cells.typing(column) === 'numbers';

/** Whether a column of a tracker counts something, so that its numbers are whole. What this server made may be a mean. */
export const isCount = ({ columns, origin }: Table, column: number): boolean =>
  origin !== undefined && holdsCounts(rawText(columns[column] ?? fromTracker('')));

/** The notation of a column: numbers of JSON have a decimal point, whatever the texts of their answer have. */
export function notationIn(table: Table, column: number): Notation {
  if (isOpenCount(table, column)) return notationOfOpenCount(notationOf(table));
  return isTyped(table, column) ? usualNotation : notationOf(table);
}

const openNumber = /^-?[1-9]\d{0,2}\.\d{3}$/;

/** Whether a count may be a number of JSON such as 1.000: a thousand without its quotation marks, or one with three decimals. */
function isOpenCount(table: Table, column: number): boolean {
  const columns = openCounts(table);
  columns[column] ??= isCount(table, column) && holdsOpenNumber(table, column);
  return columns[column];
}

const openCounts = memoizePerTable((): boolean[] => []);

function holdsOpenNumber(table: Table, column: number): boolean {
  const typing = table.cells.typing(column);
  if (typing === 'texts' || table.numbers(column)?.decimals === 0) return false;
  const isText = (text: string) => typeof typing !== 'string' && typing.has(text);
  return table.column(column).some((cell) => cell !== null && openNumber.test(rawText(cell)) && !isText(rawText(cell)));
}

/** A decimal point elsewhere does not show what such a number is. */
function notationOfOpenCount(notation: Notation): Notation {
  const { by, decimal } = notation;
  return by === 'setting' || (by === 'cells' && decimal === 'comma') ? notation : undecided;
}

const undecided: Notation = { decimal: undefined, by: 'nothing', readsOpenPoint: false };

/** After so many filled cells without a single number, a column is text. */
const maxTexts = 200;

function addTable(evidence: Evidence, table: Table): void {
  for (const [column, name] of table.columns.entries()) {
    if (!holdsAmounts(rawText(name))) continue;
    const plain = table.numbers(column);
    if (plain?.decimals !== 0 && isTyped(table, column)) {
      evidence.hasTypedPoint ||=
        !isOpenCount(table, column) &&
        (plain !== undefined || table.column(column).some((cell) => cell && rawText(cell).includes('.')));
      continue;
    }
    // Of plain numbers, only a count with three decimals is in question before anything else is.
    const isMixed = () => typeof table.cells.typing(column) !== 'string';
    if (plain && !(isCount(table, column) && plain.decimals > 0) && !(plain.decimals >= 3 && isMixed()))
      evidence.addPlain(plain.decimals, () => exampleIn(table, column, plain));
    else evidence.addColumn(evidenceOf(table, column), isCount(table, column));
  }
}

/** Columns of plain numbers with three decimals, which matter only if something else is in question. */
function addOpenPlain(evidence: Evidence, table: Table): void {
  for (const [column, name] of table.columns.entries()) {
    if (!holdsAmounts(rawText(name)) || isCount(table, column)) continue;
    if (table.numbers(column)?.decimals === 3 && !isTyped(table, column))
      evidence.addColumn(evidenceOf(table, column), false);
  }
}

const evidences = memoizePerTable((): Evidence[] => []);

function evidenceOf(table: Table, column: number): Evidence {
  const columns = evidences(table);
  columns[column] ??= readEvidence(table, column);
  return columns[column];
}

/** The most common form, which shows nothing new after its first cell. */
const usualDecimal = /^-?[$€£¥]?-?(?:0|[1-9]\d{0,8})\.\d{2} ?[%€$]?$/;

const plainDecimal = /^-?\d+\.\d+$/;

function readEvidence(table: Table, column: number): Evidence {
  const evidence = new Evidence();
  const isMixed = typeof table.cells.typing(column) !== 'string';
  let texts = 0;
  for (let row = 0; row < table.rowCount && texts <= maxTexts; row += 1) {
    const text = table.cells.text(row, column);
    if (text === null || (usualDecimal.test(text) && evidence.byForm.has('point'))) continue;
    const amount = parseAmount(text);
    // It may be a number of JSON, of which only the texts beside it show how they are written.
    if (isMixed && amount && !amount.isOpen && plainDecimal.test(text)) evidence.hasTypedPoint = true;
    else if (isMixed && isOpenCount(table, column)) continue;
    else if (amount) evidence.add(text, amount);
    texts = amount ? Number.NEGATIVE_INFINITY : texts + 1;
  }
  return evidence;
}

/** A cell with the most decimals. */
function exampleIn(table: Table, column: number, { decimals }: PlainColumn): string {
  for (let row = 0; row < table.rowCount; row += 1) {
    const text = table.cells.text(row, column) ?? '';
    if (text.length - text.indexOf('.') - 1 === decimals && text.includes('.')) return text;
  }
  return '';
}

/** Whether a number such as `1.234` is read with a decimal point only because that is usual, or because other numbers have one. */
export function hasAssumedPoint(table: Table): boolean {
  const { by, readsOpenPoint } = notationOf(table);
  if ((by !== 'nothing' && by !== 'numbers of JSON') || !readsOpenPoint) return false;
  return [...table.columns.entries()].some(
    ([column, name]) =>
      holdsAmounts(rawText(name)) && !isTyped(table, column) && evidenceOf(table, column).open.size > 0,
  );
}

/** Whether a column of plain numbers means what it says in this notation. */
export function readsPlainly(table: Table, column: number, { decimal, readsOpenPoint }: Notation): boolean {
  const decimals = table.numbers(column)?.decimals ?? 0;
  if (decimals === 0) return true;
  // A number of JSON such as 1.400 is no count either.
  if (isCount(table, column)) return false;
  if (isTyped(table, column)) return true;
  if (decimal !== 'comma' && readsOpenPoint) return true;
  // A cell such as 112.4 can be read in one way only.
  return !evidenceOf(table, column).open.has('point');
}

/** The notation of the groups of a lookup, which are few fields. */
export function notationOfGroups(groups: readonly Group[]): Notation {
  const evidence = new Evidence();
  for (const [name, cell] of groups.flatMap(({ fields }) => fields)) {
    const amount = cell !== null && holdsAmounts(rawText(name)) ? parseAmount(rawText(cell)) : undefined;
    if (cell === null || !amount) continue;
    const one = new Evidence();
    one.add(rawText(cell), amount);
    evidence.addColumn(one, holdsCounts(rawText(name)));
  }
  const origin = groups.find((group) => group.origin)?.origin;
  if (!origin) return usualNotation;
  const notation = decide(evidence, origin.numbers);
  noteUse({ notation, evidence }, origin);
  return notation;
}
