import manifest from '../../package.json' with { type: 'json' };
import { type Setting, settings } from '../../src/config/settings.ts';
import { identity, privacyUrl } from '../../src/version.ts';

/** The kind of a field in which a person fills in a setting. */
export type Kind = 'text' | 'number' | 'switch' | 'file';

/** By the placeholder of the value in the help; all other placeholders are for texts. */
const kinds: Readonly<Record<string, Kind>> = { MS: 'number', AMOUNT: 'number', FILE: 'file' };

export type FormField = ReturnType<typeof formFields>[number];

/** The settings of the stdio server: all that belong to no other command. */
export function formFields() {
  return settings
    .filter(({ command }) => command === undefined)
    .map((setting) => ({ ...setting, kind: kindOf(setting) }));
}

function kindOf({ flag, value }: Setting): Kind {
  return flag !== undefined && value === undefined ? 'switch' : (kinds[value ?? ''] ?? 'text');
}

const formats: Readonly<Record<Kind, string>> = {
  text: 'string',
  number: 'number',
  switch: 'boolean',
  file: 'filepath',
};

/** server.json for the registry of MCP servers (its schema of 2025-12-11). */
export function registryEntry() {
  const { name, version, mcpName, description, homepage, repository } = manifest;
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'Ad-campaign tracker',
    description,
    version,
    websiteUrl: homepage,
    icons: identity.icons,
    repository: { url: repository.url.replace(/^git\+|\.git$/g, ''), source: 'github' },
    packages: [
      {
        registryType: 'npm',
        registryBaseUrl: 'https://registry.npmjs.org',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        environmentVariables: formFields().map(describeVariable),
      },
    ],
    // The part of an entry that the registry leaves to the publisher.
    _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { privacyPolicy: privacyUrl } },
  };
}

function describeVariable({ variable, description, kind, isSecret, fallback, example, choices }: FormField) {
  return {
    name: variable,
    description,
    format: formats[kind],
    ...(isSecret && { isSecret }),
    ...(choices.length > 0 && { choices }),
    ...(fallback !== '' && { default: fallback }),
    ...(example !== undefined && { placeholder: example }),
  };
}
