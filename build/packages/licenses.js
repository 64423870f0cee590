// What the bundle holds of others, and under which licences; from what esbuild says it took, so that nothing is forgotten.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The packages that bundles are made of, by esbuild's metafiles; throws if one names no licence, since nobody may pass it on then. */
export async function bundledPackages(metafiles) {
  const folders = new Set(
    metafiles
      .flatMap(({ inputs }) => Object.keys(inputs))
      .flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []),
  );
  const packages = await Promise.all([...folders].map(readPackage));
  const byId = new Map(packages.map((one) => [one.id, one]));
  return [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** One text with every licence; packages that have the same share it. */
export function renderLicenses(packages) {
  const byText = new Map();
  for (const one of packages) byText.set(one.text, [...(byText.get(one.text) ?? []), one]);
  const parts = [...byText].map(([text, sharing]) =>
    [...sharing.map(({ id, license }) => `${id} (${license})`), '', text].join('\n'),
  );
  return `${['dist/ holds these packages, bundled.', ...parts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

async function readPackage(folder) {
  const { name, version, license, author } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${name} ${version} names no licence.`);
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const holder = typeof author === 'string' ? author : author?.name;
  const text = texts.map((part) => part.replaceAll('\r\n', '\n').trim()).join('\n\n');
  return { id: `${name}@${version}`, license, text: text || `Copyright ${holder ?? `the authors of ${name}`}` };
}
