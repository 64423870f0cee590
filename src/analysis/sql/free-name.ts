const freeName = /^(?!(?:duckdb|pg|pragma|sqlite)_|information_schema)[\p{L}_][\p{L}\p{N}_ ]*$/iu;

/** Whether a name is no path, no address and no table of DuckDB's own, wherever it is looked up. */
export function isFreeName(name: string): boolean {
  return freeName.test(name);
}
