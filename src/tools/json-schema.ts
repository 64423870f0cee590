import * as z from 'zod';
import { takesName } from '../api/parameters.ts';

/** The part of JSON Schema that this project's schemas use. */
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
 * The JSON Schema that clients see. It is short because every agent pays for it: no patterns and lengths (the error for an argument
 * explains them), and only the outline of an output.
 */
export function toJsonSchema(schema: z.ZodType, side: 'input' | 'output'): JsonSchema {
  if (side === 'output') return outline(schema);
  const { $schema: _, ...listed } = z.toJSONSchema(schema, {
    io: 'input',
    // A custom schema describes itself in its metadata.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema, path }) => {
      const json = jsonSchema as JsonSchema;
      // Text, for hosts that allow only one type; a number still works as an ID.
      if (takesName.get(zodSchema)) {
        json.type = 'string';
        delete json.minimum;
        delete json.maximum;
      }
      // zod omits the default of a preprocessed value.
      if (zodSchema instanceof z.ZodDefault) {
        const { defaultValue } = zodSchema.def;
        json.default = json.type === 'string' ? String(defaultValue) : defaultValue;
      }
      for (const keyword of unlisted) delete json[keyword];
      // Still checked; listing it for every inner object costs tokens.
      if (path.length > 0 && json.additionalProperties === false) delete json.additionalProperties;
    },
  }) as JsonSchema;
  return listed;
}

const unlisted = ['pattern', 'propertyNames', 'minLength', 'maxLength', 'minItems', 'maxItems'];

/** The names of an output and how they nest. The types of the values would cost 1,300 tokens over all tools and help no model. */
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
