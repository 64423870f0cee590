import * as z from 'zod';
import { topSettings, trackerSettings } from '../src/config/config-file.ts';
import { settings } from '../src/config/settings.ts';

/** The JSON Schema of a configuration file, from the table of settings that its reader goes by. Editors complete with it. */
export function configSchema(): unknown {
  const tracker = {
    type: 'object',
    description: 'One tracker: where it is, its key, and what holds for it alone.',
    properties: propertiesOf(trackerSettings),
    additionalProperties: false,
    oneOf: [
      { required: ['url'], anyOf: ['key_file', 'key_command', 'api_key'].map((name) => ({ required: [name] })) },
      { required: ['sandbox'], properties: { sandbox: { const: true } } },
    ],
  };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'tracker-mcp configuration',
    description: 'The trackers of a server. What stands at the top holds for each tracker that does not say its own.',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      trackers: {
        type: 'object',
        description: 'Each tracker by its name, which calls give as tracker.',
        minProperties: 1,
        propertyNames: { pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$' },
        additionalProperties: tracker,
      },
      default: {
        type: 'string',
        description: 'The tracker that reads are about where a call names none. A write always names one.',
      },
      ...propertiesOf(topSettings),
    },
    required: ['trackers'],
    additionalProperties: false,
  };
}

function propertiesOf(known: typeof settings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    known.map(({ nameInFile, schema, description, fallback }) => [
      nameInFile,
      {
        ...schemaOf(schema),
        description: fallback === '' ? inWords(description) : `${inWords(description)}; default ${fallback}`,
      },
    ]),
  );
}

/** A file has lists where a variable has commas, and names of its own for what a variable is called. */
function inWords(description: string): string {
  return description
    .replace(/,? by comma/, '')
    .replace(/TRACKER_[A-Z_]+/g, (name) => settings.find(({ variable }) => variable === name)?.nameInFile ?? name);
}

/** What zod says of a schema, and a file does not need. */
const unsaid = ['$schema', 'about', 'default', 'isJsonText'];

function schemaOf(schema: z.ZodType): object {
  const json = z.toJSONSchema(schema, { target: 'draft-7', io: 'output', unrepresentable: 'any' });
  return Object.fromEntries(Object.entries(json).filter(([name]) => !unsaid.includes(name)));
}
