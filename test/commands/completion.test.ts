import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../../src/tools/catalogue.ts';
import { toJsonSchema } from '../../src/tools/json-schema.ts';
import { runCommand } from '../e2e/support/run-command.ts';
import { shells } from '../support/system.ts';

const run = promisify(execFile);

describe.each(shells)('in %s', (shell) => {
  let script: string;
  beforeAll(async () => {
    ({ stdout: script } = await runCommand(['completion', 'bash']));
  });

  async function complete(...words: readonly string[]): Promise<string[]> {
    const ask = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tracker_mcp; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run(shell, ['-c', `${script}\n${ask}`, shell, 'tracker-mcp', ...words]);
    return stdout.split('\n').filter(Boolean);
  }

  test.each([
    ['ch', 'check'],
    ['call get_st', 'get_stats'],
    ['--sandbox call get_st', 'get_stats'],
    ['call get_stats --incl', '--include_extra_tokens'],
    ['call get_stats --period last_7', 'last_7_days'],
    ['call compare_pages --kind ', 'offer landing'],
    ['completion ', 'bash zsh fish --help'],
    ['install cu', 'cursor'],
    ['sandbox tr', 'traffic'],
    ['--format ', 'json xml'],
    ['call edit_offer --active ', 'true false'],
    ['call get_stats --reports offer,la', 'offer,landing'],
    // The shell completes the names of files.
    ['--url ', ''],
  ])('“%s” is completed with “%s”', async (line, completions) => {
    expect((await complete(...line.split(' '))).join(' ')).toBe(completions);
  });
});

test('every argument of every tool is a completion', async () => {
  for (const { name, input } of catalogue.filter(({ name }) => name !== 'query_report')) {
    const { code, stdout, stderr } = await runCommand(['complete', '--', 'call', name, '']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const offered = stdout.split('\n').map((line) => line.split('\t')[0]);
    const wanted = Object.keys(toJsonSchema(input(), 'input').properties ?? {}).map((argument) => `--${argument}`);
    expect(offered).toEqual(expect.arrayContaining(wanted));
  }
});

test.each(['bash', 'zsh', 'fish'])('the script for %s calls this program by its absolute path', async (shell) => {
  const { code, stdout } = await runCommand(['completion', shell]);
  expect(code).toBe(0);
  expect(stdout).toContain(`${process.execPath} ${resolve('dist/cli.js')} complete --`);
});
