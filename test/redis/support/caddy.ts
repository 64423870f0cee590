import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findCaddy } from '../../../build/programs.js';
import { closeAfterTests } from '../../support/closing.ts';
import { newFolder } from '../../support/folders.ts';
import { freePort } from '../../support/free-port.ts';

/** Starts Caddy with docs/Caddyfile in front of these servers, until the tests of the file are done. Returns its URL. */
export async function startCaddy(targets: readonly string[]): Promise<string> {
  const program = findCaddy();
  if (program === undefined) throw new Error('There is no caddy. Install it, or name one with CADDY_PATH.');
  const folder = await newFolder('caddy-');
  // Its admin port would be the same for every Caddy of the machine.
  const file = join(folder, 'Caddyfile');
  await writeFile(file, `{\n\tadmin off\n}\nimport ${join(process.cwd(), 'docs/Caddyfile')}\n`);
  const site = `http://127.0.0.1:${await freePort()}`;
  const caddy = spawn(program, ['run', '--adapter', 'caddyfile', '--config', file], {
    env: { HOME: folder, SITE: site, REPLICAS: targets.map((url) => new URL(url).host).join(' ') },
    stdio: 'ignore',
  });
  closeAfterTests(async () => {
    if (caddy.exitCode !== null) return;
    caddy.kill('SIGKILL');
    await once(caddy, 'exit');
  });
  while (!(await isReady(site))) {
    if (caddy.exitCode !== null) throw new Error(`caddy ended with ${caddy.exitCode}`);
    await setTimeout(50);
  }
  return site;
}

async function isReady(site: string): Promise<boolean> {
  return fetch(`${site}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}
