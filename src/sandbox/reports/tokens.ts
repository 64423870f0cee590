import type { Reader } from '../store/database.ts';
import { tokenSlots } from './token-slots.ts';

/** One token of a traffic source: which URL parameter of an ad fills which slot of a visit. */
export interface Token {
  readonly slot: string;
  readonly name: string;
  readonly parameter: string;
  readonly placeholder: string;
}

const slotOrder = new Map(tokenSlots.map(({ slot }, index) => [slot, index]));

/** The tokens of every traffic source by its ID, in the order of the slots. */
export async function readTokens(reader: Reader): Promise<ReadonlyMap<number, readonly Token[]>> {
  const rows = await reader.query('SELECT * FROM traffic_source_tokens');
  const tokens = new Map<number, Token[]>();
  for (const { traffic_source_id: source, slot, name, parameter, placeholder } of rows) {
    const ofSource = tokens.get(Number(source)) ?? [];
    ofSource.push({
      slot: String(slot),
      name: String(name),
      parameter: String(parameter),
      placeholder: String(placeholder),
    });
    tokens.set(Number(source), ofSource);
  }
  const position = (token: Token) => slotOrder.get(token.slot) ?? slotOrder.size;
  for (const ofSource of tokens.values()) ofSource.sort((one, other) => position(one) - position(other));
  return tokens;
}
