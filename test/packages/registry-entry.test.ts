import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { registryEntry } from '../../build/packages/registry-entry.ts';
import { settings } from '../../src/config/settings.ts';

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const entry = readJson('server.json');

/**
 * The rules of the registry for the parts that are used here, from
 * https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json and its rules for npm packages. Unknown names are
 * refused here, although the registry ignores them.
 */
const word = z.string().min(1);
const registryRules = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: word.max(200).regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: word.max(100),
  description: word.max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/),
  websiteUrl: z.url({ protocol: /^https$/ }),
  icons: z.array(
    z.strictObject({
      src: z.url({ protocol: /^https$/ }).max(255),
      mimeType: z.literal('image/png'),
      sizes: z.array(z.string().regex(/^\d+x\d+$/)),
    }),
  ),
  _meta: z.strictObject({
    'io.modelcontextprotocol.registry/publisher-provided': z.strictObject({ privacyPolicy: z.url() }),
  }),
  repository: z.strictObject({
    url: z.string().regex(/^https:\/\/github\.com\/[\w.-]+\/[\w-]+$/),
    source: z.literal('github'),
  }),
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal('npm'),
        registryBaseUrl: z.literal('https://registry.npmjs.org'),
        identifier: word,
        version: z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/),
        runtimeHint: z.literal('npx'),
        transport: z.strictObject({ type: z.literal('stdio') }),
        environmentVariables: z.array(
          z.strictObject({
            name: z.string().regex(/^[A-Z][A-Z\d_]*$/),
            description: word,
            format: z.enum(['string', 'number', 'boolean', 'filepath']),
            isSecret: z.literal(true).optional(),
            choices: z.array(word).min(2).optional(),
            default: word.optional(),
            placeholder: word.optional(),
          }),
        ),
      }),
    )
    .length(1),
});

test('server.json follows the rules of the registry', () => {
  expect(registryRules.safeParse(entry).error?.issues ?? []).toEqual([]);
});

test('server.json is current, and agrees with package.json', () => {
  expect(entry).toEqual(registryEntry());
  const { name, version, mcpName, description } = readJson('package.json');
  expect(entry).toMatchObject({ name: mcpName, version, description, packages: [{ identifier: name, version }] });
  const lock = readJson('package-lock.json');
  expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
});

test('the icon and the privacy policy are files of this repository', () => {
  const { icons, _meta, repository } = registryRules.parse(entry);
  const { privacyPolicy } = _meta['io.modelcontextprotocol.registry/publisher-provided'];
  const paths = [...icons.map(({ src }) => src), privacyPolicy].map((url) => url.split('/main/')[1] ?? '');
  expect(privacyPolicy.startsWith(repository.url)).toBe(true);
  for (const path of paths) expect(readFileSync(path).length, path).toBeGreaterThan(100);
});

test('the registry has every setting of the stdio server, with secrets and choices', () => {
  const variables = registryRules.parse(entry).packages[0]?.environmentVariables ?? [];
  const stdio = settings.filter(({ command }) => command === undefined);
  expect(variables.map(({ name }) => name)).toEqual(stdio.map(({ variable }) => variable));
  const secret = stdio.filter(({ isSecret }) => isSecret).map(({ variable }) => variable);
  expect(variables.filter(({ isSecret }) => isSecret).map(({ name }) => name)).toEqual(secret);
  const named = (wanted: string) => variables.find(({ name }) => name === wanted);
  const choices = expect.arrayContaining(['off', 'elicit']);
  expect(named('TRACKER_CONFIRM')).toMatchObject({ choices, default: 'off' });
  expect(named('TRACKER_READ_ONLY')).toMatchObject({ format: 'boolean' });
  expect(named('TRACKER_MAX_BID')).toMatchObject({ format: 'number' });
});
