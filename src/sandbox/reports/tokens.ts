import { type TokenSlot, tokenSlots } from '../../api/token-slots.ts';
import type { Reader } from '../store/database.ts';

/** One token of a traffic source: which URL parameter of an ad fills which slot of a visit. */
export interface Token {
  readonly slot: TokenSlot;
  readonly name: string;
  readonly parameter: string;
  readonly placeholder: string;
}

/** The tokens of every traffic source by its ID, in the order of the slots. */
export async function readTokens(reader: Reader): Promise<ReadonlyMap<number, readonly Token[]>> {
  const rows = await reader.query('SELECT * FROM traffic_source_tokens');
  const tokens = new Map<number, Token[]>();
  for (const { traffic_source_id: source, slot, name, parameter, placeholder } of rows) {
    const ofSource = tokens.get(Number(source)) ?? [];
    ofSource.push({
      slot: String(slot) as TokenSlot,
      name: String(name),
      parameter: String(parameter),
      placeholder: String(placeholder),
    });
    tokens.set(Number(source), ofSource);
  }
  const indexOf = ({ slot }: Token) => tokenSlots.indexOf(slot);
  for (const ofSource of tokens.values()) ofSource.sort((one, other) => indexOf(one) - indexOf(other));
  return tokens;
}
