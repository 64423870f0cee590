import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packExtension } from '@anthropic-ai/mcpb';
import manifest from '../../package.json' with { type: 'json' };
import { desktopManifest } from './desktop-manifest.ts';

/** Packs what is built into release/tracker-mcp-VERSION.mcpb, or into the file that is named, and checks its manifest. */

const { name, version, type, imports } = manifest;
const [target = join('release', `${name}-${version}.mcpb`)] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'desktop-bundle-'));
try {
  await cp('dist', join(folder, 'dist'), { recursive: true });
  await cp('LICENSE', join(folder, 'LICENSE'));
  // What Node looks up when it runs the files of dist.
  await writeJson('package.json', { name, version, type, imports });
  await writeJson('manifest.json', desktopManifest());
  await mkdir(resolve(target, '..'), { recursive: true });
  if (!(await packExtension({ extensionPath: folder, outputPath: target, silent: true }))) process.exitCode = 1;
  else console.log(target);
} finally {
  await rm(folder, { recursive: true });
}

function writeJson(file: string, content: unknown): Promise<void> {
  return writeFile(join(folder, file), `${JSON.stringify(content, null, 2)}\n`);
}
