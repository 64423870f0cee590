import type { z } from 'zod';
import { cleanText } from '../api/clean-text.ts';
import { Failure } from '../api/failure.ts';
import { joinWords } from '../api/rules.ts';
import type { Arguments, Tool } from './define-tool.ts';
import { type JsonSchema, toJsonSchema } from './json-schema.ts';

/** Only so many mistakes at once help to correct a call. */
const mostMistakes = 8;

/**
 * Checks what an agent gave against a tool's input schema.
 *
 * @returns the arguments, with defaults filled in and what was left out absent
 * @throws Failure that names every mistake and what the argument may be
 */
export function checkArguments(tool: Tool, given: unknown): Arguments {
  const result = tool.input.safeParse(given ?? {});
  if (result.success) return Object.fromEntries(Object.entries(result.data).filter(([, value]) => value !== undefined));
  const schema = toJsonSchema(tool.input, 'input');
  const mistakes = result.error.issues.slice(0, mostMistakes).map((issue) => explain(issue, schema, given));
  throw new Failure(`${tool.name} was not called: ${mistakes.join(' ')}`);
}

function explain(issue: z.core.$ZodIssue, schema: JsonSchema, given: unknown): string {
  const properties = schema.properties ?? {};
  if (issue.code === 'unrecognized_keys') {
    const names = Object.keys(properties);
    const takes = names.length === 0 ? 'The tool takes no arguments.' : `The arguments are: ${names.join(', ')}.`;
    return `There is no argument ${issue.keys.slice(0, mostMistakes).map(show).join(', ')}. ${takes}`;
  }
  const [name, ...inner] = issue.path.map(String);
  if (name === undefined) return 'The arguments must be an object.';
  const property = properties[name] ?? {};
  const value = (given as Record<string, unknown>)[name];
  if (value === undefined) return `${name} is missing: ${property.description ?? describeType(property)}.`;
  const isTooLong = issue.code === 'too_big' && issue.origin === 'string';
  const isOwnMessage = issue.code === 'custom' || (issue.code === 'invalid_format' && issue.message.startsWith('must'));
  const type = isTooLong ? `text of at most ${issue.maximum} characters` : describeType(property);
  const wanted = isOwnMessage ? issue.message : `must be ${type}`;
  const got = inner.length > 0 && Array.isArray(value) ? value[Number(inner[0])] : value;
  return `${name} ${wanted}; got ${show(got)}.`;
}

/** "a whole number from 1 to 500", "one of asc, desc", "a list of any of all, target, ..." */
export function describeType(schema: JsonSchema): string {
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  switch (schema.type) {
    case 'integer':
    case 'number': {
      const kind = schema.type === 'integer' ? 'a whole number' : 'a number';
      return `${kind} from ${schema.minimum ?? 0} to ${schema.maximum ?? 'any'}`;
    }
    case 'boolean':
      return 'true or false';
    case 'array': {
      const values = schema.items?.enum?.map(String);
      return values ? `a list of any of ${joinWords(values, 'and')}, each once at most` : 'a list of texts';
    }
    default:
      return 'text';
  }
}

/** A value as a quotation: on one line, visible, short. */
export function show(value: unknown): string {
  const text = cleanText(JSON.stringify(value) ?? String(value));
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
