import * as z from 'zod';
import { encodeParameter, type Parameter } from '../../api/endpoints.ts';
import { joinWords } from '../../api/rules.ts';

/**
 * How a parameter's text on the wire is turned into the value its schema judges, and what is expected of it, for messages.
 * Both are read off the schema, so that the contract says it once.
 */
export interface Expectation {
  readonly decode: (text: string) => unknown;
  /** Ends the sentence "must be ..."; undefined where the schema's own message says it. */
  readonly expected?: string;
  /** Whether an empty text is a value and not a parameter left out. */
  readonly emptyIsValue: boolean;
}

/** What the wire may hold for a parameter. */
export function expectationOf(parameter: Parameter): Expectation {
  const schema = behindPreprocessing(parameter.schema);
  if (schema instanceof z.ZodBoolean) return choice(parameter, [true, false]);
  if (schema instanceof z.ZodEnum) return choice(parameter, schema.options);
  if (schema instanceof z.ZodArray) return list(schema.element);
  if (schema instanceof z.ZodNumber) {
    const kind = schema.format === 'safeint' ? 'a whole number' : 'a number';
    return {
      decode: asItIs,
      expected: `${kind} from ${schema.minValue} to ${schema.maxValue}`,
      emptyIsValue: false,
    };
  }
  return { decode: asItIs, emptyIsValue: parameter.schema.safeParse('').success };
}

const asItIs = (text: string): unknown => text;

function behindPreprocessing(schema: unknown): unknown {
  return schema instanceof z.ZodPipe ? schema.out : schema;
}

/** The wire's words for a few values are what encoding them gives; a value that is never sent has no word. */
function choice(parameter: Parameter, values: readonly unknown[]): Expectation {
  const byWord = new Map<string, unknown>();
  for (const value of values) {
    const word = encodeParameter(parameter, value);
    if (word !== undefined) byWord.set(word, value);
  }
  return {
    decode: (text) => byWord.get(text.trim().toLowerCase()),
    expected: joinWords([...byWord.keys()], 'or'),
    emptyIsValue: false,
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
    emptyIsValue: false,
  };
}
