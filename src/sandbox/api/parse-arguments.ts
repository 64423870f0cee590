import type { Endpoint, Parameter } from '../../api/endpoints.ts';
import { encodeParameter } from '../../api/endpoints.ts';
import { findBrokenRule } from '../../api/rules.ts';
import { quoted, Refusal } from '../refusal.ts';
import type { WireParameters } from './read-wire-parameters.ts';
import { type Expectation, expectationOf } from './wire-values.ts';

/** Turns the wire parameters of one endpoint into its arguments by name, checked against the contract. */
export type ArgumentParser = (wire: WireParameters) => Readonly<Record<string, unknown>>;

/**
 * Prepares the parser of an endpoint. Parameters that the endpoint does not know are ignored; an empty text is a parameter
 * left out, except where the contract takes empty text as a value (notes).
 *
 * The parser throws a Refusal that names the wire parameter: one that is required and missing, a value the contract does not
 * allow, or a rule between parameters that is broken.
 */
export function argumentParser(endpoint: Endpoint): ArgumentParser {
  const readers = Object.entries(endpoint.parameters).map(([name, parameter]) => ({
    name,
    parameter,
    expectation: expectationOf(parameter),
  }));
  const label = (argument: string) => endpoint.parameters[argument]?.wire ?? argument;
  return (wire) => {
    const given: Record<string, unknown> = {};
    for (const { name, parameter, expectation } of readers) {
      const text = wire.get(parameter.wire);
      if (text !== undefined && (text !== '' || expectation.emptyIsValue)) {
        given[name] = parseText(parameter, expectation, text);
      } else if (isRequiredOnTheWire(parameter)) {
        throw new Refusal('invalid', `The required parameter ${parameter.wire} is missing.`);
      }
    }
    const broken = findBrokenRule(endpoint.rules, given, label);
    if (broken) throw new Refusal('invalid', broken);
    return given;
  };
}

/** An argument with a default that a client always sends is required of the request itself. */
function isRequiredOnTheWire(parameter: Parameter): boolean {
  if (parameter.required) return true;
  return parameter.fallback !== undefined && encodeParameter(parameter, parameter.fallback) !== undefined;
}

function parseText(parameter: Parameter, expectation: Expectation, text: string): unknown {
  const parsed = parameter.schema.safeParse(expectation.decode(text));
  if (parsed.success) return parsed.data;
  const problem = expectation.expected ? `must be ${expectation.expected}` : parsed.error.issues[0]?.message;
  throw new Refusal('invalid', `The parameter ${parameter.wire} ${problem}; it is ${quoted(text)}.`);
}
