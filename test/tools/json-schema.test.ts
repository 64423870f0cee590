import { expect, it } from 'vitest';
import * as z from 'zod';
import { takesName } from '../../src/api/parameters.ts';
import { allTools } from '../../src/tools/catalogue.ts';
import { type JsonSchema, toJsonSchema } from '../../src/tools/json-schema.ts';

/** What zod itself says of a schema, without what is not listed. */
function byZod(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const unlisted = ['$schema', 'pattern', 'format', 'minLength', 'maxLength', 'minItems', 'maxItems'];
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema, path }) => {
      const json = jsonSchema as JsonSchema;
      if (takesName.get(zodSchema)) {
        json.type = 'string';
        delete json.minimum;
        delete json.maximum;
      }
      if (zodSchema instanceof z.ZodDefault)
        json.default = json.type === 'string' ? String(zodSchema.def.defaultValue) : zodSchema.def.defaultValue;
      for (const keyword of unlisted) delete json[keyword];
      if (path.length > 0) delete json.additionalProperties;
    },
  }) as JsonSchema;
}

it.each(allTools.map((tool) => [tool.name, tool] as const))(
  'the arguments of %s are listed as zod reads them',
  (_, tool) => {
    const { $schema: __, ...wanted } = byZod(tool.input(), 'input');
    expect(JSON.stringify(toJsonSchema(tool.input(), 'input'))).toBe(JSON.stringify(wanted));
  },
);

it.each(allTools.map((tool) => [tool.name, tool] as const))(
  'the fields of %s have the types that zod gives them',
  (_, tool) => {
    const typesOf = ({ properties = {} }: JsonSchema) =>
      Object.entries(properties).flatMap(([name, { type }]) => (typeof type === 'string' ? [[name, type]] : []));
    expect(typesOf(toJsonSchema(tool.output(), 'output'))).toEqual(typesOf(byZod(tool.output(), 'output')));
  },
);
