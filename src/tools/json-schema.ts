import * as z from 'zod';
import { takesName } from '../api/parameters.ts';

/** A JSON Schema as far as this project's own schemas need it. */
export interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  description?: string;
  [keyword: string]: unknown;
}

/**
 * The JSON Schema that a client is shown, plain and short, since every agent pays for it: no patterns and lengths (the error
 * of an argument that breaks one says so), and of an output only its outline.
 */
export function toJsonSchema(schema: z.ZodType, side: 'input' | 'output'): JsonSchema {
  if (side === 'output') return outline(schema);
  const { $schema: _, ...listed } = z.toJSONSchema(schema, {
    io: 'input',
    // A schema that checks by hand says in its metadata what it is.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema, path }) => {
      const json = jsonSchema as JsonSchema;
      // Text for hosts that take one type alone; a number is an ID all the same.
      if (takesName.get(zodSchema)) {
        json.type = 'string';
        delete json.minimum;
        delete json.maximum;
      }
      // zod leaves out the default of what it parses before it checks it.
      if (zodSchema instanceof z.ZodDefault) {
        const { defaultValue } = zodSchema.def;
        json.default = json.type === 'string' ? String(defaultValue) : defaultValue;
      }
      for (const keyword of unlisted) delete json[keyword];
      // What has nothing else is checked all the same; to say so at every inner object is paid for by each agent that lists it.
      if (path.length > 0 && json.additionalProperties === false) delete json.additionalProperties;
    },
  }) as JsonSchema;
  return listed;
}

const unlisted = ['pattern', 'propertyNames', 'minLength', 'maxLength', 'minItems', 'maxItems'];

/**
 * The names of an output and how they nest. A model reads the values themselves; their types would cost 1,300 tokens over all tools,
 * and writing them only to leave them out would take a third of the listing's time. The server holds itself to the whole schema.
 */
function outline(schema: z.core.$ZodType, outer?: string): JsonSchema {
  const description = outer ?? z.globalRegistry.get(schema)?.description;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return outline(schema.unwrap(), description);
  const about = description === undefined ? {} : { description };
  if (schema instanceof z.ZodObject) {
    const inner = Object.entries(schema.shape).map(([name, property]) => [name, outline(property)]);
    return { ...about, type: 'object', properties: Object.fromEntries(inner) };
  }
  if (!(schema instanceof z.ZodArray)) return about;
  const { element } = schema;
  const isList = element instanceof z.ZodArray || z.globalRegistry.get(element)?.['type'] === 'array';
  const isNested = isList || element instanceof z.ZodObject;
  return isNested ? { ...about, type: 'array', items: { type: 'array', ...outline(element) } } : about;
}
