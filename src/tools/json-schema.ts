import * as z from 'zod';

/** A JSON Schema as far as this project's own schemas need it. */
export interface JsonSchema {
  type?: string;
  anyOf?: JsonSchema[];
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
 * The JSON Schema that a client is shown. It is kept plain and short, since every agent pays for it: no `$schema`, no
 * patterns or lengths (an argument that breaks one is told so), and of an output the shape alone: the server holds itself to it.
 */
export function toJsonSchema(schema: z.ZodType, side: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: side,
    // A schema that checks by hand says in its metadata what it is.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema, path }) => {
      const json = jsonSchema as JsonSchema;
      // zod leaves out the default of what it parses before it checks it.
      if (zodSchema instanceof z.ZodDefault) json.default = zodSchema.def.defaultValue;
      delete json['pattern'];
      delete json['propertyNames'];
      delete json['minLength'];
      delete json['maxLength'];
      delete json['minItems'];
      delete json['maxItems'];
      // What has nothing else is checked all the same; to say so at every inner object is paid for by each agent that lists it.
      if (side === 'output' || (path.length > 0 && json.additionalProperties === false))
        delete json.additionalProperties;
      if (side === 'output') delete json.required;
      // `{}` and `true` say the same, and some clients stumble over the first.
      if (isAnything(json.additionalProperties)) json.additionalProperties = true;
    },
  }) as JsonSchema;
  return splitTypes(json) as JsonSchema;
}

/** Clients that know one type a schema read a choice of types as `anyOf`, and drop a list of types. */
function splitTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(splitTypes);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.entries(schema).map(([keyword, value]) =>
    keyword === 'type' && Array.isArray(value)
      ? ['anyOf', value.map((type) => ({ type }))]
      : [keyword, keyword === 'default' || keyword === 'enum' ? value : splitTypes(value)],
  );
  return Object.fromEntries(inner);
}

function isAnything(schema: JsonSchema | boolean | undefined): boolean {
  return typeof schema === 'object' && Object.keys(schema).length === 0;
}
