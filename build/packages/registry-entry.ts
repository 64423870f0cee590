import manifest from '../../package.json' with { type: 'json' };
import { type FormField, formFields, type Kind } from './settings-form.ts';

const formats: Readonly<Record<Kind, string>> = {
  text: 'string',
  number: 'number',
  switch: 'boolean',
  file: 'filepath',
};

/** server.json: what the registry of MCP servers knows of this one (its schema of 2025-12-11). */
export function registryEntry() {
  const { name, version, mcpName, description, homepage, repository } = manifest;
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'Ad-campaign tracker',
    description,
    version,
    websiteUrl: homepage,
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
  };
}

function describeVariable({ variable, description, kind, isSecret, fallback, example, choices }: FormField) {
  return {
    name: variable,
    description,
    format: formats[kind],
    ...(isSecret ? { isSecret } : {}),
    ...(choices.length > 0 ? { choices } : {}),
    ...(fallback === '' ? {} : { default: fallback }),
    ...(example === undefined ? {} : { placeholder: example }),
  };
}
