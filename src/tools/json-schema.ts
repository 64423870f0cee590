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

/** A schema that is made at its first use: a server answers its client before it has made those of its tools. */
export function onDemand<Schema extends z.ZodType>(make: () => Schema): () => Schema {
  let made: Schema | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** What a schema on demand gives. */
export type FromSchema<Schema extends () => z.ZodType> = z.output<ReturnType<Schema>>;

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

/**
 * The fields of an output with their types, and of objects in it the names alone: a type for each would cost 1,000 tokens over all
 * tools and help no model. Fields that may be of two types, such as null, are names as well, because some hosts allow one type only.
 */
function outline(schema: z.ZodType): JsonSchema {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as JsonSchema;
  const hasOneType = ([, { type }]: [string, JsonSchema]) => typeof type === 'string';
  const fields = Object.entries(properties);
  const others = fields.filter((field) => !hasOneType(field)).map(([name]) => name);
  return {
    type: 'object',
    ...(others.length === 0 ? {} : { description: `Also ${others.join(', ')}` }),
    properties: Object.fromEntries(fields.filter(hasOneType).map(([name, field]) => [name, outlineField(field)])),
  };
}

function outlineField({ type = '', description, properties, items }: JsonSchema): JsonSchema {
  const about = [description, properties && namesIn(properties)].filter(Boolean).join(': ');
  const isNested = items?.type === 'array' || items?.properties !== undefined;
  return { type, ...(about === '' ? {} : { description: about }), ...(isNested ? { items: outlineField(items) } : {}) };
}

function namesIn(properties: Readonly<Record<string, JsonSchema>>): string {
  const names = Object.entries(properties).map(([name, field]) => {
    const inner = field.properties ?? field.items?.properties;
    return inner === undefined ? name : `${name} {${namesIn(inner)}}`;
  });
  return names.join(', ');
}
