import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { instructions } from '../../src/tools/catalogue.ts';
import type { JsonSchema } from '../../src/tools/json-schema.ts';
import { startApproving } from '../support/approving.ts';
import { connect } from '../support/connect.ts';
import { specifiedTools } from '../support/specified.ts';

const { client, listed } = await connect();

/** A schema and all schemas inside it, each with its path. */
function* schemasIn(schema: JsonSchema, place: string): Generator<[place: string, schema: JsonSchema]> {
  yield [place, schema];
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    yield* schemasIn(property, `${place}.${name}`);
  if (schema.items) yield* schemasIn(schema.items, `${place}[]`);
}

/** The places in the output of a tool that name no type, or several: hosts take those for anything, or refuse the tool. */
function untyped({ outputSchema, name }: Tool): readonly string[] {
  const places = [...schemasIn(outputSchema as JsonSchema, name)];
  return places.flatMap(([place, { type }]) => (typeof type === 'string' ? [] : [place]));
}

it('types every field of every output where writes may wait, and where there are several trackers', async () => {
  const { listed: waiting } = await startApproving({});
  expect(waiting.flatMap(untyped)).toEqual([]);
  const { listed: several } = await connect({ trackers: { main: {}, other: {} } });
  expect(several.flatMap(untyped)).toEqual([]);
});

it('lists the specified tools first, in their order', () => {
  const names = specifiedTools.map(({ name }) => name);
  expect(listed.slice(0, names.length).map(({ name }) => name)).toEqual(names);
});

it('keeps the instructions below 2 KB, where hosts cut them, and names only existing tools', () => {
  expect(client.getInstructions()).toBe(instructions);
  expect(Buffer.byteLength(instructions)).toBeLessThan(2048);
  const named = instructions.match(/\b[a-z]+_[a-z_]+/g)?.filter((name) => !/_id$|^sort_by$|^dry_run$/.test(name)) ?? [];
  expect(named.length).toBeGreaterThan(5);
  for (const name of named) expect(listed.map((tool) => tool.name)).toContain(name);
});

describe.each(listed)('$name', (tool) => {
  const input = tool.inputSchema as JsonSchema;

  it('has a title and a short description', () => {
    expect(tool.title).toMatch(/\S/);
    expect(tool.description?.length).toBeGreaterThan(60);
    expect(tool.description?.length).toBeLessThan(1000);
    expect(tool.name).toMatch(/^[a-z][a-z_]{2,63}$/);
  });

  it('has a plain object as input, without additional properties', () => {
    expect(input.type).toBe('object');
    expect(input['additionalProperties']).toBe(false);
    const unsupported = /"(anyOf|oneOf|allOf|not|\$ref|\$defs|pattern|exclusiveMinimum|exclusiveMaximum|const)"/;
    expect(JSON.stringify(input)).not.toMatch(unsupported);
  });

  it('describes and types every argument, and bounds every number', () => {
    for (const [name, property] of Object.entries(input.properties ?? {}))
      expect(property.description ?? '', `description of ${name}`).toMatch(/\S/);
    for (const [place, schema] of schemasIn(input, tool.name)) {
      expect(typeof schema.type, place).toBe('string');
      if (schema.type !== 'integer' && schema.type !== 'number') continue;
      expect(schema.minimum, place).toBeTypeOf('number');
      expect(schema.maximum, place).toBeTypeOf('number');
      expect(Math.abs(schema.maximum ?? Number.NaN), place).toBeLessThan(Number.MAX_SAFE_INTEGER);
    }
  });

  it('has an object as output, with one type for every field, and all four annotations', () => {
    expect(tool.outputSchema?.type).toBe('object');
    expect(untyped(tool)).toEqual([]);
    expect(Object.keys(tool.annotations ?? {}).sort()).toEqual(Object.keys(annotations.read).sort());
  });
});

const annotations = {
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  create: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  update: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
};

it.each(specifiedTools)('$name has the annotations of $access', ({ name, access }) => {
  expect(listed.find((tool) => tool.name === name)?.annotations).toMatchObject(annotations[access]);
});
