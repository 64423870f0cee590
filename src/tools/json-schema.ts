import { z } from 'zod';

/** A JSON Schema as far as this project's own schemas need it. */
export interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  description?: string;
  [keyword: string]: unknown;
}

/**
 * The JSON Schema that a client is shown. It is kept plain and short, since every agent pays for it: no `$schema`, no
 * patterns or lengths (an argument that breaks one is told so), a choice of plain types as a list of types.
 */
export function toJsonSchema(schema: z.ZodType, side: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: side,
    override: ({ zodSchema, jsonSchema }) => {
      const json = jsonSchema as JsonSchema;
      // zod leaves out the default of what it parses before it checks it.
      if (zodSchema instanceof z.ZodDefault) json.default = zodSchema.def.defaultValue;
      delete json['pattern'];
      delete json['propertyNames'];
      delete json['maxLength'];
      delete json['minItems'];
      delete json['maxItems'];
      if (json.anyOf?.every((choice) => typeof choice.type === 'string' && Object.keys(choice).length === 1)) {
        json.type = json.anyOf.map((choice) => String(choice.type));
        delete json.anyOf;
      }
    },
  }) as JsonSchema;
  return json;
}
