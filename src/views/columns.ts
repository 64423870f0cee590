/** A value in a table, as the tools return it. */
export type Cell = string | number | null;

/** A column as a reader meets it. */
export interface Column {
  readonly name: string;
  /** Every cell that has a value is a number. */
  readonly isNumeric: boolean;
  /** A number that is an amount, so that bars of it mean something; an ID is none. */
  readonly isMeasure: boolean;
  /** It has texts that need room to be read. */
  readonly isLong: boolean;
  readonly format: (cell: Cell) => string;
}

/** Characters beyond which a text is long. */
const longText = 20;

const identifier = /(^|[\s_])id$/i;

/**
 * What the columns of a table hold, judged by their cells.
 *
 * @param units of columns: "$" stands before a number, others after
 */
export function describeColumns(
  names: readonly string[],
  rows: readonly (readonly Cell[])[],
  units: Readonly<Record<string, string>> = {},
): Column[] {
  return names.map((name, index) => {
    const values = rows.map((row) => row[index] ?? null).filter((cell) => cell !== null);
    const numbers = values.filter((cell) => typeof cell === 'number');
    const isNumeric = numbers.length > 0 && numbers.length === values.length;
    const isIdentifier = identifier.test(name);
    return {
      name,
      isNumeric,
      isMeasure: isNumeric && !isIdentifier,
      isLong: values.some((cell) => typeof cell === 'string' && cell.length > longText),
      format: formatter(isNumeric ? numbers : [], units[name], !isIdentifier),
    };
  });
}

/** A column's numbers all get the same decimals, so that they line up. */
function formatter(numbers: readonly number[], unit: string | undefined, isGrouped: boolean): (cell: Cell) => string {
  const decimals = decimalsOf(numbers, unit);
  const digits = new Intl.NumberFormat('en-US', {
    useGrouping: isGrouped,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return (cell) => {
    if (typeof cell !== 'number') return cell ?? '';
    const text = digits.format(Math.abs(cell));
    // A minus sign for what rounds to nothing would be noise.
    const sign = cell < 0 && /[1-9]/.test(text) ? '−' : '';
    if (unit === '$') return `${sign}$${text}`;
    if (unit === '%') return `${sign}${text}%`;
    return unit === undefined ? `${sign}${text}` : `${sign}${text} ${unit}`;
  };
}

function decimalsOf(numbers: readonly number[], unit: string | undefined): number {
  const largest = Math.max(0, ...numbers.map(Math.abs));
  const most = unit === '%' ? 2 : largest < 0.01 ? 6 : 4;
  const used = numbers.map((number) => (String(number).split('.')[1] ?? '').length);
  const needed = Math.min(most, Math.max(0, ...used));
  return unit === '$' ? Math.max(2, needed) : needed;
}
