import type { Reader } from '../store/database.ts';
import type { Rows, Tree } from '../wire/tree.ts';
import { readTokens, type Token } from './tokens.ts';

/** Lists all traffic sources by ID with their tokens; "Traffic sources list" of the specification. */
export async function listTrafficSources(reader: Reader): Promise<Rows> {
  const tokensOfSource = await readTokens(reader);
  const sources = await reader.query('SELECT id, name FROM traffic_sources ORDER BY id');
  return {
    element: 'Row',
    columns: ['ID', 'Name', 'Tokens'],
    rows: sources.map(({ id, name }) => [String(id), String(name), tokenList(tokensOfSource.get(Number(id)))]),
  };
}

/** Without tokens it is the empty text: XML has no other way to write an empty list. */
function tokenList(tokens: readonly Token[] = []): Tree {
  if (tokens.length === 0) return '';
  return {
    element: 'Token',
    columns: ['Slot', 'Name', 'Parameter', 'Placeholder'],
    rows: tokens.map(({ slot, name, parameter, placeholder }) => [slot, name, parameter, placeholder]),
  };
}
