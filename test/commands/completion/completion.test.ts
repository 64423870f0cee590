import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { catalogue } from '../../../src/tools/catalogue.ts';
import { toJsonSchema } from '../../../src/tools/json-schema.ts';
import { runCommand } from '../../e2e/support/run-command.ts';
import { shells } from '../../support/system.ts';

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
    [['ch'], ['check']],
    [['call', 'get_st'], ['get_stats']],
    [['--sandbox', 'call', 'get_st'], ['get_stats']],
    [['call', 'get_stats', '--incl'], ['--include_extra_tokens']],
    [['call', 'get_stats', '--period', 'last_7'], ['last_7_days']],
    [
      ['call', 'compare_pages', '--kind', ''],
      ['offer', 'landing'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', '--help'],
    ],
    [['install', 'cu'], ['cursor']],
    [['sandbox', 'tr'], ['traffic']],
    // Any text may stand there, which the shell completes with files.
    [['--url', ''], []],
  ])('%j offers %j', async (words, offered) => {
    expect(await complete(...words)).toEqual(offered);
  });
});

test.each(['bash', 'zsh', 'fish'])(
  'the script for %s knows every tool that can be called and all its arguments',
  async (shell) => {
    const { code, stdout, stderr } = await runCommand(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const { name, input } of catalogue.filter(({ name }) => name !== 'query_report')) {
      expect(stdout).toContain(`'call ${name}'`);
      for (const argument of Object.keys(toJsonSchema(input, 'input').properties ?? {}))
        expect(stdout).toContain(argument);
    }
    // What is quoted in a script must not end the quotation.
    expect(stdout.match(/'/g)?.length ?? 1).toSatisfy((count: number) => count % 2 === 0);
  },
);
