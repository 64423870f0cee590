import { once } from 'node:events';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { copySampleData, runCli, sharedSandbox, startCli } from '../../e2e/support/run-cli.ts';
import { runCommand } from '../../e2e/support/run-command.ts';
import { newFolder } from '../../support/folders.ts';
import { stoppedCode } from '../../support/system.ts';

const folder = await newFolder();

const file = await copySampleData(join(folder, 'tracker.duckdb'));

/** Starts a sandbox, which `end` stops with a signal. */
async function start(given: readonly string[], before: readonly string[] = []) {
  const child = startCli([...before, 'sandbox', ...given]);
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [line] = await once(createInterface(child.stdout), 'line');
  return {
    line: String(line),
    end: async (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => {
      const exited = once(child, 'exit');
      child.kill(signal);
      const [[code], [stdout, stderr]] = await Promise.all([exited, output]);
      return { code, stdout, stderr };
    },
  };
}

describe('the embedded tracker as a service', () => {
  test('prints one line of JSON, keeps its data and key in a file, and ends cleanly on signals', async () => {
    const data = ['--data', file, '--api-key', 'own-key-of-the-file', '--json'];
    const first = await start(data);
    const { url, api_key } = JSON.parse(first.line);
    expect(api_key).toBe('own-key-of-the-file');
    expect(new URL(url).hostname).toBe('127.0.0.1');
    const environment = { TRACKER_URL: url, TRACKER_API_KEY: api_key };
    const added = ['call', 'add_offer', '--name', 'Kept', '--url', 'https://example.com/kept'];
    const offer = JSON.parse((await runCommand(added, { environment })).stdout).id;
    expect(await first.end('SIGTERM')).toEqual({ code: stoppedCode, stdout: `${first.line}\n`, stderr: '' });

    const again = await start(['--data', file, '--json']);
    const next = JSON.parse(again.line);
    expect(next.api_key).toBe(api_key);
    const edit = ['call', 'edit_offer', '--offer_id', String(offer), '--payout', '2'];
    const edited = await runCommand(edit, { environment: { TRACKER_URL: next.url, TRACKER_API_KEY: api_key } });
    expect(JSON.parse(edited.stdout)).toMatchObject({ done: true, id: String(offer) });
    expect(await again.end('SIGHUP')).toEqual({ code: stoppedCode, stdout: `${again.line}\n`, stderr: '' });
  });

  test('takes its key before the command, too', async () => {
    const sandbox = await start(['--json', '--data', file], ['--api-key', 'KeyAhead']);
    expect(JSON.parse(sandbox.line).api_key).toBe('KeyAhead');
    await sandbox.end('SIGTERM');
  });

  test('prints commands to use it without --json', async () => {
    const sandbox = await start(['--quirks', 'bare,notices', '--data', file]);
    const { code, stdout, stderr } = await sandbox.end('SIGTERM');
    expect({ code, stderr }).toEqual({ code: stoppedCode, stderr: '' });
    expect(stdout).toMatch(
      /TRACKER_URL=http:\/\/127\.0\.0\.1:\d+ TRACKER_API_KEY=\w+ node .*cli\.js call list_campaigns/,
    );
  });

  test('names a port that is in use', async () => {
    const { TRACKER_URL } = sharedSandbox();
    const { port } = new URL(TRACKER_URL ?? '');
    const { code, stdout, stderr } = await runCli(['sandbox', '--port', port, '--data', file]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`Port ${port} is in use`);
  });
});

describe('without DuckDB', () => {
  test('the error names the missing package, and everything else works', async () => {
    const lone = join(folder, 'lone');
    await mkdir(lone);
    for (const file of await readdir('dist')) await copyFile(join('dist', file), join(lone, file));
    const cli = join(lone, 'cli.js');
    for (const given of [['sandbox'], ['demo'], ['call', 'list_campaigns', '--sandbox']]) {
      const { code, stdout, stderr } = await runCli(given, { cli });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('npm install @duckdb/node-api');
    }
    expect((await runCli(['tools'], { cli })).code).toBe(0);
  });
});
