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
 * explains them), and only the outline of an output. It is written here for the kinds of schemas that tools use: zod takes five times as
 * long, and a client waits for it.
 */
export function toJsonSchema(schema: z.ZodType, side: 'input' | 'output'): JsonSchema {
  const json = listed(schema);
  return side === 'output' ? outline(json) : { ...json, additionalProperties: false };
}

function listed(schema: z.core.$ZodType): JsonSchema {
  const about = (z.globalRegistry.get(schema) ?? {}) as JsonSchema;
  // What is said of a wrapper comes first, and counts.
  const wrap = (inner: z.core.$ZodType): JsonSchema => ({ ...about, ...listed(inner), ...about });
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return { ...fieldsOf(def.shape), ...about };
    case 'array':
      return { type: 'array', items: listed(def.element), ...about };
    case 'number': {
      const { isInt, minValue, maxValue } = schema as z.ZodNumber;
      const minimum = Number.isFinite(minValue) ? { minimum: Number(minValue) } : {};
      const maximum = Number.isFinite(maxValue) ? { maximum: Number(maxValue) } : {};
      return { type: isInt ? 'integer' : 'number', ...minimum, ...maximum, ...about };
    }
    case 'enum':
      return { type: 'string', enum: Object.values(def.entries), ...about };
    case 'string':
    case 'boolean':
    case 'null':
      return { type: def.type, ...about };
    case 'literal':
      return { type: typeof def.values[0], ...about };
    case 'record':
      return { type: 'object', ...about };
    case 'optional':
      return wrap(def.innerType);
    case 'default': {
      const json = wrap(def.innerType);
      const value = json.type === 'string' ? String(def.defaultValue) : def.defaultValue;
      return def.innerType._zod.def.type === 'pipe' ? { ...json, default: value } : { default: value, ...json };
    }
    case 'pipe': {
      const json = wrap(def.out);
      if (!takesName.get(schema)) return json;
      // Text, for hosts that allow only one type; a number still works as an ID.
      const { minimum: _, maximum: __, ...name } = json;
      return { ...name, type: 'string' };
    }
    default:
      // A custom schema describes itself in its metadata.
      return about;
  }
}

function fieldsOf(shape: z.core.$ZodShape): JsonSchema {
  const fields = Object.entries(shape);
  const required = fields.filter(([, field]) => isRequired(field)).map(([name]) => name);
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, listed(field)]));
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

function isRequired(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodPipe ? isRequired(schema.def.out) : schema._zod.optin === undefined;
}

/**
 * The fields of an output with their types, and of objects in it the names alone: a type for each would cost 1,000 tokens over all
 * tools and help no model. Fields that may be of two types, such as null, are names as well, because some hosts allow one type only.
 */
function outline({ properties = {} }: JsonSchema): JsonSchema {
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
