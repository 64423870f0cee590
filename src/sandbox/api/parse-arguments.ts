import {
  type Endpoint,
  type EndpointArguments,
  type EndpointName,
  encodeParameter,
  type Parameter,
} from '../../api/endpoints.ts';
import { findBrokenRule } from '../../api/rules.ts';
import { quoted, Refusal } from '../refusal.ts';
import type { WireParameters } from './read-wire-parameters.ts';
import { type Expectation, expectationOf } from './wire-values.ts';

/** Turns the wire parameters of one endpoint into its arguments by name, checked against the contract. */
type ArgumentParser<Name extends EndpointName> = (wire: WireParameters) => EndpointArguments<Name>;

/**
 * Prepares the parser of an endpoint. Parameters that the endpoint does not know are ignored; an empty text is a parameter
 * left out, except where the contract takes empty text as a value (notes).
 *
 * The parser throws a Refusal that names the wire parameter: one that is required and missing, a value the contract does not
 * allow, or a rule between parameters that is broken.
 */
export function argumentParser<Name extends EndpointName>(
  endpoint: Endpoint & { readonly name: Name },
): ArgumentParser<Name> {
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
      } else if (parameter.fallback !== undefined) {
        given[name] = parameter.fallback;
      }
    }
    const broken = findBrokenRule(endpoint.rules, given, label);
    if (broken) throw new Refusal('invalid', broken);
    // Each value is what the schema of its parameter parsed, and none that is needed is missing.
    return given as EndpointArguments<Name>;
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
