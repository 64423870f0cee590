import type * as z from 'zod';

/**
 * How a setting is written in a configuration file, as JSON Schema. Everywhere else it is text, which is what its schema reads;
 * so a form also says how its values become that text.
 */
export interface JsonForm {
  readonly type: 'string' | 'boolean' | 'number' | 'integer' | 'array';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonForm;
  readonly minItems?: number;
  /** Whether the text is JSON too, and not the items by comma. */
  readonly isJsonText?: true;
}

const text: JsonForm = { type: 'string' };

/** Gives a schema that reads text the form of its values in JSON. */
export function writtenAs<Schema extends z.ZodType>(schema: Schema, json: JsonForm): Schema {
  return schema.meta({ json });
}

/** The form of a setting: its own, or that of what it wraps; text where none says. */
export function jsonFormOf(schema: z.ZodType): JsonForm {
  for (let inner: z.ZodType | undefined = schema; inner; inner = within(inner)) {
    const form = inner.meta()?.['json'];
    if (form) return form as JsonForm;
  }
  return text;
}

function within(schema: z.ZodType): z.ZodType | undefined {
  const { innerType, in: first } = schema.def as { innerType?: z.ZodType; in?: z.ZodType };
  return innerType ?? first;
}

/** The form in words: "true or false", "a list of numbers". */
export function describeForm({ type, items, enum: values }: JsonForm): string {
  if (values) return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
  const words = { string: 'text', boolean: 'true or false', number: 'a number', integer: 'a whole number' } as const;
  if (type !== 'array') return words[type];
  return `a list of ${items?.type === 'string' ? 'texts' : 'numbers'}`;
}

/**
 * A value of a file as the text that the schema of its setting reads.
 *
 * @returns undefined where the value has another form
 */
export function textOf(value: unknown, form: JsonForm): string | undefined {
  switch (form.type) {
    case 'array': {
      if (!Array.isArray(value)) return undefined;
      if (form.isJsonText) return JSON.stringify(value);
      const items = value.map((item) => textOf(item, form.items ?? text));
      return items.some((item) => item === undefined || item.includes(',')) ? undefined : items.join(',');
    }
    case 'boolean':
      return typeof value === 'boolean' ? String(value) : undefined;
    case 'string':
      return typeof value === 'string' ? value.trim() : undefined;
    default:
      return typeof value === 'number' ? String(value) : undefined;
  }
}
