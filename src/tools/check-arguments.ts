import type * as z from 'zod';
import { Failure } from '../api/failure.ts';
import { joinWords } from '../api/rules.ts';
import { didYouMean } from '../api/text/names.ts';
import { show } from '../api/text/tracker-text.ts';
import { type JsonSchema, toJsonSchema } from './json-schema.ts';

/** Max mistakes to report at once; more would not help to correct the call. */
const maxMistakes = 8;

/** The message of an issue for which the schema has no words of its own. */
const unworded = '';

/** Returns the arguments with defaults filled in. Throws a Failure that names every mistake and what the argument may be. */
export function checkArguments<Input extends z.ZodObject>(
  tool: { readonly name: string; readonly input: () => Input },
  given: unknown,
): z.output<Input> {
  const result = tool.input().safeParse(given ?? {}, { error: () => unworded });
  if (result.success) {
    const defined = Object.entries(result.data).filter(([, value]) => value !== undefined);
    return Object.fromEntries(defined) as z.output<Input>;
  }
  const schema = toJsonSchema(tool.input(), 'input');
  // Only the first issue of each argument, which is the most specific.
  const paths = result.error.issues.map(({ path }) => JSON.stringify(path));
  const issues = result.error.issues.filter((_, index) => paths.indexOf(paths[index] ?? '') === index);
  const mistakes = issues.slice(0, maxMistakes).map((issue) => explain(issue, schema, given));
  throw new Failure(`${tool.name} was not called: ${mistakes.join(' ')}`);
}

function explain(issue: z.core.$ZodIssue, schema: JsonSchema, given: unknown): string {
  if (issue.code === 'unrecognized_keys') {
    const { name, property } = locate(issue.path, schema, given);
    const names = Object.keys(property.properties ?? {});
    const takes = names.length === 0 ? 'The tool takes no arguments.' : `The arguments are: ${names.join(', ')}.`;
    const where = name === '' ? '' : ` in ${name}`;
    const unknown = issue.keys.slice(0, maxMistakes).map(show).join(', ');
    const [only, ...others] = issue.keys;
    const end = only === undefined || others.length > 0 ? '.' : didYouMean(only, names);
    return `There is no argument ${unknown}${where}${end} ${takes}`;
  }
  if (issue.path.length === 0) return 'The arguments must be an object.';
  const { name, property, value } = locate(issue.path, schema, given);
  if (value === undefined) {
    const type = describeType(property);
    const { description = type } = property;
    return `${name} is missing: ${description}${property.enum && description !== type ? ` (${type})` : ''}.`;
  }
  const wanted =
    issue.message === unworded
      ? (describeLength(issue, property) ?? `must be ${describeType(property)}`)
      : issue.message;
  // The description of an ID explains where to find it.
  const meaning = property.type === 'integer' && property.description ? ` (${property.description})` : '';
  return `${name} ${wanted}; got ${show(value)}${meaning}.`;
}

/** What is wrong with the length of a text or a list; undefined for any other mistake. */
function describeLength(issue: z.core.$ZodIssue, property: JsonSchema): string | undefined {
  if (issue.code !== 'too_big' && issue.code !== 'too_small') return undefined;
  const limit = issue.code === 'too_big' ? `at most ${issue.maximum}` : `at least ${issue.minimum}`;
  if (issue.origin === 'array') return `must be ${describeType(property)}, ${limit} of them`;
  if (issue.origin !== 'string') return undefined;
  if (issue.code === 'too_big') return `must be text of ${limit} characters`;
  return property.type === 'array' ? 'must have no empty text' : 'must not be empty';
}

/** The name (`share`, `where[0].op`), schema and value at a path; the items of a plain list go by the name of the list. */
function locate(path: readonly PropertyKey[], schema: JsonSchema, given: unknown) {
  let [name, property, value] = ['', schema, given];
  for (const step of path) {
    value = (value as Readonly<Record<PropertyKey, unknown>> | null)?.[step];
    if (typeof step !== 'number') {
      name = name === '' ? String(step) : `${name}.${String(step)}`;
      property = property.properties?.[String(step)] ?? {};
    } else if (property.items?.properties) {
      name = `${name}[${step}]`;
      property = property.items;
    }
  }
  return { name, property, value };
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
      if (schema.items?.properties)
        return `a list of objects with ${joinWords(Object.keys(schema.items.properties), 'and')}`;
      if (schema.items?.type === 'object') return 'a list of objects';
      const values = schema.items?.enum?.map(String);
      return values ? `a list of any of ${joinWords(values, 'and')}, each at most once` : 'a list of texts';
    }
    case 'object':
      return `an object with ${joinWords(Object.keys(schema.properties ?? {}), 'and')}`;
    default:
      return 'text';
  }
}
