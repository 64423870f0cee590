import * as z from 'zod';
import {
  type Endpoint,
  type EndpointArguments,
  type EndpointName,
  encodeParameter,
  type Parameter,
} from '../../api/endpoints.ts';
import { findBrokenRule, joinWords } from '../../api/rules.ts';
import { quoted, Refusal, type RequestParameters } from '../wire.ts';

/** An endpoint whose name is known to the type checker. */
export type NamedEndpoint<Name extends EndpointName> = Endpoint & { readonly name: Name };

/**
 * Reads the arguments of an endpoint. Unknown parameters are ignored. An empty text means that the parameter was left out,
 * unless its schema accepts it (notes).
 *
 * @throws Refusal that names the wire parameter or the broken rule
 */
export function parseArguments<Name extends EndpointName>(
  endpoint: NamedEndpoint<Name>,
  wire: RequestParameters,
): EndpointArguments<Name> {
  const given: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(endpoint.parameters)) {
    const text = wire.get(parameter.wire);
    if (text || (text === '' && parameter.schema.safeParse('').success)) {
      given[name] = parseText(parameter, text);
    } else if (isRequiredOnTheWire(parameter)) {
      throw new Refusal('invalid', `The required parameter ${parameter.wire} is missing.`);
    } else if (parameter.fallback !== undefined) {
      given[name] = parameter.fallback;
    }
  }
  const broken = findBrokenRule(endpoint.rules, given, (name) => endpoint.parameters[name]?.wire ?? name);
  if (broken) throw new Refusal('invalid', broken);
  // Every value was parsed by its schema, and no required one is missing.
  return given as EndpointArguments<Name>;
}

/** A fallback that the wire encodes must be sent: only one that encodes to nothing may be left out. */
function isRequiredOnTheWire(parameter: Parameter): boolean {
  if (parameter.required) return true;
  return parameter.fallback !== undefined && encodeParameter(parameter, parameter.fallback) !== undefined;
}

function parseText(parameter: Parameter, text: string): unknown {
  const { decode, expected } = wireTextOf(parameter);
  const parsed = parameter.schema.safeParse(decode(text));
  if (parsed.success) return parsed.data;
  const problem = expected ? `must be ${expected}` : parsed.error.issues[0]?.message;
  throw new Refusal('invalid', `The parameter ${parameter.wire} ${problem}; it is ${quoted(text)}.`);
}

interface WireText {
  readonly decode: (text: string) => unknown;
  /** Completes the sentence "must be ..."; without it the schema's own message is used. */
  readonly expected?: string;
}

/** How a parameter is written on the wire, derived from its schema. */
function wireTextOf(parameter: Parameter): WireText {
  const schema = parameter.schema instanceof z.ZodPipe ? parameter.schema.out : parameter.schema;
  if (schema instanceof z.ZodBoolean) return choice(parameter, [true, false]);
  if (schema instanceof z.ZodEnum) return choice(parameter, schema.options);
  if (schema instanceof z.ZodArray) return list(schema.element);
  if (schema instanceof z.ZodNumber) {
    const kind = schema.format === 'safeint' ? 'a whole number' : 'a number';
    return { decode: (text) => text, expected: `${kind} from ${schema.minValue} to ${schema.maxValue}` };
  }
  return { decode: (text) => text };
}

/** One of the values, in the words that encoding gives; a value that is never sent has no word. */
function choice(parameter: Parameter, values: readonly unknown[]): WireText {
  const valueByWord = new Map(values.map((value) => [encodeParameter(parameter, value) ?? '', value]));
  valueByWord.delete('');
  return {
    decode: (text) => valueByWord.get(text.trim().toLowerCase()),
    expected: joinWords([...valueByWord.keys()], 'or'),
  };
}

/** Names separated by commas, in any letter case; spaces and repetitions are ignored. */
function list(element: unknown): WireText {
  const names = element instanceof z.ZodEnum ? element.options.map(String) : [];
  const nameByLowerCase = new Map(names.map((name) => [name.toLowerCase(), name]));
  return {
    decode: (text) => {
      const words = text.split(',').map((word) => word.trim());
      return [...new Set(words.filter(Boolean).map((word) => nameByLowerCase.get(word.toLowerCase()) ?? word))];
    },
    expected: `a list, separated by commas, from ${names.join(', ')}`,
  };
}
