import * as z from 'zod';
import {
  type Endpoint,
  type EndpointArguments,
  type EndpointName,
  encodeParameter,
  type Parameter,
} from '../../api/endpoints.ts';
import { findBrokenRule, joinWords } from '../../api/rules.ts';
import { quoted, Refusal } from '../refusal.ts';

/** The parameters of a request by wire name, as text. */
export type WireParameters = ReadonlyMap<string, string>;

type ArgumentParser<Name extends EndpointName> = (wire: WireParameters) => EndpointArguments<Name>;

/**
 * Prepares the parser of an endpoint. Unknown parameters are ignored; an empty text is a parameter left out, unless the
 * contract takes it as a value (notes). The parser throws a Refusal that names the wire parameter or the broken rule.
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

/** Read off a parameter's schema, so that the contract says it once. */
export interface Expectation {
  readonly decode: (text: string) => unknown;
  /** Ends the sentence "must be ..."; undefined if the schema's own message says it. */
  readonly expected?: string;
  /** Whether an empty text is a value and not a parameter left out. */
  readonly emptyIsValue?: boolean;
}

function expectationOf(parameter: Parameter): Expectation {
  const schema = behindPreprocessing(parameter.schema);
  if (schema instanceof z.ZodBoolean) return choice(parameter, [true, false]);
  if (schema instanceof z.ZodEnum) return choice(parameter, schema.options);
  if (schema instanceof z.ZodArray) return list(schema.element);
  if (schema instanceof z.ZodNumber) {
    const kind = schema.format === 'safeint' ? 'a whole number' : 'a number';
    return { decode: asItIs, expected: `${kind} from ${schema.minValue} to ${schema.maxValue}` };
  }
  return { decode: asItIs, emptyIsValue: parameter.schema.safeParse('').success };
}

const asItIs = (text: string): unknown => text;

function behindPreprocessing(schema: unknown): unknown {
  return schema instanceof z.ZodPipe ? schema.out : schema;
}

/** The word for a value is what encoding it gives; a value that is never sent has none. */
function choice(parameter: Parameter, values: readonly unknown[]): Expectation {
  const byWord = new Map(values.map((value) => [encodeParameter(parameter, value) ?? '', value]));
  byWord.delete('');
  return {
    decode: (text) => byWord.get(text.trim().toLowerCase()),
    expected: joinWords([...byWord.keys()], 'or'),
  };
}

/** Names joined by commas, in any letter case; spaces and repetitions do not matter. */
function list(element: unknown): Expectation {
  const names = element instanceof z.ZodEnum ? element.options.map(String) : [];
  const byLowerCase = new Map(names.map((name) => [name.toLowerCase(), name]));
  return {
    decode: (text) => {
      const words = text.split(',').map((word) => word.trim());
      return [...new Set(words.filter(Boolean).map((word) => byLowerCase.get(word.toLowerCase()) ?? word))];
    },
    expected: `a list, separated by commas, from ${names.join(', ')}`,
  };
}
